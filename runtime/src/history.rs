//! The latest samples of the sensors, for models that look back in time.

use heapless::Vec;

use crate::evaluate::Evaluator;
use crate::format::{Lags, MISSING, Samples, Statistic, Windows};
use crate::{Error, Model};

pub use crate::statistics::Window;

/// The latest samples, and the inputs that a model makes of them, in fixed buffers.
///
/// A model with lagged inputs looks at several samples: its file says which. A history takes one sample after the
/// other, each with one reading for every [channel](Model::channels), and predicts as soon as there are enough. The
/// inputs of a model with [windows](Windows) are statistics of the latest samples; it predicts whenever a window is
/// complete. The buffers hold at least as many numbers as the model has [slots](Model::slots) and
/// [inputs](Model::inputs); a history takes `4 * (SLOTS + INPUTS)` bytes of RAM and a few more, half of them where it
/// keeps counts. A model without lags and windows takes every sample as it is. A missing reading makes predictions
/// missing for as long as the model looks at it, unless the file has a replacement.
///
/// ```
/// use srfm_runtime::{History, Model, static_model};
///
/// # fn main() -> Result<(), srfm_runtime::Error> {
/// static MODEL: Model = static_model!("../golden/history.srfm"); // y = x + (x - x one sample ago)
///
/// let mut history = History::<{ MODEL.slots() }, { MODEL.inputs() }>::new();
/// let mut y = [0.0; MODEL.outputs()];
/// assert!(!history.predict(&MODEL, &[1.0], &mut y)?); // the model needs two samples
/// assert!(history.predict(&MODEL, &[3.0], &mut y)?);
/// assert_eq!(y, [5.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct History<const SLOTS: usize, const INPUTS: usize, R = f32> {
    slots: Vec<R, SLOTS>,
    inputs: Vec<R, INPUTS>,
    /// The number of samples taken, at most 65,535; in windows, the number of samples in the slots.
    samples: u16,
}

/// A reading of a sample: in floating point, or a count of a converter.
pub trait Reading: Copy {
    /// The reading of a history without samples.
    const ZERO: Self;

    /// Returns this reading less an older one; missing where one of them is.
    fn less(self, older: Self) -> Self;

    /// Takes a sample of a model with windows, as [`take_sample`].
    ///
    /// # Errors
    /// [`Error::NotIntegers`] for counts, whose statistics are no counts, and [`Error::TooLarge`].
    fn take_windowed(
        windows: Windows<'_>,
        sample: &[Self],
        slots: &mut [Self],
        samples: &mut u16,
        x: &mut [Self],
    ) -> Result<bool, Error>;
}

impl Reading for f32 {
    const ZERO: f32 = 0.0;

    #[inline]
    fn less(self, older: f32) -> f32 {
        self - older
    }

    fn take_windowed(
        windows: Windows<'_>,
        sample: &[f32],
        slots: &mut [f32],
        samples: &mut u16,
        x: &mut [f32],
    ) -> Result<bool, Error> {
        take_windowed(windows, sample, slots, samples, x)
    }
}

/// A difference beyond ±32767 is the last number there.
impl Reading for i16 {
    const ZERO: i16 = 0;

    #[inline]
    fn less(self, older: i16) -> i16 {
        if self == MISSING || older == MISSING { MISSING } else { self.saturating_sub(older).max(-i16::MAX) }
    }

    fn take_windowed(_: Windows<'_>, _: &[i16], _: &mut [i16], _: &mut u16, _: &mut [i16]) -> Result<bool, Error> {
        Err(Error::NotIntegers)
    }
}

impl<const SLOTS: usize, const INPUTS: usize, R> History<SLOTS, INPUTS, R> {
    /// Returns a history without samples.
    pub const fn new() -> Self {
        History { slots: Vec::new(), inputs: Vec::new(), samples: 0 }
    }

    /// Forgets all samples, as after a gap or when another model takes over.
    pub fn clear(&mut self) {
        self.samples = 0;
    }
}

impl<const SLOTS: usize, const INPUTS: usize, R: Reading> History<SLOTS, INPUTS, R> {
    /// Takes a sample and returns the inputs for [`Model::predict`], or none while there are too few samples or a
    /// window is not complete.
    ///
    /// # Errors
    /// [`Error::WrongInputs`] where `sample` has another length than the model has [channels](Model::channels),
    /// [`Error::TooLarge`] where a buffer is too small, and [`Error::NotIntegers`] for counts of a model with windows.
    pub fn push<E: Evaluator>(&mut self, model: &Model<'_, E>, sample: &[R]) -> Result<Option<&[R]>, Error> {
        let samples = model.samples();
        self.slots.resize(samples.slots(), R::ZERO).map_err(|_| Error::TooLarge)?;
        self.inputs.resize(model.inputs(), R::ZERO).map_err(|_| Error::TooLarge)?;
        let ready = take_sample(samples, sample, &mut self.slots, &mut self.samples, &mut self.inputs)?;
        Ok(ready.then_some(&self.inputs))
    }
}

impl<const SLOTS: usize, const INPUTS: usize> History<SLOTS, INPUTS> {
    /// Takes a sample and predicts. Returns whether there were enough samples, or a window is complete; otherwise `y`
    /// is left as it was.
    ///
    /// # Errors
    /// As [`push`](Self::push) and [`Model::predict`].
    pub fn predict<E: Evaluator>(
        &mut self,
        model: &Model<'_, E>,
        sample: &[f32],
        y: &mut [f32],
    ) -> Result<bool, Error> {
        match self.push(model, sample)? {
            Some(x) => model.predict(x, y).map(|()| true),
            None => Ok(false),
        }
    }
}

