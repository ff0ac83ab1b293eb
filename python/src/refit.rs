//! Fits to the rows of many machines: features from a sample, and sums over rows wherever they are.

use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use srfm_trainer::data::{Description, History, Preparation, sample_rows};
use srfm_trainer::refit::{Residuals, Sums};
use srfm_trainer::request::Request;
use srfm_trainer::{Dataset, FitError};

use crate::arrays::matrix;
use crate::fit::{Fitted, fitted, report};
use crate::message::value_error;
use crate::model::Model;
use crate::settings::request;
use crate::watch::watched;
use crate::workers::Cluster;

/// The features of a fit to a sample. All sums are bytes, which travel between machines.
#[pyclass(frozen, module = "srfm_mcu._srfm_mcu")]
pub struct Features {
    features: srfm_trainer::refit::Features,
    report: String,
    /// The number of features; 0 where they were read.
    count: usize,
}

#[pymethods]
impl Features {
    /// Reads what `bytes` wrote.
    #[new]
    fn new(bytes: &[u8]) -> PyResult<Features> {
        let features = srfm_trainer::refit::Features::from_bytes(bytes);
        let features = features.map_err(|error| PyValueError::new_err(format!("the text of features {error}")))?;
        Ok(Features { features, report: String::new(), count: 0 })
    }

    /// Fits a sample (n×d and n×k) as `fit` does, and keeps the features.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the arguments of a function of Python")]
    #[pyo3(signature = (x, y, names, settings, threads=0, progress=None, workers=None))]
    fn of(
        py: Python<'_>,
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray2<'_, f64>,
        names: (Vec<String>, Vec<String>),
        settings: &str,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
        workers: Option<Py<PyAny>>,
    ) -> PyResult<Features> {
        let request = Request { refits: true, ..request(settings, Vec::new())? };
        let (input_names, output_names) = names;
        let data = Dataset {
            x: matrix(&x),
            y: matrix(&y),
            input_names,
            output_names,
            classes: Vec::new(),
            weights: Vec::new(),
            groups: Vec::new(),
            history: History::default(),
        };
        let rows = request.rows(data).map_err(|error| value_error(&error))?;
        let cluster = Cluster::of(workers);
        let fitted = watched(py, progress, |observer| fitted(&rows, &request, threads, observer, cluster.as_ref()))?;
        Cluster::check(cluster.as_ref())?;
        let Fitted { fit, config, report } = fitted.map_err(PyValueError::new_err)?;
        let features = srfm_trainer::refit::Features::from_fit(&fit, &rows.train, &config);
        Ok(Features { features, report: report.to_string(), count: fit.chosen.tunable().features })
    }

    /// The features as bytes.
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.features.to_bytes())
    }

    /// What the fit to the sample chose, as JSON.
    fn report(&self) -> &str {
        &self.report
    }

    /// The number of features of the fit to the sample.
    fn count(&self) -> usize {
        self.count
    }

    /// The sums over rows.
    fn sums<'py>(
        &self,
        py: Python<'py>,
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (x, y) = (matrix(&x), matrix(&y));
        Ok(PyBytes::new(py, &on_one_thread(py, || self.features.sums(&x, &y).to_bytes(&self.features))))
    }

    /// The sums over two successive parts.
    fn merge<'py>(&self, py: Python<'py>, first: &[u8], second: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let merged = on_one_thread(py, || {
            let mut sums = self.read(first)?;
            sums.merge(self.read(second)?);
            Ok::<_, PyErr>(sums.to_bytes(&self.features))
        });
        Ok(PyBytes::new(py, &merged?))
    }

    /// The places and errors of every `shares`-th ridge parameter, from number `share` on.
    fn errors(&self, py: Python<'_>, sums: &[u8], share: usize, shares: usize) -> PyResult<Vec<(usize, f64)>> {
        on_one_thread(py, || self.features.errors(&self.read(sums)?, share, shares).map_err(said))
    }

    /// The amplitudes of both halves of the rows and of all, for the errors of all ridge parameters.
    fn solve<'py>(&self, py: Python<'py>, sums: &[u8], errors: Vec<(usize, f64)>) -> PyResult<Bound<'py, PyBytes>> {
        let solved = on_one_thread(py, || self.features.solve(&self.read(sums)?, &errors).map_err(said))?;
        packed(py, &solved)
    }

    /// How far the amplitudes of each half are off on the other half of rows.
    fn residuals<'py>(
        &self,
        py: Python<'py>,
        solved: &[u8],
        x: PyReadonlyArray2<'_, f64>,
        y: PyReadonlyArray2<'_, f64>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (solved, x, y) = (unpacked(solved)?, matrix(&x), matrix(&y));
        let residuals = on_one_thread(py, || self.features.residuals(&solved, &x, &y));
        packed(py, &residuals)
    }

    /// The residuals of two successive parts.
    #[staticmethod]
    fn merge_residuals<'py>(py: Python<'py>, first: &[u8], second: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let mut residuals: Residuals = unpacked(first)?;
        residuals.merge(unpacked(second)?);
        packed(py, &residuals)
    }

    /// The model of all rows, and its errors as JSON.
    fn finish(&self, solved: &[u8], residuals: &[u8]) -> PyResult<(Model, String)> {
        let (solved, residuals) = (unpacked(solved)?, unpacked(residuals)?);
        let fit = self.features.finish(&solved, Some(&residuals)).map_err(said)?;
        let columns = self.features.columns();
        let description = Description::from_dataset(&columns, columns.output_names.clone(), &Preparation::default());
        let mut report = report(&fit, Value::Null);
        report["rows"] = fit.score().map(|score| score.rows).into();
        // The search is that of the sample.
        report.as_object_mut().map(|entries| entries.remove("search"));
        Ok((Model::of(fit.blob, Some(description)), report.to_string()))
    }
}

impl Features {
    fn read(&self, sums: &[u8]) -> PyResult<Sums> {
        self.features.sums_from_bytes(sums).map_err(|error| PyValueError::new_err(format!("the text of sums {error}")))
    }
}

/// The rows of a sample of `size` of `rows` rows, as the command draws them.
#[pyfunction]
pub fn sample(py: Python<'_>, rows: usize, size: usize, seed: u64) -> Bound<'_, PyArray1<usize>> {
    PyArray1::from_vec(py, sample_rows(rows, size, seed))
}

/// The rows of a span, at whose multiples parts begin.
#[pyfunction]
pub fn span() -> usize {
    Sums::SPAN
}

/// Does work on one thread, without the lock of the interpreter. Dask gives a worker as many tasks at a time as it has
/// threads.
fn on_one_thread<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    py.detach(|| match ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    })
}

fn said(error: FitError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

fn packed<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = postcard::to_stdvec(value).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(PyBytes::new(py, &bytes))
}

fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    postcard::from_bytes(bytes).map_err(|_| PyValueError::new_err("the bytes of amplitudes or residuals are damaged"))
}
