//! k-fold cross-validation of any list of methods, in the device's arithmetic.

use std::sync::atomic::{AtomicUsize, Ordering};

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::data::Dataset;
use crate::data::split::{Split, k_fold};
use crate::export;
use crate::method::{FitError, MethodConfig};
use crate::metrics::Metrics;
use crate::model::Model;
use crate::observer::Observer;
use crate::sampling::Sampler;
use crate::scaling::Scaling;

/// Keeps the folds apart from what the methods draw.
const FOLD_STREAM: u64 = 1;

/// The cross-validated error of one list entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Mean over the folds of the mean squared error, in units of the targets' variances over all rows; infinite where a
    /// fold's model cannot go to the device.
    pub mse: f64,
    /// Its standard error, from the spread over the folds.
    pub standard_error: f64,
}

/// Scores every candidate on the same `folds` folds of `data` (raw columns; each fold learns its own scaling).
///
/// # Errors
/// [`FitError::TooFewRows`] where there are fewer rows than folds or fewer than two folds are asked for, and what the
/// methods say.
pub fn cross_validate(
    candidates: &[MethodConfig],
    data: &Dataset,
    folds: usize,
    seed: u64,
    observer: &dyn Observer,
) -> Result<Vec<Score>, FitError> {
    if folds < 2 {
        return Err(FitError::Setting { setting: "folds", range: "at least 2", value: folds as f64 });
    }
    if data.rows() < folds {
        return Err(FitError::TooFewRows {
            rows: data.rows(),
            needed: folds,
            purpose: "cross-validation",
            advice: "add rows, lower --folds or set --lambda and --order, which need no cross-validation",
        });
    }
    let splits = k_fold(data.rows(), folds, &mut Sampler::stream(seed, FOLD_STREAM));
    let whole = Scaling::of(data);
    let parts: Vec<Part> = splits.iter().map(|split| Part::of(data, split, &whole)).collect();

    let total = candidates.len() * folds;
    let done = AtomicUsize::new(0);
    let error = |work: usize| -> Result<f64, FitError> {
        let error = parts[work % folds].error(&candidates[work / folds], seed, observer);
        let error = error.map_err(|error| name_the_fold(error, data.rows(), folds))?;
        observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        Ok(error)
    };
    let errors: Vec<f64> = (0..total).into_par_iter().map(error).collect::<Result<_, _>>()?;
    Ok(errors.chunks_exact(folds).map(Score::of).collect())
}

/// Says that a fold has too few rows in terms of the rows that the caller knows.
fn name_the_fold(error: FitError, rows: usize, folds: usize) -> FitError {
    match error {
        FitError::TooFewRows { rows: left, needed, purpose, .. } => {
            FitError::TooFewRowsInFold { rows, folds, left, needed, purpose }
        }
        error => error,
    }
}

/// One fold: rows to fit, with their scaling, and rows to test on.
struct Part {
    train: Dataset,
    test: Dataset,
    scaling: Scaling,
    /// Standard deviations of the targets over all rows.
    units: Vec<f64>,
}

impl Part {
    /// `whole` is the scaling of all rows. A target that happens to be constant in the rows to fit has no scale of its own and
    /// takes that one: it is then fitted by its constant.
    fn of(data: &Dataset, split: &Split, whole: &Scaling) -> Part {
        let train = data.select(&split.train);
        let mut scaling = Scaling::of(&train);
        for (scale, of_all) in scaling.y.scale.iter_mut().zip(&whole.y.scale) {
            if scale.is_infinite() {
                *scale = *of_all;
            }
        }
        Part { scaling, test: data.select(&split.test), train, units: whole.y.scale.clone() }
    }

    /// Mean squared error on the test rows as the device computes them: settings that look best in `f64` can have
    /// coefficients so large that `f32` loses more than they gain. Infinite where a model cannot go to the device.
    fn error(&self, candidate: &MethodConfig, seed: u64, observer: &dyn Observer) -> Result<f64, FitError> {
        let expansion = candidate.method().fit(&self.scaling.apply(&self.train), seed, observer)?;
        let model = Model::new(candidate.name(), expansion, self.scaling.clone(), &self.train);
        let Ok((blob, _)) = export::verified(&model, &self.train) else { return Ok(f64::INFINITY) };
        let predictions: DMatrix<f64> = export::predict(&blob, &self.test.x).cast();
        let in_units = |y: &DMatrix<f64>| DMatrix::from_fn(y.nrows(), y.ncols(), |i, j| y[(i, j)] / self.units[j]);
        Ok(Metrics::of(&in_units(&predictions), &in_units(&self.test.y)).mse)
    }
}

impl Score {
    fn of(errors: &[f64]) -> Score {
        let n = errors.len() as f64;
        let mse = errors.iter().sum::<f64>() / n;
        if !mse.is_finite() {
            return Score { mse: f64::INFINITY, standard_error: f64::INFINITY };
        }
        let variance = errors.iter().map(|e| (e - mse) * (e - mse)).sum::<f64>() / (n - 1.0);
        Score { mse, standard_error: (variance / n).sqrt() }
    }
}
