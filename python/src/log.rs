//! Rows that follow each other in time, in the columns that the command reads from a file.

use std::collections::HashMap;

use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;

use srfm_cli::report::check_ram;
use srfm_trainer::Blob;
use srfm_trainer::cost::Deployment;
use srfm_trainer::data::{DataError, Preparation, Prepared, Source, Split, Table, Values};
use srfm_trainer::emulate::footprint;
use srfm_trainer::request::{Deploy, Device};

use crate::arrays::array;
use crate::fit::{Fitted, Numbers, fitted, splits};
use crate::message::{refused, sentence, value_error};
use crate::model::Model;
use crate::page::html;
use crate::settings::request;
use crate::watch::watched;
use crate::workers::Cluster;

/// What messages call the rows and the targets.
const ROWS: &str = "X";
const TARGETS: &str = "y";

/// The name of a column and a text for each row; none where a text is missing.
type Texts = (String, Vec<Option<String>>);

/// Rows of readings (n×c) and the columns beside them, which are attributes of an object.
#[derive(FromPyObject)]
pub struct Log<'py> {
    x: PyReadonlyArray2<'py, f64>,
    /// The names of the readings.
    names: Vec<String>,
    groups: Option<Texts>,
    times: Option<Texts>,
    weights: Option<(String, PyReadonlyArray1<'py, f64>)>,
}

/// The targets of rows.
#[derive(FromPyObject)]
pub enum Targets<'py> {
    /// Quantities (n×k) and their names.
    Quantities(PyReadonlyArray2<'py, f64>, Vec<String>),
    /// The name of the targets and the label of each row.
    Labels(String, Vec<Option<String>>),
}

impl Targets<'_> {
    fn table(&self) -> Result<Table, DataError> {
        match self {
            Targets::Quantities(y, names) => Table::from_columns(TARGETS, names, columns(y)),
            Targets::Labels(name, labels) => {
                Table::from_columns(TARGETS, std::slice::from_ref(name), vec![Values::Texts(labels.clone())])
            }
        }
    }
}

impl Log<'_> {
    /// Returns the columns: the readings with these names, then those beside them. The columns of `targets` are a table
    /// of their own.
    fn source(&self, names: &[String], targets: Option<&Targets<'_>>) -> Result<Source, DataError> {
        let mut names = names.to_vec();
        let mut all = columns(&self.x);
        for (name, texts) in [&self.groups, &self.times].into_iter().flatten() {
            names.push(name.clone());
            all.push(Values::Texts(texts.clone()));
        }
        if let Some((name, weights)) = &self.weights {
            names.push(name.clone());
            all.push(Values::Numbers(weights.as_array().to_vec()));
        }
        let labels = targets.map(Targets::table).transpose()?;
        Ok(Source::new(Table::from_columns(ROWS, &names, all)?, labels, &[]))
    }

    /// Returns the source of rows for a fitted model.
    ///
    /// # Errors
    /// `ValueError` for groups or times of a model without a description, whose inputs have no names.
    fn for_model(&self, model: &Model, targets: Option<&Targets<'_>>) -> PyResult<Source> {
        let beside = [&self.groups, &self.times].map(|texts| texts.as_ref().map(|(name, _)| name.as_str()));
        let Some(description) = model.columns() else {
            if beside.iter().any(Option::is_some) {
                let problem = "the model was read without its description, so that its readings have no names beside \
                               those of groups or times; give the rows of one recording at a time";
                return Err(PyValueError::new_err(problem));
            }
            let source = self.source(&[], targets).map_err(|error| value_error(&error))?;
            let settings = Preparation::default().with("missing", "drop").map_err(|error| value_error(&error))?;
            return Ok(source.with_preparation(settings));
        };
        let source = self.source(&description.readings(), targets).map_err(|error| value_error(&error))?;
        let source = source.with_preparation(description.preparation());
        Ok(source.with_description(Some(description.for_readings(beside[0], beside[1]))))
    }
}

/// Returns the columns of an array.
fn columns(array: &PyReadonlyArray2<'_, f64>) -> Vec<Values> {
    array.as_array().columns().into_iter().map(|column| Values::Numbers(column.to_vec())).collect()
}

/// What a fit on rows in the order of time gives: the model, a report as JSON, a remark on rows that are left out, and
/// one on the folds.
type FitOfLog = (Model, String, Option<String>, Option<String>);

