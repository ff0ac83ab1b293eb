//! How good predictions are.

use nalgebra::DMatrix;
use serde::Serialize;

/// Errors of predictions, over all rows and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Number of rows.
    pub rows: usize,
    /// Root of the mean squared error, in units of the target.
    pub rmse: f64,
    /// Mean squared error.
    pub mse: f64,
    /// Share of the variance explained, averaged over the outputs; not a number for targets that do not vary.
    pub r2: f64,
}

impl Metrics {
    /// Compares predictions with targets, both n×k.
    pub fn of(predictions: &DMatrix<f64>, targets: &DMatrix<f64>) -> Metrics {
        let residual = predictions - targets;
        let mse = residual.norm_squared() / residual.len() as f64;
        let explained = residual.column_iter().zip(targets.column_iter()).map(|(residual, target)| {
            let mean = target.mean();
            1.0 - residual.norm_squared() / target.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>()
        });
        let r2 = explained.sum::<f64>() / targets.ncols() as f64;
        Metrics { rows: targets.nrows(), rmse: mse.sqrt(), mse, r2: if r2.is_finite() { r2 } else { f64::NAN } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        let targets = DMatrix::from_column_slice(4, 1, &[1.0, 2.0, 3.0, 4.0]);
        let predictions = DMatrix::from_column_slice(4, 1, &[1.0, 2.0, 3.0, 6.0]);
        let metrics = Metrics::of(&predictions, &targets);
        assert_eq!((metrics.rows, metrics.mse, metrics.rmse), (4, 1.0, 1.0));
        assert!((metrics.r2 - (1.0 - 4.0 / 5.0)).abs() < 1e-15);
    }
}
