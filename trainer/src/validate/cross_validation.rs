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

/// Keeps the folds apart from what the methods draw.
const FOLD_STREAM: u64 = 1;

/// The cross-validated error of one list entry.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Mean over the folds of the mean squared error, in units of the targets' variances over all rows; infinite where a
    /// fold's model cannot go to the device.
    pub mse: f64,
    /// Its standard error, from the spread over the folds.
    pub standard_error: f64,
    /// Mean over the folds of the share of rows that are put into a wrong class; none for quantities.
    pub error_rate: Option<f64>,
}

/// What cross-validation says of one list entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Validated {
    /// Its error.
    pub score: Score,
    /// Half the width of the interval around a prediction of each output, as in [`conformal`]; empty where the targets are
    /// classes, the rows too few, or a fold's model cannot go to the device.
    pub half_widths: Vec<f64>,
}

/// How rows are divided and scaled.
#[derive(Clone, Debug)]
pub struct Folds {
    /// Number of folds.
    pub count: usize,
    /// The scaling and the warps of the inputs.
    pub preprocessing: Preprocessing,
    /// How the device stores the models.
    pub encoding: Encoding,
}

/// Scores every candidate on the same folds of `data` (raw columns; each fold learns its own scaling). Rows of every class
/// are divided evenly among the folds.
///
/// # Errors
/// [`MethodError::TooFewRows`] where there are fewer rows than folds or fewer than two folds are asked for, what
/// [`Preprocessing::check`] says, and what the methods say.
pub fn cross_validate(
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
pub fn validate(
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
    // One fold without a model for the device decides on a candidate, and spares the other folds where it decides on all of a
    // path.
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
            validated.push(Validated { score: Score::of(&errors), half_widths: half_widths(&errors) });
        }
    }
    Ok(validated)
}

/// The half-width of every output from the residuals of all folds.
fn half_widths(errors: &[&Error]) -> Vec<f64> {
    let whole = errors.iter().all(|error| !error.residuals.is_empty());
    let outputs = if whole { errors[0].residuals.len() } else { 0 };
    let of_output = |output: usize| errors.iter().flat_map(|error| error.residuals[output].iter().copied()).collect();
    (0..outputs).map(|output| conformal::half_width(of_output(output))).collect::<Option<_>>().unwrap_or_default()
}