/// Fits a model to rows that follow each other, or have times.
///
/// The report is that of [`fit`](crate::fit::fit) with the numbers of rows that are left out. The request names the
/// columns beside the readings; without targets, it is one of novelty. `folds` are pairs of training and test rows
/// among all rows.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of a function of Python")]
#[pyo3(signature = (log, targets, folds, settings, threads=0, progress=None, workers=None))]
pub fn fit_log(
    py: Python<'_>,
    log: Log<'_>,
    targets: Option<Targets<'_>>,
    folds: Vec<(Numbers<'_>, Numbers<'_>)>,
    settings: &str,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
    workers: Option<Py<PyAny>>,
) -> PyResult<FitOfLog> {
    let mut request = request(settings, Vec::new())?;
    let source = log.source(&log.names, targets.as_ref()).map_err(|error| value_error(&error))?;
    let source = source.with_preparation(request.columns.preparation.clone());
    let prepared = request.prepare(&source).map_err(|error| value_error(&error))?;
    if !folds.is_empty() {
        request.given = Some(of_kept(splits(&folds), &prepared.kept_rows()).into());
    }
    let Prepared { data, description, counts, .. } = prepared;
    let of_folds = request.remark_on_folds(&data).map(|remark| sentence(&remark));
    let rows = request.divide(data, description, counts, false).map_err(|error| value_error(&error))?;
    let cluster = Cluster::of(workers);
    let fitted = watched(py, progress, |observer| fitted(&rows, &request, threads, observer, cluster.as_ref()))?;
    Cluster::check(cluster.as_ref())?;
    let Fitted { fit, mut report, .. } = fitted.map_err(PyValueError::new_err)?;
    check_samples(&fit.blob, &request.device)?;
    report["rows"] = rows.train.rows().into();
    report["data"] = json!(rows.counts);
    Ok((Model::of(fit.blob, Some(rows.description)), report.to_string(), rows.counts.remark(), of_folds))
}

/// Checks that a board has RAM for the samples that a model keeps.
fn check_samples(blob: &Blob, device: &Device) -> PyResult<()> {
    let program = match device.deploy() {
        Deploy::C => footprint(blob, &Deployment::C(device.core())).map_err(|error| value_error(&error))?,
        _ => None,
    };
    check_ram(blob, program.as_ref(), device.board).map_err(refused)
}

/// Returns folds with the numbers of the rows among those that are `kept`; other rows are left out.
fn of_kept(folds: Vec<Split>, kept: &[usize]) -> Vec<Split> {
    let places: HashMap<usize, usize> = kept.iter().enumerate().map(|(place, &row)| (row, place)).collect();
    let moved = |rows: Vec<usize>| rows.iter().filter_map(|row| places.get(row).copied()).collect();
    folds.into_iter().map(|fold| Split { train: moved(fold.train), test: moved(fold.test) }).collect()
}

/// The inputs of a model (n×d), and a value of each row.
type Inputs<'py, T> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<T>>);

/// Returns the inputs of a model (n×d) at every row, and whether a row has a whole history or completes a window. The
/// inputs of other rows are NaN.
#[pyfunction]
pub fn inputs_of_log<'py>(py: Python<'py>, model: &Model, log: Log<'py>) -> PyResult<Inputs<'py, bool>> {
    let prepared = log.for_model(model, None)?.inputs(&model.blob().model());
    let prepared = prepared.map_err(|error| value_error(&error))?;
    let mut ready = vec![true; prepared.data.rows()];
    prepared.waiting().iter().for_each(|&row| ready[row] = false);
    Ok((array(py, &prepared.data.x)?, ready.to_pyarray(py)))
}

/// Returns the inputs of a model (m×d) at the rows that it is evaluated on, and the numbers of these rows.
#[pyfunction]
pub fn evaluated_log<'py>(
    py: Python<'py>,
    model: &Model,
    log: Log<'py>,
    targets: Targets<'py>,
) -> PyResult<Inputs<'py, usize>> {
    let prepared = log.for_model(model, Some(&targets))?.for_model(&model.blob().model());
    let prepared = prepared.map_err(|error| value_error(&error))?;
    Ok((array(py, &prepared.data.x)?, prepared.kept_rows().to_pyarray(py)))
}

/// Returns the page of a model as HTML, as [`page`](crate::page::page) does, with its errors on rows that follow each
/// other.
#[pyfunction]
pub fn page_of_log(model: &Model, title: String, file: String, log: Log<'_>, targets: Targets<'_>) -> PyResult<String> {
    let prepared = log.for_model(model, Some(&targets))?.for_model(&model.blob().model());
    let prepared = prepared.map_err(|error| value_error(&error))?;
    Ok(html(model, title, file, &prepared.data))
}
