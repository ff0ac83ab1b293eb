//! Models that follow their sensor: recalibration by references, intervals that keep their share, alarms of drift.
//!
//! A reference is a true value for a row that the model has predicted, such as a reading of a laboratory or of a
//! station beside the sensor. Everything is in `f32` and in fixed buffers. The model file itself stays as it is.

mod drift;
mod interval;
mod recalibration;
mod share;
mod state;

pub use drift::Drift;
pub use interval::Interval;
pub use recalibration::{Recalibration, Settings};
pub use state::{StateError, fingerprint};

use crate::evaluate::Evaluator;
use crate::{Error, Model};

/// The level of intervals that tell a usual error, and the quantile of the normal distribution that this share of
/// errors is within, in standard deviations.
const LEVEL: f32 = 0.9;
const WITHIN_90: f32 = 1.645;

/// The largest range of an output, also in usual errors, so that its square is finite.
const LARGEST_RANGE: f32 = 1e15;

/// The largest magnitude of a regressor.
const LARGEST_REGRESSOR: f32 = 3.0;

/// The adaptation of a model of one quantity: predictions that are corrected, their interval, and alarms of drift.
///
/// `N` is the number of coefficients, and `T` is `N (N + 1) / 2`. A model of d inputs has the regressors of
/// [`regressors`], of which the first `N` get a coefficient. Two numbers suit:
///
/// - `N = d + 2`: an offset, a gain and a slope for each input. Nine inputs (`N` 11, `T` 66) take 472 bytes of RAM.
/// - `N = 2 d + 3`: also the products of the prediction with itself and with each input, so that the slopes change with
///   the prediction. Nine inputs (`N` 21, `T` 231) take 1212 bytes. A reference costs about three times as much.
///
/// Coefficients beyond the regressors stay 0. The inputs have coefficients only where the file states their ranges.
///
/// An adaptation belongs to one model. Coefficients and usual error do not fit another one: start anew, by
/// [`new`](Self::new) or [`reset`](Self::reset), when another model takes over.
///
/// ```
/// use srfm_runtime::adapt::Adaptation;
/// use srfm_runtime::{Model, static_model};
///
/// # fn main() -> Result<(), srfm_runtime::Error> {
/// static MODEL: Model = static_model!("../../golden/plane.srfm");
///
/// let mut adapted = Adaptation::<2, 3>::new(&MODEL);
/// let factory = adapted.predict(&MODEL, &[0.25, 2.0])?;
/// for _ in 0..200 {
///     adapted.learn(&MODEL, &[0.25, 2.0], factory + 2.0)?; // the truth is 2 above
/// }
/// let corrected = adapted.predict(&MODEL, &[0.25, 2.0])?;
/// assert!((corrected - (factory + 2.0)).abs() < 0.4, "{factory} {corrected}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Adaptation<const N: usize, const T: usize> {
    /// The coefficients and the recent offset.
    pub recalibration: Recalibration<N, T>,
    /// The interval around a prediction.
    pub interval: Interval,
    /// The alarms.
    pub drift: Drift,
    /// A usual error of the model.
    scale: f32,
}

impl<const N: usize, const T: usize> Adaptation<N, T> {
    /// Starts with the factory's model. A usual error follows from the interval of the file at the level 0.9; a model
    /// without such an interval, or whose half-width is not a number above 0, has errors of a tenth of its output's
    /// range.
    pub fn new<E: Evaluator>(model: &Model<'_, E>) -> Self {
        let range = model.limits().next().map_or(1.0, |[low, high]| (high - low).min(LARGEST_RANGE));
        // A file may state any half-width and any level.
        let is_usual = |width: &f32| width.is_finite() && *width > 0.0 && model.level() == Some(LEVEL);
        let half_width = model.half_width(0).filter(is_usual).unwrap_or(0.1 * WITHIN_90 * range);
        let scale = if half_width > 0.0 { half_width / WITHIN_90 } else { 1.0 };
        let level = model.level().filter(|&level| level > 0.0 && level < 1.0).unwrap_or(LEVEL);
        Adaptation {
            recalibration: Recalibration::new(Settings {
                bound: Settings::DEFAULT.bound.max((range / scale).min(LARGEST_RANGE)),
                ..Settings::DEFAULT
            }),
            interval: Interval::new(scale * WITHIN_90, level),
            drift: Drift::new(),
            scale,
        }
    }

