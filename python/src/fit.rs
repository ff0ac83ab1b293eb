//! Fits on arrays.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use srfm_trainer::data::{Description, History, Preparation, Split};
use srfm_trainer::search::{Found, search};
use srfm_trainer::{Dataset, Fit, FitConfig, FitError, Observer, Run, fit_within};

use crate::arrays::matrix;
use crate::message::{text, value_error};
use crate::model::Model;
use crate::settings::{Settings, Task};
use crate::watch::watched;
use crate::workers::Cluster;

/// Numbers of rows, from 0.
type Rows<'py> = PyReadonlyArray1<'py, i64>;

/// Fits a model to inputs (n×d) and targets (n×k) in `float64`.
///
/// Returns the model and a report as JSON. `names` are those of inputs, targets and classes. `progress` is called with
/// the finished and all pieces of work. `folds` are pairs of training and test rows; the settings divide the rows where
/// there are none. `workers` take a table and tasks of [`work`](crate::workers::work), and return the results.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of a function of Python")]
#[pyo3(signature = (x, y, names, groups, folds, settings, progress=None, workers=None))]
pub fn fit(
    py: Python<'_>,
    x: PyReadonlyArray2<'_, f64>,
    y: PyReadonlyArray2<'_, f64>,
    names: (Vec<String>, Vec<String>, Vec<String>),
    groups: Vec<usize>,
    folds: Vec<(Rows<'_>, Rows<'_>)>,
    settings: &str,
    progress: Option<&Bound<'_, PyAny>>,
    workers: Option<Py<PyAny>>,
) -> PyResult<(Model, String)> {
    let rows = |part: &Rows<'_>| part.as_array().iter().map(|&row| row as usize).collect();
    let folds = folds.iter().map(|(train, test)| Split { train: rows(train), test: rows(test) }).collect();
    let settings = Settings::read(settings)?.with_folds(folds);
    let (input_names, targets, classes) = names;
    let output_names = output_names(&targets, &classes);
    let (x, y, history) = (matrix(&x), matrix(&y), History::default());
    let mut data = Dataset { x, y, input_names, output_names, classes, groups, history };
    let preparation = Preparation::default().with("missing", settings.missing());
    let preparation = preparation.map_err(|error| value_error(&error))?;
    let mut description = Description::from_dataset(&data, targets, &preparation);
    description.replace_missing(&mut data, None);
    let settings = settings.with_replacements(description.replacements());
    let cluster = Cluster::of(workers);
    let fitted = watched(py, progress, |observer| fitted(&data, &settings, observer, cluster.as_ref()))?;
    Cluster::check(cluster.as_ref())?;
    let (fit, _, report) = fitted.map_err(PyValueError::new_err)?;
    Ok((Model::of(fit.blob, Some(description)), report.to_string()))
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

/// Returns the fit, its settings and its report, or the sentence that says why there is none.
pub fn fitted(
    data: &Dataset,
    settings: &Settings,
    observer: &dyn Observer,
    cluster: Option<&Cluster>,
) -> Result<(Fit, FitConfig, Value), String> {
    let run = Run::new(settings.seed).with_threads(settings.threads).with_observer(observer);
    let run = cluster.map_or(run, |cluster| run.with_workers(cluster));
    let said = |error: FitError| text(&error);
    match settings.task(data)? {
        Task::Fit(config, budget) => {
            let fit = fit_within(data, &config, &budget, &run).map_err(said)?;
            let report = report(&fit, Value::Null);
            Ok((fit, *config, report))
        }
        Task::Search(config) => {
            let found = search(data, &config, &run).map_err(said)?;
            let report = report(&found.fit, searched(&found));
            let fitted = config.fit.with_method(found.fit.chosen.clone());
            Ok((found.fit, fitted, report))
        }
    }
}

/// Returns what the search did.
fn searched(found: &Found) -> Value {
    let with_features = found.trials.iter().filter(|trial| trial.features > 0).count();
    json!({
        "candidates": found.trials.len(),
        "with_features": with_features,
        "rows": found.rows,
        "complete": found.complete,
    })
}

/// Returns what a fit chose, as JSON.
pub fn report(fit: &Fit, search: Value) -> Value {
    let score = fit.score();
    let settings = fit.chosen.tunable();
    json!({
        "method": fit.chosen.name(),
        "order": settings.order,
        "lambda": settings.lambda,
        "scale": settings.scale,
        "validation": score,
        "device_difference": fit.agreement.largest,
        "importance": fit.model.importance.iter().map(|importance| importance.share).collect::<Vec<f64>>(),
        "search": search,
    })
}
