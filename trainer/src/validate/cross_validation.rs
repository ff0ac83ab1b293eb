//! k-fold cross-validation of any list of methods, in the device's arithmetic.

use std::sync::atomic::{AtomicBool, Ordering};

use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::data::split::{Split, k_fold, stratified_k_fold};
use crate::error::FitError;
use crate::export::{self, Encoding};
use crate::method::{MethodConfig, MethodError};
use crate::model::{Expansion, Model};
use crate::run::{Parts, Run};
use crate::sampling::Sampler;
use crate::scaling::{Preprocessing, Scaling};
use crate::validate::conformal;
use crate::validate::metrics::{Evaluation, Metrics};
use crate::validate::score::{Score, Validated};

/// Keeps the folds apart from what the methods draw.
const FOLD_STREAM: u64 = 1;

/// How rows are divided into folds, and how the models of the folds are preprocessed and encoded.
#[derive(Clone, Debug)]
pub(crate) struct Folds {
    /// Number of folds.
    pub count: usize,
    /// The scaling and the warps of the inputs.
    pub preprocessing: Preprocessing,
    /// How the device stores the models.
    pub encoding: Encoding,
}

/// Scores every candidate on the same folds of `data` (raw columns; each fold learns its own scaling). Rows of every
/// class are divided evenly among the folds.
///
/// # Errors
/// [`MethodError::TooFewRows`] where there are fewer rows than folds or fewer than two folds are asked for, what
/// [`Preprocessing::check`] says, and what the methods say.
pub(crate) fn cross_validate(
    candidates: &[MethodConfig],
    data: &Dataset,
    folds: &Folds,
    run: &Run<'_>,
) -> Result<Vec<Score>, FitError> {
    let validated = validate(candidates, data, folds, run)?;
    Ok(validated.into_iter().map(|validated| validated.score).collect())
}

/// As [`cross_validate`], with intervals around predictions.
///
/// # Errors
/// As [`cross_validate`].
pub(crate) fn validate(
    candidates: &[MethodConfig],
    data: &Dataset,
    &Folds { count: folds, ref preprocessing, encoding }: &Folds,
    run: &Run<'_>,
) -> Result<Vec<Validated>, FitError> {
    if folds < 2 {
        return Err(MethodError::Setting { setting: "folds", range: "at least 2", value: folds as f64 }.into());
    }
    if data.rows() < folds {
        return Err(MethodError::TooFewRows {
            rows: data.rows(),
            needed: folds,
            purpose: "cross-validation",
            advice: "add rows, lower `folds` or set `lambda` and `order`, which need no cross-validation",
        }
        .into());
    }
    preprocessing.check(data)?;
    let mut sampler = Sampler::stream(run.seed(), FOLD_STREAM);
    let splits = match data.members() {
        Some(members) => stratified_k_fold(&members, folds, &mut sampler),
        None => k_fold(data.rows(), folds, &mut sampler),
    };
    let whole = preprocessing.learn(data);

    // Candidates that follow each other and differ in λ alone share most of a fit.
    let paths: Vec<&[MethodConfig]> = candidates.chunk_by(MethodConfig::differs_in_lambda_alone).collect();
    let work: Vec<(&[MethodConfig], &Split)> =
        paths.iter().flat_map(|&path| splits.iter().map(move |split| (path, split))).collect();
    let pieces = Parts::new(run, work.iter().map(|(path, _)| path.len()).collect());
    // One fold whose models the device cannot hold rules out a path; the other folds are then skipped.
    let lost: Vec<AtomicBool> = paths.iter().map(|_| AtomicBool::new(false)).collect();
    let errors = |(piece, (path, split)): (usize, &(&[MethodConfig], &Split))| -> Result<Vec<Error>, FitError> {
        if let Some(errors) = pieces.result(piece) {
            return Ok(errors);
        }
        let lost = &lost[piece / folds];
        let errors = if lost.load(Ordering::Relaxed) {
            vec![Error::INFINITE; path.len()]
        } else {
            // The rows are copied only now: all folds together are many times the data.
            let errors = Part::of(data, split, preprocessing, &whole).errors(path, encoding, &pieces.part(piece));
            errors.map_err(|error| name_the_fold(error, data.rows(), folds))?
        };
        lost.fetch_or(errors.iter().all(|error| error.mse.is_infinite()), Ordering::Relaxed);
        pieces.finish(piece, &errors);
        Ok(errors)
    };
    let errors: Vec<Vec<Error>> = work.par_iter().enumerate().map(errors).collect::<Result<_, _>>()?;
    let mut validated = Vec::with_capacity(candidates.len());
    for folds in errors.chunks_exact(folds) {
        for candidate in 0..folds[0].len() {
            let errors: Vec<&Error> = folds.iter().map(|errors| &errors[candidate]).collect();
            validated.push(Validated { score: score(&errors), half_widths: half_widths(&errors) });
        }
    }
    Ok(validated)
}

/// Returns the score of the errors in all folds.
fn score(errors: &[&Error]) -> Score {
    Score::over_folds(&errors.iter().map(|error| (error.mse, error.error_rate)).collect::<Vec<_>>())
}

