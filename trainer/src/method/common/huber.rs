//! Huber's loss: the square of small residuals, and the absolute value of large ones, up to constants.
//!
//! Rows with large errors of the target draw a least-squares fit away from all others. Least squares to targets whose
//! residuals are clipped lowers Huber's loss (P. J. Huber, *Robust Statistics*, 1981, section 7.8). Repeated until
//! predictions settle, such fits minimise it.

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::method::error::MethodError;
use crate::model::Expansion;
use crate::run::Run;

/// The clip in standard deviations that costs 5 % of efficiency where residuals are normal.
pub const USUAL_CLIP: f64 = 1.345;

/// The number of fits that estimates of effort assume. Each fit shrinks the change of predictions to about the share of
/// clipped rows.
pub const USUAL_FITS: f64 = 10.0;

/// The largest number of fits. Predictions that have not settled by then are taken as they are.
const MOST_FITS: usize = 30;

/// The largest change of a prediction, as a share of the clip, at which predictions have settled.
const SETTLED: f64 = 1e-6;

/// The median absolute value of a standard normal variable.
const MEDIAN: f64 = 0.674_489_750_196_081_7;

/// Targets (n×k) whose residuals are clipped.
pub struct Clipped {
    pub y: DMatrix<f64>,
    /// The largest residual of each target.
    limits: Vec<f64>,
}

impl Clipped {
    /// Clips the residuals of targets `y` (n×k) from `predicted` (n×k) at `huber` standard deviations. The standard
    /// deviation of a target's residuals is estimated from the median of their absolute values, in which rows count by
    /// their `weights`; alike where there are none.
    pub fn new(y: &DMatrix<f64>, predicted: &DMatrix<f64>, weights: &[f64], huber: f64) -> Clipped {
        let limit = |target: usize| {
            let residuals = y.column(target) - predicted.column(target);
            let mut sizes: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
            let middle = sizes.len() / 2;
            if sizes.is_empty() {
                0.0
            } else if !weights.is_empty() {
                huber / MEDIAN * weighted_median(&sizes, weights)
            } else {
                huber / MEDIAN * *sizes.select_nth_unstable_by(middle, f64::total_cmp).1
            }
        };
        let limits: Vec<f64> = (0..y.ncols()).map(limit).collect();
        let clipped = |row: usize, target: usize| {
            let (limit, from, y) = (limits[target], predicted[(row, target)], y[(row, target)]);
            // `clamp` would panic where a limit is not a number.
            if (y - from).abs() <= limit { y } else { from + (y - from).min(limit).max(-limit) }
        };
        Clipped { y: DMatrix::from_fn(y.nrows(), y.ncols(), clipped), limits }
    }
}

/// Returns the least of the `sizes` up to which rows have half of all weight.
fn weighted_median(sizes: &[f64], weights: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&a, &b| sizes[a].total_cmp(&sizes[b]));
    let mut left = 0.5 * weights.iter().sum::<f64>();
    let median = order.into_iter().find(|&row| {
        left -= weights[row];
        left < 0.0
    });
    median.map_or(0.0, |row| sizes[row])
}

