//! Fits on arrays.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use srfm_cli::report::{Described, SearchView};
use srfm_trainer::cost::Budget;
use srfm_trainer::data::{Counts, Description, History, Split, TargetKind};
use srfm_trainer::method::Terms;
use srfm_trainer::request::{Outcome, Request, Rows};
use srfm_trainer::search::{Found, Trial};
use srfm_trainer::validate::Score;
use srfm_trainer::{Dataset, Fit, FitConfig, Observer};

use crate::arrays::matrix;
use crate::message::{text, value_error};
use crate::model::Model;
use crate::settings::request;
use crate::watch::watched;
use crate::workers::Cluster;

/// Numbers of rows, from 0.
pub type Numbers<'py> = PyReadonlyArray1<'py, i64>;

/// Fits a model to inputs (n×d) and targets (n×k) in `float64`.
///
/// Returns the model and a report as JSON. `names` are those of inputs, targets and classes. `weights` are what rows
/// count, above zero; none where they count alike. `progress` is called with the finished and all pieces of work and a
/// line about the best candidates. `folds` are pairs of training and test rows; the request divides the rows where
/// there are none. `workers` take a table and tasks of [`work`](crate::workers::work), and return the results.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of a function of Python")]
#[pyo3(signature = (x, y, names, groups, weights, folds, settings, threads=0, progress=None, workers=None))]
pub fn fit(
    py: Python<'_>,
    x: PyReadonlyArray2<'_, f64>,
    y: PyReadonlyArray2<'_, f64>,
    names: (Vec<String>, Vec<String>, Vec<String>),
    groups: Vec<usize>,
    weights: Vec<f64>,
    folds: Vec<(Numbers<'_>, Numbers<'_>)>,
    settings: &str,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
    workers: Option<Py<PyAny>>,
) -> PyResult<(Model, String)> {
    let request = request(settings, splits(&folds))?;
    let (input_names, targets, classes) = names;
    let output_names = output_names(&targets, &classes);
    let (x, y, history) = (matrix(&x), matrix(&y), History::default());
    let data = Dataset { x, y, input_names, output_names, classes, weights, groups, history };
    let mut description = Description::from_dataset(&data, targets, &request.columns.preparation);
    description.novelty = request.columns.kind == TargetKind::Novelty;
    let rows = request.divide(data, description, Counts::default(), false);
    let rows = rows.map_err(|error| value_error(&error))?;
    let cluster = Cluster::of(workers);
    let fitted = watched(py, progress, |observer| fitted(&rows, &request, threads, observer, cluster.as_ref()))?;
    Cluster::check(cluster.as_ref())?;
    let Fitted { fit, report, .. } = fitted.map_err(PyValueError::new_err)?;
    Ok((Model::of(fit.blob, Some(rows.description)), report.to_string()))
}

/// Returns pairs of training and test rows as the library has them.
pub fn splits(folds: &[(Numbers<'_>, Numbers<'_>)]) -> Vec<Split> {
    let numbers = |part: &Numbers<'_>| part.as_array().iter().map(|&row| row as usize).collect();
    folds.iter().map(|(train, test)| Split { train: numbers(train), test: numbers(test) }).collect()
}

/// Returns the names of the outputs. Scores of classes are named by their classes; two classes share the score of the
/// second.
pub fn output_names(targets: &[String], classes: &[String]) -> Vec<String> {
    match classes {
        [] => targets.to_vec(),
        [_, second] => vec![second.clone()],
        several => several.to_vec(),
    }
}

/// A fit, its settings and its report.
pub struct Fitted {
    pub fit: Fit,
    pub config: FitConfig,
    pub report: Value,
}

/// Returns the fit of a request, or the sentence that says why there is none.
pub fn fitted(
    rows: &Rows,
    request: &Request,
    threads: usize,
    observer: &dyn Observer,
    cluster: Option<&Cluster>,
) -> Result<Fitted, String> {
    let run = request.run().with_threads(threads).with_observer(observer);
    let run = cluster.map_or(run, |cluster| run.with_workers(cluster));
    let plan = request.plan(rows).map_err(|error| text(&error))?;
    let outcome = plan.run(&rows.train, &run).map_err(|error| text(&error))?;
    let search = match &outcome {
        Outcome::Fit(_) => Value::Null,
        Outcome::Found(found) => searched(found, plan.budget()),
    };
    let report = report(outcome.fit(), search);
    let config = plan.config(outcome.fit());
    Ok(Fitted { fit: outcome.into_fit(), config, report })
}

/// Returns what the search did: its candidates by columns, and a picture of their errors and bytes.
fn searched(found: &Found, budget: &Budget) -> Value {
    let names = &found.fit.model.input_names;
    let is_known = |trial: &&Trial| trial.score.standardised_mse.is_finite() && trial.flash_bytes < usize::MAX;
    let known: Vec<&Trial> = found.trials.iter().filter(is_known).collect();
    let column = |of: &dyn Fn(&Trial) -> Value| known.iter().map(|&trial| of(trial)).collect::<Vec<Value>>();
    let with_features = found.trials.iter().filter(|trial| trial.features > 0).count();
    json!({
        "candidates": found.trials.len(),
        "with_features": with_features,
        "rows": found.rows,
        "complete": found.complete,
        "results": {
            "method": column(&|trial| Described::from(trial).name().into()),
            "settings": column(&|trial| Described::from(trial).settings(names).join(", ").into()),
            "number": column(&|trial| trial.candidate.number.name().into()),
            "features": column(&|trial| trial.features.into()),
            "flash_bytes": column(&|trial| trial.flash_bytes.into()),
            "error": column(&|trial| error(trial).into()),
            "estimated": column(&|trial| trial.ruled_out.into()),
            "allowed": column(&|trial| (!trial.over_budget && !trial.ruled_out).into()),
        },
        "picture": SearchView::of(found, budget).figure(),
    })
}

/// Returns the error rate of classes, or the RMSE in standard deviations of the target.
fn error(trial: &Trial) -> f64 {
    trial.score.error_rate.unwrap_or(trial.score.standardised_mse.sqrt())
}

/// Returns the cross-validated errors, with the loss that classes are chosen by.
fn validation(score: &Score) -> Value {
    let mut errors = json!(score);
    errors["loss"] = json!(score.class_loss.map(|of_metric| of_metric.loss));
    errors
}

/// Returns what a fit chose, as JSON.
pub fn report(fit: &Fit, search: Value) -> Value {
    let score = fit.score();
    let settings = fit.chosen.tunable();
    let mut report = json!({
        "method": fit.chosen.name(),
        "order": settings.order,
        "lambda": settings.lambda,
        "scale": settings.scale,
        "metric": score.and_then(|score| score.class_loss).map(|of_metric| of_metric.metric),
        "validation": score.map(validation),
        "device_difference": fit.agreement.largest,
        "raised": fit.raised,
        "penalised": settings.terms == Terms::Ridge,
        "importance": fit.model.importance.iter().map(|importance| importance.share).collect::<Vec<f64>>(),
        "search": search,
    });
    if let Some(false_alarms) = fit.false_alarms {
        report["false_alarms"] = json!(false_alarms);
    }
    report
}
