//! The residuals of the rows that cross-validation left out.

use crate::data::Split;
use crate::validate::score::FoldError;

/// Returns the residuals of every output in the order of the rows; none where a fold has none.
pub(crate) fn in_order_of_rows(splits: &[Split], errors: &[FoldError]) -> Option<Vec<Vec<f64>>> {
    let outputs = errors.iter().map(|error| error.residuals.len()).min().filter(|&outputs| outputs > 0)?;
    let of_output = |output: usize| {
        let rows = splits.iter().flat_map(|split| &split.test);
        let residuals = errors.iter().flat_map(|error| &error.residuals[output]);
        let mut ordered: Vec<(usize, f64)> = rows.copied().zip(residuals.copied()).collect();
        ordered.sort_unstable_by_key(|&(row, _)| row);
        ordered.into_iter().map(|(_, residual)| residual).collect()
    };
    Some((0..outputs).map(of_output).collect())
}

/// Returns the correlation of successive residuals about their mean; 0 for residuals that do not vary.
pub(crate) fn autocorrelation(residuals: &[f64]) -> f64 {
    let mean = residuals.iter().sum::<f64>() / residuals.len() as f64;
    let products: f64 = residuals.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    let squares: f64 = residuals.iter().map(|residual| (residual - mean) * (residual - mean)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;
    use crate::validate::Score;

    #[test]
    fn residuals_return_to_the_order_of_the_rows() {
        let split = |test: &[usize]| Split { train: Vec::new(), test: test.to_vec() };
        let error = |residuals: Vec<Vec<f64>>| FoldError { residuals, ..FoldError::INFINITE };
        let splits = [split(&[1, 4]), split(&[0, 2, 3])];
        let errors =
            [error(vec![vec![0.1, 0.4], vec![1.1, 1.4]]), error(vec![vec![0.0, 0.2, 0.3], vec![1.0, 1.2, 1.3]])];
        let ordered = in_order_of_rows(&splits, &errors).unwrap();
        assert_eq!(ordered, [[0.0, 0.1, 0.2, 0.3, 0.4], [1.0, 1.1, 1.2, 1.3, 1.4]]);
        assert_eq!(in_order_of_rows(&splits, &[errors[0].clone(), FoldError::INFINITE]), None);
    }

    #[test]
    fn the_autocorrelation_is_that_by_hand() {
        // About the mean 2: -1, 1, 2, -2 with products -1, 2, -4 and squares 1, 1, 4, 4.
        assert_eq!(autocorrelation(&[1.0, 3.0, 4.0, 0.0]), -0.3);
        assert_eq!(autocorrelation(&[2.0; 5]), 0.0);
    }

    /// Returns whether residuals with this correlation of neighbours and this distribution of innovations get a remark.
    fn remarked(correlation: f64, rows: usize, innovation: impl FnMut() -> f64) -> bool {
        let innovations: Vec<f64> = std::iter::repeat_with(innovation).take(rows).collect();
        let residuals: Vec<f64> = innovations
            .iter()
            .scan(0.0, |last, innovation| {
                *last = correlation * *last + innovation;
                Some(*last)
            })
            .collect();
        let score = Score::over_folds(&[FoldError::INFINITE, FoldError::INFINITE], rows);
        Score { residual_autocorrelation: Some(autocorrelation(&residuals)), ..score }.neighbours_correlate()
    }

    #[test]
    fn correlated_neighbours_are_told_from_independent_ones() {
        const SERIES: u64 = 2000;
        for rows in [50, 400, 1500] {
            let count = |correlation: f64, power: i32| {
                let series = |seed: &u64| {
                    let mut sampler = Sampler::new(*seed);
                    remarked(correlation, rows, || sampler.normal().powi(power))
                };
                (0..SERIES).filter(series).count()
            };
            // 3 in 100,000 independent series exceed four standard deviations, whatever the innovations.
            assert!(count(0.0, 1) <= 2 && count(0.0, 3) <= 2, "{rows} rows");
            // With 50 rows the threshold is 0.57, and a correlation of 0.85 is found as 0.76 on average, with a
            // standard deviation of 0.1: 19 of 20 series exceed the threshold.
            assert!(count(0.85, 1) > (0.92 * SERIES as f64) as usize, "{rows} rows");
        }
    }
}