/// The candidates that the device can run, best first; of equals the first. `rows` were divided into folds.
///
/// Quantities go by the mean squared error. Classes go by the error rate where it tells candidates apart, and by the mean
/// squared error among those whose rate is at most half a standard error, `√(p(1 − p) / rows)`, above the lowest p.
/// The rate alone is too coarse on few rows and picks by chance; the squared error alone can prefer settings that fit
/// the indicators closely and decide worse. Half an error, because candidates are compared on the same rows, so that
/// their difference varies less than either rate.
pub fn ranked(scores: &[Score], rows: usize) -> Vec<usize> {
    const ALLOWED: f64 = 0.5;
    let rate = |candidate: usize| scores[candidate].error_rate.unwrap_or(0.0);
    let mut usable: Vec<usize> = (0..scores.len()).filter(|&c| scores[c].mse.is_finite()).collect();
    let lowest = usable.iter().map(|&c| rate(c)).fold(1.0, f64::min);
    let bound = lowest + ALLOWED * (lowest * (1.0 - lowest) / rows as f64).sqrt();
    // Rates that cannot be told from the lowest count as it; sorting is stable.
    let key = |candidate: usize| (rate(candidate).max(bound), scores[candidate].mse);
    usable.sort_by(|&a, &b| key(a).0.total_cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
    usable
}

/// Says that a fold has too few rows in terms of the rows that the caller knows.
fn name_the_fold(error: FitError, rows: usize, folds: usize) -> FitError {
    match error {
        FitError::Method(MethodError::TooFewRows { rows: left, needed, purpose, .. }) => {
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

    /// The error of every candidate; they differ in λ alone.
    fn errors(&self, path: &[MethodConfig], encoding: Encoding, run: &Run<'_>) -> Result<Vec<Error>, FitError> {
        let expansions = MethodConfig::fit_path(path, &self.scaling.apply(&self.train), run)?;
        path.iter()
            .zip(expansions)
            .map(|(candidate, expansion)| Ok(self.error(candidate, encoding, expansion)))
            .collect()
    }

    /// The error on the test rows as the device computes them: settings that look best in `f64` can have coefficients so
    /// large that its numbers lose more than they gain.
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

/// The absolute values of every column.
fn absolute(residuals: DMatrix<f64>) -> Vec<Vec<f64>> {
    residuals.column_iter().map(|column| column.iter().map(|residual| residual.abs()).collect()).collect()
}

/// What a model gets wrong in a fold.
#[derive(Clone, Serialize, Deserialize)]
struct Error {
    mse: f64,
    error_rate: Option<f64>,
    /// Absolute residuals of the rows left out, one list an output; empty where there are none.
    residuals: Vec<Vec<f64>>,
}

impl Validated {
    /// The mean over several divisions of the same rows. Scores of them differ less than those of other rows would: their
    /// standard errors are not independent, and no smaller together.
    pub(crate) fn mean<'a>(divisions: impl Iterator<Item = &'a Validated> + Clone) -> Validated {
        let n = divisions.clone().count() as f64;
        let mean = |value: &dyn Fn(&Validated) -> f64| divisions.clone().map(value).sum::<f64>() / n;
        let error_rate = divisions.clone().map(|v| v.score.error_rate).sum::<Option<f64>>().map(|sum| sum / n);
        let (mse, standard_error) = (mean(&|v| v.score.mse), mean(&|v| v.score.standard_error));
        let outputs = divisions.clone().map(|v| v.half_widths.len()).min().unwrap_or(0);
        let half_widths = (0..outputs).map(|output| mean(&|v| v.half_widths[output])).collect();
        Validated { score: Score { mse, standard_error, error_rate }, half_widths }
    }
}

impl Error {
    /// Of a model that cannot go to the device.
    const INFINITE: Error = Error { mse: f64::INFINITY, error_rate: None, residuals: Vec::new() };
}

impl Score {
    /// What candidates are compared by: the error rate of classes, else the mean squared error.
    pub fn loss(&self) -> f64 {
        self.error_rate.unwrap_or(self.mse)
    }

    /// How far two losses may be apart by chance: a standard error.
    pub fn allowance(&self, rows: usize) -> f64 {
        self.error_rate.map_or(self.standard_error, |rate| (rate * (1.0 - rate) / rows as f64).sqrt())
    }

    fn of(errors: &[&Error]) -> Score {
        let n = errors.len() as f64;
        let mse = errors.iter().map(|e| e.mse).sum::<f64>() / n;
        if !mse.is_finite() {
            return Score { mse: f64::INFINITY, standard_error: f64::INFINITY, error_rate: None };
        }
        let variance = errors.iter().map(|e| (e.mse - mse) * (e.mse - mse)).sum::<f64>() / (n - 1.0);
        let error_rate = errors.iter().map(|e| e.error_rate).sum::<Option<f64>>().map(|sum| sum / n);
        Score { mse, standard_error: (variance / n).sqrt(), error_rate }
    }
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

    #[test]
    fn classes_go_by_the_error_rate_where_it_tells() {
        let score = |mse, error_rate| Score { mse, standard_error: 0.0, error_rate };
        let quantities = [score(0.3, None), score(f64::INFINITY, None), score(0.2, None), score(0.3, None)];
        assert_eq!(ranked(&quantities, 100), [2, 0, 3]);
        // A standard error of 0.04 for a rate of 0.2: rates up to 0.22 are as good.
        let classes = [(0.1, 0.23), (0.4, 0.2), (0.3, 0.219), (f64::INFINITY, 0.0), (0.5, 0.22)];
        let classes = classes.map(|(mse, rate)| score(mse, Some(rate)));
        assert_eq!(ranked(&classes, 100), [2, 1, 4, 0]);
        assert_eq!(ranked(&classes, 1_000_000), [1, 2, 4, 0]);
    }
}