/// Returns the half-width of every output from the residuals of all folds.
fn half_widths(errors: &[&Error]) -> Vec<f64> {
    let whole = errors.iter().all(|error| !error.residuals.is_empty());
    let outputs = if whole { errors[0].residuals.len() } else { 0 };
    let of_output = |output: usize| errors.iter().flat_map(|error| error.residuals[output].iter().copied()).collect();
    (0..outputs).map(|output| conformal::half_width(of_output(output))).collect::<Option<_>>().unwrap_or_default()
}

/// Restates the lack of rows in a fold in terms of all rows.
fn name_the_fold(error: FitError, rows: usize, folds: usize) -> FitError {
    match error {
        FitError::Method(MethodError::TooFewRows { rows: left, needed, purpose, .. }) => {
            FitError::TooFewRowsInFold { rows, folds, left, needed, purpose }
        }
        error => error,
    }
}

/// One fold: rows to fit with their scaling, and rows to test on.
struct Part {
    train: Dataset,
    test: Dataset,
    scaling: Scaling,
    /// Standard deviations of the targets over all rows.
    units: Vec<f64>,
}

impl Part {
    /// `whole` is the scaling of all rows. A target that happens to be constant in the rows to fit has no scale of its
    /// own and takes that one: it is then fitted by its constant.
    fn of(data: &Dataset, split: &Split, preprocessing: &Preprocessing, whole: &Scaling) -> Part {
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
    fn errors(&self, path: &[MethodConfig], encoding: Encoding, run: &Run<'_>) -> Result<Vec<Error>, FitError> {
        let expansions = MethodConfig::fit_path(path, &self.scaling.apply(&self.train), run)?;
        path.iter()
            .zip(expansions)
            .map(|(candidate, expansion)| Ok(self.error(candidate, encoding, expansion)))
            .collect()
    }

    /// Returns the error on the test rows in the device's arithmetic. Settings that look best in `f64` can have
    /// coefficients so large that rounding costs more than they gain.
    fn error(&self, candidate: &MethodConfig, encoding: Encoding, expansion: Expansion) -> Error {
        let model = Model::new(candidate.name(), expansion, self.scaling.clone(), &self.train);
        let blob = match export::finished(model, &self.train, encoding) {
            Ok(exported) => exported.blob,
            Err(_) => return Error::INFINITE,
        };
        let predictions: DMatrix<f64> = export::predict(&blob, &self.test.x).cast();
        let in_units = |y: &DMatrix<f64>| DMatrix::from_fn(y.nrows(), y.ncols(), |i, j| y[(i, j)] / self.units[j]);
        let (error_rate, residuals) = match Evaluation::of(&predictions, &self.test) {
            Evaluation::Classes(metrics) => (Some(metrics.error_rate), Vec::new()),
            Evaluation::Quantities { .. } => (None, absolute(&predictions - &self.test.y)),
        };
        Error { mse: Metrics::of(&in_units(&predictions), &in_units(&self.test.y)).mse, error_rate, residuals }
    }
}

/// Returns the absolute values of every column.
fn absolute(residuals: DMatrix<f64>) -> Vec<Vec<f64>> {
    residuals.column_iter().map(|column| column.iter().map(|residual| residual.abs()).collect()).collect()
}

/// The error of a model in a fold.
#[derive(Clone, Serialize, Deserialize)]
struct Error {
    mse: f64,
    error_rate: Option<f64>,
    /// Absolute residuals of the rows left out, one list an output; empty where there are none.
    residuals: Vec<Vec<f64>>,
}

impl Error {
    /// The error of a model that the device cannot hold.
    const INFINITE: Error = Error { mse: f64::INFINITY, error_rate: None, residuals: Vec::new() };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Task;
    use crate::run::Run;

    #[test]
    fn candidates_score_together_as_they_do_alone() {
        let data = Task::Friedman2.generate(300, 125.0, 1);
        let small = MethodConfig::named("harfe").unwrap().tuned(|t| t.features = 20);
        let tuned = |(order, lambda)| small.clone().tuned(|t| (t.order, t.lambda) = (Some(order), Some(lambda)));
        let candidates = [(1, 1e-2), (1, 1e-1), (1, 1.0), (2, 1e-2), (2, 1e-1)].map(tuned);
        let folds = Folds { count: 3, preprocessing: Preprocessing::default(), encoding: Encoding::default() };
        for seed in 0..3 {
            let together = cross_validate(&candidates, &data, &folds, &Run::new(seed)).unwrap();
            for (candidate, score) in candidates.iter().zip(together) {
                let alone = cross_validate(std::slice::from_ref(candidate), &data, &folds, &Run::new(seed)).unwrap()[0];
                // Other products in between, the same model but for rounding, which f32 on the device enlarges to 1e-7.
                // Both may be infinite: too large coefficients for f32.
                let same = score.mse == alone.mse || (score.mse / alone.mse - 1.0).abs() < 1e-5;
                assert!(same, "{seed} {candidate:?} {score:?} {alone:?}");
            }
        }
    }
}
