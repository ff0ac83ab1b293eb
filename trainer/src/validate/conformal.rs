//! Intervals around predictions, calibrated on rows that the model has not seen.
//!
//! Every row of a cross-validation is predicted by the model of a fold that did not see it, with the device's code. The absolute
//! residuals of all n rows are what the model of all rows errs by on fresh ones, or a little more, because it has seen more
//! rows. The ⌈(n + 1) level⌉-th smallest is half the width of the interval: cross-conformal prediction (Vovk, "Cross-conformal
//! predictors", 2015) with one width for all rows. Settings are chosen on the same residuals, which makes the interval a little
//! narrow: by less than its own spread over draws of the rows where candidates are few beside n, by more after a search among
//! hundreds.

/// Share of fresh rows whose target the interval holds.
pub const LEVEL: f64 = 0.9;

/// Half the width of the interval that the absolute residuals give; none where they are too few or not finite.
pub fn half_width(mut residuals: Vec<f64>) -> Option<f64> {
    residuals.sort_by(f64::total_cmp);
    let rank = ((residuals.len() + 1) as f64 * LEVEL).ceil() as usize;
    residuals.get(rank - 1).copied().filter(|width| width.is_finite())
}

/// Share of absolute residuals within the half-width.
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