/// Repeats `fit`, a least-squares fit to the inputs of `data` and the targets that it gets, from the predictions of
/// `start` until they settle, at most 30 times. Each fit gets the targets with residuals that are clipped anew.
///
/// # Errors
/// Those of `fit`, and [`MethodError::Interrupted`].
pub fn settled(
    data: &Dataset,
    huber: f64,
    start: Expansion,
    run: &Run<'_>,
    fit: impl Fn(&DMatrix<f64>) -> Result<Expansion, MethodError>,
) -> Result<Expansion, MethodError> {
    let Dataset { x, y, weights, .. } = data;
    let (mut predicted, mut model) = (start.predict(x), start);
    for _ in 0..MOST_FITS {
        if run.interrupted() {
            return Err(MethodError::Interrupted);
        }
        let clipped = Clipped::new(y, &predicted, weights, huber);
        model = fit(&clipped.y)?;
        let next = model.predict(x);
        let mut targets = next.column_iter().zip(predicted.column_iter()).zip(&clipped.limits);
        let has_settled = targets.all(|((next, before), limit)| (next - before).amax() <= SETTLED * limit);
        predicted = next;
        if has_settled {
            break;
        }
    }
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        (Dataset::new(x, y).unwrap(), clean)
    }

    fn fitted(method: impl Method, data: &Dataset) -> Expansion {
        method.fit_expansion(data, &Run::new(1)).unwrap()
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
            let huber = Some(USUAL_CLIP);
            let model = fitted(Linear { lambda, terms: Terms::Linear, huber }, &data);
            let residuals = &data.y - model.predict(&data.x);
            let mut sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
            sizes.sort_by(f64::total_cmp);
            let limit = 1.345 * sizes[100] / 0.674_489_75;
            let clipped = residuals.map(|r| r.clamp(-limit, limit));
            let slopes = data.x.transpose() * &clipped - &model.linear * (200.0 * lambda);
            // Predictions settle to a millionth of the clip, and gradients are sums of 200 rows.
            assert!(clipped.sum().abs() < 1e-3 && slopes.amax() < 1e-3, "{seed}: {} {slopes}", clipped.sum());
            // The wave, which no line fits, leaves about half of the error.
            let squares = fitted(Linear { lambda, terms: Terms::Linear, huber: None }, &data);
            let ratio = off(&model, &data.x, &clean) / off(&squares, &data.x, &clean);
            assert!(ratio < 0.8, "{seed}: {ratio}");
        }
    }

    #[test]
    fn large_errors_of_few_rows_hardly_move_compaction() {
        for seed in 0..4 {
            let ((data, _), (test, clean)) = (spiked(300, 2 * seed), spiked(1000, 2 * seed + 1));
            let compact = |huber| Compact { features: 3, order: Some(1), lambda: 1e-4, huber, ..Compact::default() };
            let error = |huber| off(&fitted(compact(huber), &data), &test.x, &clean);
            // The spikes lift predictions of least squares by 1 in the mean, and waves fit single ones. With Huber's
            // loss a spike counts like a residual of 1.3 standard deviations, which lifts predictions by 0.03.
            let (squares, huber) = (error(None), error(Some(USUAL_CLIP)));
            assert!(squares > 1.0 && huber < 0.2, "{seed}: {huber} {squares}");
        }
    }

    #[test]
    fn a_clip_beyond_all_residuals_gives_least_squares() {
        let (data, _) = spiked(120, 5);
        let compact = |huber| Compact { features: 2, candidates: 60, refine: 10, huber, ..Compact::default() };
        assert_eq!(fitted(compact(Some(1e6)), &data), fitted(compact(None), &data));
        // Residuals of zero leave nothing to clip, and nothing to change.
        let exact = Dataset { y: data.x.columns(0, 1).into_owned(), ..data };
        let line = fitted(Linear { huber: Some(USUAL_CLIP), ..Linear::default() }, &exact);
        assert!((line.predict(&exact.x) - &exact.y).amax() < 1e-12);
    }

    #[test]
    fn every_target_has_a_clip_of_its_own() {
        let mut y = DMatrix::from_element(5, 2, 0.0);
        y.copy_from_slice(&[1.0, -2.0, 3.0, -4.0, 50.0, 10.0, -20.0, 30.0, -40.0, 500.0]);
        let clipped = Clipped::new(&y, &DMatrix::zeros(5, 2), &[], MEDIAN).y;
        assert_eq!(clipped.as_slice(), [1.0, -2.0, 3.0, -3.0, 3.0, 10.0, -20.0, 30.0, -30.0, 30.0]);
        // Residuals of 1, 4, 1, 6 and 48 from 2.
        assert_eq!(Clipped::new(&y, &DMatrix::from_element(5, 2, 2.0), &[], MEDIAN).y[(4, 0)], 6.0);
        // Nothing is clipped where predictions are not numbers, and nothing panics.
        assert!(Clipped::new(&y, &DMatrix::from_element(5, 2, f64::NAN), &[], MEDIAN).y[0].is_nan());
    }

    #[test]
    fn medians_count_rows_by_their_weights() {
        let sizes = [4.0, 1.0, 3.0, 2.0, 5.0];
        // As of 1, 2, 2, 2, 3, 4, 5 and of 1, 2, 3, 4, 5, 5, 5.
        assert_eq!(weighted_median(&sizes, &[1.0, 1.0, 1.0, 3.0, 1.0]), 2.0);
        assert_eq!(weighted_median(&sizes, &[1.0, 1.0, 1.0, 1.0, 3.0]), 4.0);
    }

    #[test]
    fn a_clip_is_more_than_zero() {
        for name in ["compact", "linear"] {
            let method = MethodConfig::named(name).unwrap();
            assert!(method.clone().with("huber", 0.0).is_err() && method.clone().with("huber", -1.0).is_err());
            assert_eq!(method.with("huber", USUAL_CLIP).unwrap().setting("huber"), Some(USUAL_CLIP));
        }
    }
}
