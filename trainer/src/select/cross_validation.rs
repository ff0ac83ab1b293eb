//! k-fold cross-validation of any list of methods, in the device's arithmetic.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::data::Dataset;
use crate::data::split::{Split, k_fold};
use crate::export;
use crate::method::{FitError, MethodConfig};
use crate::metrics::Metrics;
use crate::model::{Expansion, Model};
use crate::observer::{Observer, Parts};
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

    // Candidates that follow each other and differ in λ alone share most of a fit.
    let paths: Vec<&[MethodConfig]> = candidates.chunk_by(MethodConfig::differs_in_lambda_alone).collect();
    let work: Vec<(&[MethodConfig], &Part)> =
        paths.iter().flat_map(|&path| parts.iter().map(move |part| (path, part))).collect();
    let pieces = Parts::new(observer, work.iter().map(|(path, _)| path.len()).collect());
    let errors = |(piece, (path, part)): (usize, &(&[MethodConfig], &Part))| -> Result<Vec<f64>, FitError> {
        if let Some(errors) = pieces.result(piece) {
            return Ok(errors);
        }
        let errors = part.errors(path, seed, &pieces.part(piece));
        let errors = errors.map_err(|error| name_the_fold(error, data.rows(), folds))?;
        pieces.finish(piece, &errors);
        Ok(errors)
    };
    let errors: Vec<Vec<f64>> = work.par_iter().enumerate().map(errors).collect::<Result<_, _>>()?;
    let mut scores = Vec::with_capacity(candidates.len());
    for folds in errors.chunks_exact(folds) {
        for candidate in 0..folds[0].len() {
            let errors: Vec<f64> = folds.iter().map(|errors| errors[candidate]).collect();
            scores.push(Score::of(&errors));
        }
    }
    Ok(scores)
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

    /// The error of every candidate; they differ in λ alone.
    fn errors(&self, path: &[MethodConfig], seed: u64, observer: &dyn Observer) -> Result<Vec<f64>, FitError> {
        let expansions = MethodConfig::fit_path(path, &self.scaling.apply(&self.train), seed, observer)?;
        Ok(path.iter().zip(expansions).map(|(candidate, expansion)| self.error(candidate, expansion)).collect())
    }

    /// Mean squared error on the test rows as the device computes them: settings that look best in `f64` can have
    /// coefficients so large that `f32` loses more than they gain. Infinite where a model cannot go to the device.
    fn error(&self, candidate: &MethodConfig, expansion: Expansion) -> f64 {
        let model = Model::new(candidate.name(), expansion, self.scaling.clone(), &self.train);
        let Ok((blob, _)) = export::verified(&model, &self.train) else { return f64::INFINITY };
        let predictions: DMatrix<f64> = export::predict(&blob, &self.test.x).cast();
        let in_units = |y: &DMatrix<f64>| DMatrix::from_fn(y.nrows(), y.ncols(), |i, j| y[(i, j)] / self.units[j]);
        Metrics::of(&in_units(&predictions), &in_units(&self.test.y)).mse
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
        let candidates = [(1, 1e-2), (1, 1e-1), (1, 1.0), (2, 1e-2), (2, 1e-1)].map(tuned);
        for seed in 0..3 {
            let together = cross_validate(&candidates, &data, 3, seed, &Silent).unwrap();
            for (candidate, score) in candidates.iter().zip(together) {
                let alone = cross_validate(std::slice::from_ref(candidate), &data, 3, seed, &Silent).unwrap()[0];
                // Other products in between, the same model but for rounding, which f32 on the device enlarges to 1e-7.
                // Both may be infinite: too large coefficients for f32.
                let same = score.mse == alone.mse || (score.mse / alone.mse - 1.0).abs() < 1e-5;
                assert!(same, "{seed} {candidate:?} {score:?} {alone:?}");
            }
        }
    }
}
