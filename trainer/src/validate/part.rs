//! One fold: a fit, and its errors on the rows that it did not see.

use nalgebra::DMatrix;

use crate::data::{Dataset, Split, decide};
use crate::error::FitError;
use crate::export::{self, Encoding};
use crate::method::MethodConfig;
use crate::model::{Expansion, Model};
use crate::run::Run;
use crate::scaling::{Preprocessing, Scaling};
use crate::validate::metrics::Metrics;
use crate::validate::score::FoldError;

/// One fold: rows to fit with their scaling, and rows to test on.
pub(crate) struct Part {
    train: Dataset,
    test: Dataset,
    scaling: Scaling,
    /// Standard deviations of the targets over all rows.
    units: Vec<f64>,
}

impl Part {
    /// `whole` is the scaling of all rows. A target that happens to be constant in the rows to fit has no scale of its
    /// own and takes that one: it is then fitted by its constant.
    pub fn of(data: &Dataset, split: &Split, preprocessing: &Preprocessing, whole: &Scaling) -> Part {
        let train = data.select(&split.train);
        let mut scaling = preprocessing.learn(&train);
        for (scale, of_all) in scaling.y.scale.iter_mut().zip(&whole.y.scale) {
            if scale.is_infinite() {
                *scale = *of_all;
            }
        }
        Part { scaling, test: data.select(&split.test), train, units: whole.y.scale.clone() }
    }

    /// Returns the error of every candidate. The candidates differ in λ alone.
    pub fn errors(&self, path: &[MethodConfig], encoding: Encoding, run: &Run<'_>) -> Result<Vec<FoldError>, FitError> {
        let expansions = MethodConfig::fit_path(path, &self.scaling.apply(&self.train), run)?;
        path.iter()
            .zip(expansions)
            .map(|(candidate, expansion)| Ok(self.error(candidate, encoding, expansion)))
            .collect()
    }

    /// Returns the error on the test rows in the device's arithmetic. Settings that look best in `f64` can have
    /// coefficients so large that rounding costs more than they gain.
    fn error(&self, candidate: &MethodConfig, encoding: Encoding, expansion: Expansion) -> FoldError {
        let model = Model::new(candidate.name(), expansion, self.scaling.clone(), &self.train);
        let blob = match export::finished(model, &self.train, encoding) {
            Ok(exported) => exported.blob,
            Err(_) => return FoldError::INFINITE,
        };
        let predictions: DMatrix<f64> = export::predict(&blob, &self.test.x).cast();
        let in_units = |y: &DMatrix<f64>| DMatrix::from_fn(y.nrows(), y.ncols(), |i, j| y[(i, j)] / self.units[j]);
        let (error_rate, residuals) = match self.test.classes.is_empty() {
            true => (None, columns(&predictions - &self.test.y)),
            false => (Some(error_rate(&predictions, &self.test.y)), Vec::new()),
        };
        FoldError {
            standardised_mse: Metrics::of(&in_units(&predictions), &in_units(&self.test.y)).mse,
            mse: Metrics::of(&predictions, &self.test.y).mse,
            error_rate,
            residuals,
        }
    }
}

/// Returns the share of rows whose scores (n×k) decide for another class than that of the indicators (n×k).
fn error_rate(scores: &DMatrix<f64>, indicators: &DMatrix<f64>) -> f64 {
    let wrong = decide(scores).into_iter().zip(decide(indicators)).filter(|(found, class)| found != class).count();
    wrong as f64 / scores.nrows() as f64
}

/// Returns the columns as lists.
fn columns(residuals: DMatrix<f64>) -> Vec<Vec<f64>> {
    residuals.column_iter().map(|column| column.iter().copied().collect()).collect()
}
