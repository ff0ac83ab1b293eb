//! k-fold cross-validation of any list of methods, in the device's arithmetic.

use std::sync::atomic::{AtomicUsize, Ordering};

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::data::Dataset;
use crate::data::split::{Split, k_fold};
use crate::export;
use crate::method::{FitError, MethodConfig};
use crate::metrics::Metrics;
use crate::model::{Expansion, Model};
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

    // Candidates that follow each other and differ in λ alone share most of a fit.
    let paths: Vec<&[MethodConfig]> = candidates.chunk_by(MethodConfig::differs_in_lambda_alone).collect();
    let work: Vec<(&[MethodConfig], &Part)> =
        paths.iter().flat_map(|&path| parts.iter().map(move |part| (path, part))).collect();
    let done = AtomicUsize::new(0);
    let errors = |(path, part): &(&[MethodConfig], &Part)| -> Result<Vec<f64>, FitError> {
        let errors = part.errors(path, seed, observer)?;
        let done = done.fetch_add(path.len(), Ordering::Relaxed) + path.len();
        observer.progress(done, candidates.len() * folds);
        Ok(errors)
    };
    let errors: Vec<Vec<f64>> = work.par_iter().map(errors).collect::<Result<_, _>>()?;
    let mut scores = Vec::with_capacity(candidates.len());
    for folds in errors.chunks_exact(folds) {
        for candidate in 0..folds[0].len() {
            let errors: Vec<f64> = folds.iter().map(|errors| errors[candidate]).collect();
            scores.push(Score::of(&errors));
        }
    }
    Ok(scores)
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

    /// The error of every candidate; they differ in λ alone.
    fn errors(&self, path: &[MethodConfig], seed: u64, observer: &dyn Observer) -> Result<Vec<f64>, FitError> {
        let expansions = MethodConfig::fit_path(path, &self.scaling.apply(&self.train), seed, observer)?;
        Ok(path.iter().zip(expansions).map(|(candidate, expansion)| self.error(candidate, expansion)).collect())
    }

    /// Mean squared error on the test rows as the device computes them: settings that look best in `f64` can have
    /// coefficients so large that `f32` loses more than they gain. Infinite where a model cannot be exported at all.
    fn error(&self, candidate: &MethodConfig, expansion: Expansion) -> f64 {
        let model = Model::new(candidate.name(), expansion, self.scaling.clone(), &self.train);
        let Ok(blob) = export::export(&model) else { return f64::INFINITY };
        let predictions = export::predict(&blob, &self.test.x).cast();
        let scaled = |y: &DMatrix<f64>| self.scaling.y.apply(y);
        Metrics::of(&scaled(&predictions), &scaled(&self.test.y)).mse
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Task;
    use crate::observer::Silent;

    #[test]
    fn candidates_score_together_as_they_do_alone() {
        let data = Task::Friedman2.generate(300, 125.0, 1);
        let small = MethodConfig::named("harfe").unwrap().tuned(|t| t.features = 20);
        let tuned = |(order, lambda)| small.clone().tuned(|t| (t.order, t.lambda) = (order, Some(lambda)));
        let candidates = [(1, 1e-3), (1, 1e-1), (1, 1.0), (2, 1e-2), (2, 1e-1)].map(tuned);
        for seed in 0..3 {
            let together = cross_validate(&candidates, &data, 3, seed, &Silent).unwrap();
            for (candidate, score) in candidates.iter().zip(together) {
                let alone = cross_validate(std::slice::from_ref(candidate), &data, 3, seed, &Silent).unwrap()[0];
                // Other products in between, the same model but for rounding, which f32 on the device enlarges to 1e-7.
                assert!((score.mse / alone.mse - 1.0).abs() < 1e-5, "{seed} {candidate:?} {score:?} {alone:?}");
            }
        }
    }
}
