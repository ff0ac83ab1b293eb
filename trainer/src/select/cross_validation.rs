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
    /// Mean over the folds of the mean squared error, in units of the targets' variances.
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
    let parts: Vec<Part> = splits.iter().map(|split| Part::of(data, split)).collect();

    let total = candidates.len() * folds;
    let done = AtomicUsize::new(0);
    let error = |work: usize| -> Result<f64, FitError> {
        let error = parts[work % folds].error(&candidates[work / folds], seed, observer)?;
        observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
        Ok(error)
    };
    let errors: Vec<f64> = (0..total).into_par_iter().map(error).collect::<Result<_, _>>()?;
    Ok(errors.chunks_exact(folds).map(Score::of).collect())
}

/// One fold: rows to fit, with their scaling, and rows to test on.
struct Part {
    train: Dataset,
    test: Dataset,
    scaling: Scaling,
}

impl Part {
    fn of(data: &Dataset, split: &Split) -> Part {
        let train = data.select(&split.train);
        Part { scaling: Scaling::of(&train), test: data.select(&split.test), train }
    }

    /// Mean squared error on the test rows as the device computes them: settings that look best in `f64` can have
    /// coefficients so large that `f32` loses more than they gain. Infinite where a model cannot be exported at all.
    fn error(&self, candidate: &MethodConfig, seed: u64, observer: &dyn Observer) -> Result<f64, FitError> {
        let expansion = candidate.method().fit(&self.scaling.apply(&self.train), seed, observer)?;
        let model = Model::new(candidate.name(), expansion, self.scaling.clone(), &self.train);
        let Ok(blob) = export::export(&model) else { return Ok(f64::INFINITY) };
        let predictions = export::predict(&blob, &self.test.x).cast();
        let scaled = |y: &DMatrix<f64>| self.scaling.y.apply(y);
        Ok(Metrics::of(&scaled(&predictions), &scaled(&self.test.y)).mse)
    }
}

impl Score {
    fn of(errors: &[f64]) -> Score {
        let n = errors.len() as f64;
        let mse = errors.iter().sum::<f64>() / n;
        let variance = errors.iter().map(|e| (e - mse) * (e - mse)).sum::<f64>() / (n - 1.0);
        Score { mse, standard_error: (variance / n).sqrt() }
    }
}
