//! Huber's loss: the square of a small residual, and the size of a large one.
//!
//! Rows with large errors of the target draw a fit by squares away from all others. P. J. Huber, *Robust Statistics*,
//! 1981, section 7.8: a fit by squares to targets whose residuals are clipped lowers Huber's loss. Repeated until
//! predictions settle, such fits minimise it.

use nalgebra::DMatrix;

use crate::method::error::MethodError;
use crate::model::Expansion;

/// The clip in deviations that costs 5 % of efficiency where residuals are normal.
pub const USUAL: f64 = 1.345;

/// The most fits until predictions settle, and a usual number. The change shrinks in each by about the share of clipped
/// rows.
const MOST_FITS: usize = 30;
pub const USUAL_FITS: f64 = 10.0;

/// The largest change of a prediction, as a share of the clip, at which predictions have settled.
const SETTLED: f64 = 1e-6;

/// The median size of a normal variable, in standard deviations.
const MEDIAN: f64 = 0.674_489_750_196_081_7;

/// Targets, and where their residuals are clipped.
pub struct Clip<'a> {
    /// Targets, n×k.
    y: &'a DMatrix<f64>,
    /// The largest residual of each target that counts by its square.
    limits: Vec<f64>,
}

impl Clip<'_> {
    /// Clips the residuals of targets `y` (n×k) at `huber` deviations. The deviation of a target is the median size of
    /// its residuals from `predicted` (n×k), divided by that of a normal variable of deviation 1.
    pub fn new<'a>(y: &'a DMatrix<f64>, predicted: &DMatrix<f64>, huber: f64) -> Clip<'a> {
        let limit = |target: usize| {
            let residuals = y.column(target) - predicted.column(target);
            let mut sizes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
            let middle = sizes.len() / 2;
            if sizes.is_empty() {
                0.0
            } else {
                huber / MEDIAN * *sizes.select_nth_unstable_by(middle, f64::total_cmp).1
            }
        };
        Clip { y, limits: (0..y.ncols()).map(limit).collect() }
    }

    /// Returns the targets with residuals from `predicted` (n×k) that are clipped.
    pub fn targets(&self, predicted: &DMatrix<f64>) -> DMatrix<f64> {
        DMatrix::from_fn(predicted.nrows(), predicted.ncols(), |row, target| {
            let (limit, from, y) = (self.limits[target], predicted[(row, target)], self.y[(row, target)]);
            if (y - from).abs() <= limit { y } else { from + (y - from).clamp(-limit, limit) }
        })
    }

    /// Repeats `fit`, a fit by squares to inputs `x` (n×d) and given targets (n×k), until predictions settle. Returns
    /// the last model.
    ///
    /// # Errors
    /// Those of `fit`.
    pub fn settled(
        &self,
        start: Expansion,
        x: &DMatrix<f64>,
        mut fit: impl FnMut(DMatrix<f64>) -> Result<Expansion, MethodError>,
    ) -> Result<Expansion, MethodError> {
        let (mut model, mut predicted) = (start.clone(), start.predict(x));
        for _ in 0..MOST_FITS {
            model = fit(self.targets(&predicted))?;
            let next = model.predict(x);
            let mut targets = next.column_iter().zip(predicted.column_iter()).zip(&self.limits);
            let settled = targets.all(|((next, before), limit)| (next - before).amax() <= SETTLED * limit);
            predicted = next;
            if settled {
                break;
            }
        }
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, History};
    use crate::method::common::huber::USUAL;
    use crate::method::compact::Compact;
    use crate::method::linear::Linear;
    use crate::method::{Method, MethodConfig, Terms};
    use crate::run::Run;
    use crate::sampling::Sampler;

    /// A line with a wave. One row in twenty has a large error, always upwards.
    fn spiked(rows: usize, seed: u64) -> (Dataset, DMatrix<f64>) {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(rows, 3, |_, _| sampler.normal());
        let clean = DMatrix::from_fn(rows, 1, |row, _| x[(row, 0)] + libm::sin(2.0 * x[(row, 1)]));
        let y = DMatrix::from_fn(rows, 1, |row, _| {
            let spike = if row % 20 == 7 { 20.0 } else { 0.0 };
            clean[(row, 0)] + 0.3 * sampler.normal() + spike
        });
        let input_names = (0..3).map(|input| input.to_string()).collect();
        let (output_names, history) = (vec!["y".to_owned()], History::default());
        (Dataset { x, y, input_names, output_names, classes: Vec::new(), groups: Vec::new(), history }, clean)
    }

    fn fitted(method: impl Method, data: &Dataset) -> Expansion {
        method.fit(data, &Run::new(1)).unwrap()
    }

    fn off(model: &Expansion, x: &DMatrix<f64>, clean: &DMatrix<f64>) -> f64 {
        ((model.predict(x) - clean).norm_squared() / x.nrows() as f64).sqrt()
    }

    /// At a minimum of Huber's loss with a ridge penalty, clipped residuals are orthogonal to the columns of the
    /// unpenalised terms, and to those of the line up to the penalty.
    #[test]
    fn the_gradient_of_hubers_loss_is_zero() {
        for (seed, lambda) in [(1, 0.0), (2, 0.0), (3, 0.4)] {
            let (data, clean) = spiked(200, seed);
            let huber = Some(USUAL);
            let model = fitted(Linear { lambda, terms: Terms::Linear, huber }, &data);
            // The deviation is that of the residuals of the fit by squares.
            let squares = fitted(Linear { lambda, terms: Terms::Linear, huber: None }, &data);
            let mut sizes: Vec<f64> = (&data.y - squares.predict(&data.x)).iter().map(|r| r.abs()).collect();
            sizes.sort_by(f64::total_cmp);
            let limit = 1.345 * sizes[100] / 0.674_489_75;
            let clipped = (&data.y - model.predict(&data.x)).map(|r| r.clamp(-limit, limit));
            let slopes = data.x.transpose() * &clipped - &model.linear * (200.0 * lambda);
            // Predictions settle to a millionth of the clip, and gradients are sums of 200 rows.
            assert!(clipped.sum().abs() < 1e-3 && slopes.amax() < 1e-3, "{seed}: {} {slopes}", clipped.sum());
            assert!(off(&model, &data.x, &clean) < 0.95 * off(&squares, &data.x, &clean));
        }
    }

    #[test]
    fn large_errors_of_few_rows_hardly_move_compaction() {
        for seed in 0..4 {
            let ((data, _), (test, clean)) = (spiked(300, 2 * seed), spiked(1000, 2 * seed + 1));
            let compact = |huber| Compact { features: 3, order: Some(1), lambda: 1e-4, huber, ..Compact::default() };
            let error = |huber| off(&fitted(compact(huber), &data), &test.x, &clean);
            // The spikes lift predictions by 1 in the mean, and add waves that fit them. Huber's loss counts a spike
            // like a residual of 1.3 deviations.
            let (squares, huber) = (error(None), error(Some(USUAL)));
            assert!(huber < 0.2 * squares && huber < 0.25, "{seed}: {huber} {squares}");
        }
    }

    #[test]
    fn a_clip_beyond_all_residuals_gives_the_fit_by_squares() {
        let (data, _) = spiked(120, 5);
        let compact = |huber| Compact { features: 2, candidates: 60, refine: 10, huber, ..Compact::default() };
        assert_eq!(fitted(compact(Some(1e6)), &data), fitted(compact(None), &data));
        // Residuals of zero leave nothing to clip, and nothing to change.
        let exact = Dataset { y: data.x.columns(0, 1).into_owned(), ..data };
        let line = fitted(Linear { huber: Some(USUAL), ..Linear::default() }, &exact);
        assert!((line.predict(&exact.x) - &exact.y).amax() < 1e-12);
    }

    #[test]
    fn every_target_has_a_clip_of_its_own() {
        let mut y = DMatrix::from_element(5, 2, 0.0);
        y.copy_from_slice(&[1.0, -2.0, 3.0, -4.0, 50.0, 10.0, -20.0, 30.0, -40.0, 500.0]);
        let clip = Clip::new(&y, &DMatrix::zeros(5, 2), MEDIAN);
        let clipped = clip.targets(&DMatrix::zeros(5, 2));
        assert_eq!(clipped.as_slice(), [1.0, -2.0, 3.0, -3.0, 3.0, 10.0, -20.0, 30.0, -30.0, 30.0]);
        assert_eq!(clip.targets(&DMatrix::from_element(5, 2, 2.0))[(4, 0)], 5.0);
    }

    #[test]
    fn a_clip_is_more_than_zero() {
        for name in ["compact", "linear"] {
            let method = MethodConfig::named(name).unwrap();
            assert!(method.clone().with("huber", 0.0).is_err() && method.clone().with("huber", -1.0).is_err());
            assert_eq!(method.with("huber", USUAL).unwrap().setting("huber"), Some(USUAL));
        }
    }
}
