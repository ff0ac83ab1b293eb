//! Intervals around predictions, calibrated on rows that the model has not seen.
//!
//! Cross-validation predicts every row with the model of a fold that did not see the row, with the device's code. The
//! absolute residuals of all n rows estimate the errors of the final model on fresh rows. The estimate is slightly
//! large, because the final model sees more rows. The ⌈(n + 1) level⌉-th smallest residual is half the width of the
//! interval: cross-conformal prediction (Vovk, "Cross-conformal predictors", 2015) with one width for all rows.
//!
//! Settings are chosen on the same residuals, which makes the interval slightly narrow. With few candidates the effect
//! is below the interval's own spread over draws of the rows. After a search among hundreds of candidates it is larger.

use crate::model::INTERVAL_LEVEL;

/// Returns half the width of the interval that the absolute residuals give; none if they are too few or not finite.
pub(crate) fn half_width(mut residuals: Vec<f64>) -> Option<f64> {
    residuals.sort_by(f64::total_cmp);
    let rank = ((residuals.len() + 1) as f64 * INTERVAL_LEVEL).ceil() as usize;
    residuals.get(rank - 1).copied().filter(|width| width.is_finite())
}

/// Returns the share of absolute residuals within the half-width.
pub fn coverage(residuals: impl ExactSizeIterator<Item = f64>, half_width: f64) -> f64 {
    let rows = residuals.len() as f64;
    residuals.filter(|residual| residual.abs() <= half_width).count() as f64 / rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn the_rank_is_that_of_one_row_more() {
        let residuals = |n: usize| (1..=n).rev().map(|i| i as f64).collect::<Vec<_>>();
        // 0.9 (n + 1) is 9, 9.9, 18 and 90.9.
        assert_eq!([9, 10, 19, 100].map(|n| half_width(residuals(n))), [Some(9.0), Some(10.0), Some(18.0), Some(91.0)]);
        assert_eq!((half_width(residuals(8)), half_width(vec![])), (None, None));
        assert_eq!(half_width(vec![f64::INFINITY; 20]), None);
    }

    #[test]
    fn fresh_rows_of_the_same_law_are_covered() {
        let mut covered = 0.0;
        for seed in 0..200 {
            let mut sampler = Sampler::new(seed);
            let mut residuals = |n: usize| (0..n).map(|_| sampler.normal().abs()).collect::<Vec<_>>();
            let width = half_width(residuals(49)).unwrap();
            covered += coverage(residuals(200).into_iter(), width) / 200.0;
        }
        // Exactly 45 / 50 on average; 40,000 rows with 200 widths have a standard error of 0.003.
        assert!((covered - 0.9).abs() < 0.01, "{covered}");
    }
}