impl<const SLOTS: usize, const INPUTS: usize> History<SLOTS, INPUTS, i16> {
    /// Takes a sample of counts and predicts without floating point, for an integer model that takes
    /// [counts as they are](Model::takes_counts). Returns whether there were enough samples; otherwise `y` is left as
    /// it was.
    ///
    /// # Errors
    /// As [`push`](Self::push) and [`Model::predict_integers`]. [`Error::NotIntegers`] also for an integer model whose
    /// readings need a preparation, or that has windows.
    pub fn predict_integers<E: Evaluator>(
        &mut self,
        model: &Model<'_, E>,
        sample: &[i16],
        y: &mut [i32],
    ) -> Result<bool, Error> {
        if !model.takes_counts() {
            return Err(Error::NotIntegers);
        }
        let Some(x) = self.push(model, sample)? else { return Ok(false) };
        if model.prepared().is_empty() {
            return model.predict_integers(x, y).map(|()| true);
        }
        let mut z: Vec<i16, INPUTS> = Vec::new();
        for prepared in model.prepared() {
            let count = x.get(usize::from(prepared.input)).copied().unwrap_or(0);
            z.push(count).map_err(|_| Error::TooLarge)?;
        }
        model.predict_integers(&z, y).map(|()| true)
    }
}

/// Takes a sample into `slots` and, once there are enough or a window is complete, fills `x` with the inputs of the
/// model. Returns whether it did.
///
/// `taken` counts the samples, from 0 on. The lengths of `slots` and `x` are those of the model.
///
/// # Errors
/// [`Error::WrongInputs`], [`Error::TooLarge`] and [`Error::NotIntegers`], as [`History::push`].
pub fn take_sample<R: Reading>(
    samples: Samples<'_>,
    sample: &[R],
    slots: &mut [R],
    taken: &mut u16,
    x: &mut [R],
) -> Result<bool, Error> {
    if sample.len() != samples.channels() {
        return Err(Error::WrongInputs { expected: samples.channels() as u16 });
    }
    match samples {
        Samples::Lags(lags) => take_lagged(lags, sample, slots, taken, x),
        Samples::Windows(windows) => R::take_windowed(windows, sample, slots, taken, x),
    }
}

fn take_lagged<R: Reading>(
    lags: Lags<'_>,
    sample: &[R],
    slots: &mut [R],
    taken: &mut u16,
    x: &mut [R],
) -> Result<bool, Error> {
    let mut rest = &mut *slots;
    for (window, &reading) in lags.windows().zip(sample) {
        let (own, others) = rest.split_at_mut_checked(window.into()).ok_or(Error::TooLarge)?;
        // The newest sample comes first; the oldest drops out.
        let mut newer = reading;
        for slot in own {
            newer = core::mem::replace(slot, newer);
        }
        rest = others;
    }
    *taken = taken.saturating_add(1);
    if *taken < lags.depth().into() {
        return Ok(false);
    }
    let value = |slot: usize| slots.get(slot).copied().ok_or(Error::TooLarge);
    for (x, place) in x.iter_mut().zip(lags.places()) {
        let newer = value(place.slot)?;
        *x = if place.difference { newer.less(value(place.slot + 1)?) } else { newer };
    }
    Ok(true)
}

fn take_windowed(
    windows: Windows<'_>,
    sample: &[f32],
    slots: &mut [f32],
    taken: &mut u16,
    x: &mut [f32],
) -> Result<bool, Error> {
    let [samples, step] = [windows.samples(), windows.step()].map(usize::from);
    // The number of another model may be larger.
    let filled = if usize::from(*taken) < samples { usize::from(*taken) } else { 0 };
    let mut rest = &mut *slots;
    for (reading, _) in sample.iter().zip(windows.kept()).filter(|(_, kept)| *kept) {
        let (window, others) = rest.split_at_mut_checked(samples).ok_or(Error::TooLarge)?;
        *window.get_mut(filled).ok_or(Error::TooLarge)? = *reading;
        rest = others;
    }
    *taken = filled as u16 + 1;
    if usize::from(*taken) < samples {
        return Ok(false);
    }
    fill_with_statistics(windows, slots, x)?;
    // The rest of the window begins the next one.
    let mut rest = slots;
    while let Some((window, others)) = rest.split_at_mut_checked(samples.max(1)) {
        if step <= window.len() {
            window.copy_within(step.., 0);
        }
        rest = others;
    }
    *taken = samples.saturating_sub(step) as u16;
    Ok(true)
}

/// Fills `x` with the statistics of a complete window.
fn fill_with_statistics(windows: Windows<'_>, slots: &[f32], x: &mut [f32]) -> Result<(), Error> {
    let samples = usize::from(windows.samples());
    // Inputs of a channel follow each other and share its mean.
    let mut latest: Option<(u8, Window<'_>)> = None;
    for (x, input) in x.iter_mut().zip(windows.inputs()) {
        let window = match latest {
            _ if input.statistic == Statistic::Unused => {
                *x = 0.0;
                continue;
            }
            Some((channel, window)) if channel == input.channel => window,
            _ => {
                let first = samples * usize::from(input.channel);
                Window::new(slots.get(first..first + samples).ok_or(Error::TooLarge)?)
            }
        };
        latest = Some((input.channel, window));
        *x = window.statistic(input.statistic);
    }
    Ok(())
}