    /// Returns a usual error of the model, in units of the output.
    pub const fn usual_error(&self) -> f32 {
        self.scale
    }

    /// Predicts, with the correction. The result keeps the limits of the model's output.
    ///
    /// # Errors
    /// [`Error::WrongOutputs`] for a model of several outputs or of classes, and as [`Model::predict`].
    pub fn predict<E: Evaluator>(&self, model: &Model<'_, E>, x: &[f32]) -> Result<f32, Error> {
        let factory = factory(model, x)?;
        Ok(self.corrected(model, x, factory))
    }

    /// Takes the true value for the readings `x`. Returns whether it was used: values that are not finite are not, nor
    /// those of readings for which the model gives none.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn learn<E: Evaluator>(&mut self, model: &Model<'_, E>, x: &[f32], reference: f32) -> Result<bool, Error> {
        let factory = factory(model, x)?;
        let predicted = self.corrected(model, x, factory);
        if !(reference.is_finite() && factory.is_finite() && predicted.is_finite()) {
            return Ok(false);
        }
        self.interval.learn(reference - predicted);
        let residual = (reference - factory) / self.scale;
        self.drift.learn(residual);
        self.recalibration.learn(&regressors(model, x, factory), residual);
        Ok(true)
    }

    /// Returns to the factory's model, bit for bit, and to its interval.
    pub fn reset<E: Evaluator>(&mut self, model: &Model<'_, E>) {
        *self = Adaptation::new(model);
    }

    fn corrected<E: Evaluator>(&self, model: &Model<'_, E>, x: &[f32], factory: f32) -> f32 {
        if !self.recalibration.is_in_use() || factory.is_nan() {
            return factory;
        }
        let corrected = factory + self.scale * self.recalibration.correction(&regressors(model, x, factory));
        match model.limits().next() {
            Some([low, high]) => corrected.max(low).min(high),
            None => corrected,
        }
    }
}

/// Returns the output of the model as the factory made it. The scores of classes are no quantity that has a reference.
fn factory<E: Evaluator>(model: &Model<'_, E>, x: &[f32]) -> Result<f32, Error> {
    if !model.classes().is_empty() {
        return Err(Error::WrongOutputs { expected: model.header().outputs });
    }
    let mut y = [0.0];
    model.predict(x, &mut y)?;
    Ok(y[0])
}

/// Returns one, the prediction and the readings, and then the product of the prediction with itself and with each
/// reading, as many as there is room for; the rest is 0.
///
/// The prediction and the readings are scaled so that −1 and 1 are the ends of their ranges. All regressors lie from −3
/// to 3. A reading without a range, or that is not a number, gives 0.
pub fn regressors<const N: usize, E: Evaluator>(model: &Model<'_, E>, x: &[f32], factory: f32) -> [f32; N] {
    let mut regressors = [0.0; N];
    let own = model.limits().next().map_or(0.0, |range| standardised(factory, range));
    let others = model.ranges().zip(x).map(|(range, &x)| standardised(x, range));
    for (to, value) in regressors.iter_mut().zip([1.0, own].into_iter().chain(others)) {
        *to = value;
    }
    if let Some((linear, products)) = regressors.split_at_mut_checked(2 + model.ranges().len()) {
        for (product, value) in products.iter_mut().zip(linear.iter().skip(1)) {
            *product = limited(own * value);
        }
    }
    regressors
}

fn standardised(value: f32, [low, high]: [f32; 2]) -> f32 {
    let (middle, half) = (0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low);
    let standardised = (value - middle) / half;
    if standardised.is_nan() { 0.0 } else { limited(standardised) }
}

fn limited(regressor: f32) -> f32 {
    regressor.clamp(-LARGEST_REGRESSOR, LARGEST_REGRESSOR)
}
