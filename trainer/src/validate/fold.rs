//! One fold: a fit, and its errors on the rows that it did not see. Workers take folds as bytes.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use srfm_runtime::format::USUAL_SLOPE;

use crate::data::{Dataset, Split, decide};
use crate::error::FitError;
use crate::export::{self, Encoding};
use crate::method::{MethodConfig, as_json};
use crate::model::{Expansion, Model};
use crate::run::Run;
use crate::scaling::{Preprocessing, Scaling};
use crate::validate::certainty::probabilities;
use crate::validate::score::{FoldError, Metrics};

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

    /// Returns the error of every candidate. The candidates share a fit.
    pub fn errors(&self, path: &[MethodConfig], encoding: Encoding, run: &Run<'_>) -> Result<Vec<FoldError>, FitError> {
        let expansions = MethodConfig::fit_together(path, &self.scaling.apply(&self.train), run)?;
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
        let weights = self.test.row_weights();
        let roots = self.test.root_weights();
        let in_units = |y: &DMatrix<f64>| {
            DMatrix::from_fn(y.nrows(), y.ncols(), |i, j| roots.get(i).unwrap_or(&1.0) * y[(i, j)] / self.units[j])
        };
        let has_classes = !self.test.classes.is_empty();
        let error_rate = has_classes.then(|| error_rate(&predictions, &self.test));
        let residuals = columns(&predictions - &self.test.y);
        // Scores of classes are no estimates of their indicators, but say how probable the classes are.
        let estimates = if has_classes { shares(&predictions) } else { predictions.clone() };
        FoldError {
            standardised_mse: Metrics::from_predictions(&in_units(&estimates), &in_units(&self.test.y)).mse,
            mse: Metrics::weighted(&predictions, &self.test.y, &weights).mse,
            error_rate,
            residuals,
        }
    }
}

/// Returns the share of rows whose scores (n×k) decide for another class than theirs, each by what its errors count.
fn error_rate(scores: &DMatrix<f64>, rows: &Dataset) -> f64 {
    let weights = rows.row_weights();
    let wrong = decide(scores).into_iter().zip(decide(&rows.y)).map(|(found, class)| found != class);
    let counted = wrong.enumerate().filter(|(_, wrong)| *wrong).map(|(row, _)| weights.get(row).unwrap_or(&1.0));
    counted.sum::<f64>() / scores.nrows() as f64
}

/// Returns the probabilities of classes by scores (n×k), one column for two classes, before any calibration.
fn shares(scores: &DMatrix<f64>) -> DMatrix<f64> {
    let all = probabilities(scores, USUAL_SLOPE.into());
    if scores.ncols() == 1 { all.columns(1, 1).into_owned() } else { all }
}

/// Returns the columns as lists.
fn columns(residuals: DMatrix<f64>) -> Vec<Vec<f64>> {
    residuals.column_iter().map(|column| column.iter().copied().collect()).collect()
}

/// A fold to fit with methods that share a fit.
#[derive(Serialize, Deserialize)]
pub(crate) struct FoldTask {
    #[serde(with = "as_json")]
    path: Vec<MethodConfig>,
    split: Split,
    preprocessing: Preprocessing,
    encoding: Encoding,
    seed: u64,
}

impl FoldTask {
    /// The first byte of a task.
    pub const KIND: u8 = 0;

    /// Returns the errors of the methods; none if the fold cannot be fitted.
    pub fn run(&self, data: &Dataset) -> Option<Vec<FoldError>> {
        let FoldTask { path, split, preprocessing, encoding, seed } = self;
        let run = Run::new(*seed).with_threads(1);
        let part = Part::of(data, split, preprocessing, &preprocessing.learn(data));
        run.install(|run| part.errors(path, *encoding, run)).ok()
    }
}

/// Returns the errors of folds that workers fitted. None stands for a fold that is to be fitted here: all folds where
/// there are no workers, and those that no worker could fit.
///
/// # Errors
/// [`FitError::Interrupted`].
pub(crate) fn fold_errors(
    work: &[(&[MethodConfig], &Split)],
    data: &Dataset,
    (preprocessing, encoding): (&Preprocessing, Encoding),
    run: &Run<'_>,
) -> Result<Vec<Option<Vec<FoldError>>>, FitError> {
    let nothing = || Ok(vec![None; work.len()]);
    let Some(workers) = run.workers() else { return nothing() };
    let Some(table) = data.to_bytes() else { return nothing() };
    let task = |(path, split): &(&[MethodConfig], &Split)| {
        let path = path.to_vec();
        let split = (*split).clone();
        let preprocessing = preprocessing.clone();
        let task = FoldTask { path, split, preprocessing, encoding, seed: run.seed() };
        postcard::to_stdvec(&(FoldTask::KIND, task)).expect("memory takes any length")
    };
    let found = workers.map(&table, work.iter().map(task).collect()).ok_or(FitError::Interrupted)?;
    let errors = |bytes: &Vec<u8>| postcard::from_bytes::<Option<Vec<FoldError>>>(bytes).ok().flatten();
    Ok((0..work.len()).map(|place| errors(found.get(place)?)).collect())
}
