//! Pieces of a search on the workers of a cluster.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use srfm_trainer::Workers;

/// A callable object of Python that takes a table and tasks, and returns the results of the tasks. Its `len` is the
/// number of tasks that it does at the same time.
pub struct Cluster {
    map: Py<PyAny>,
    /// What the function raised.
    raised: Mutex<Option<PyErr>>,
}

impl Cluster {
    /// The workers behind a function, if there is one.
    pub fn of(map: Option<Py<PyAny>>) -> Option<Cluster> {
        map.map(|map| Cluster { map, raised: Mutex::new(None) })
    }

    /// Returns an error if the function raised it.
    pub fn check(cluster: Option<&Cluster>) -> PyResult<()> {
        let raised = cluster.and_then(|cluster| cluster.raised.lock().unwrap_or_else(PoisonError::into_inner).take());
        raised.map_or(Ok(()), Err)
    }
}

impl Workers for Cluster {
    fn map(&self, table: &[u8], tasks: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
        Python::attach(|py| {
            let tasks: Vec<_> = tasks.iter().map(|task| PyBytes::new(py, task)).collect();
            let results = self.map.call1(py, (PyBytes::new(py, table), tasks));
            match results.and_then(|results| results.extract(py)) {
                Ok(results) => Some(results),
                Err(error) => {
                    *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    None
                }
            }
        })
    }

    fn count(&self) -> usize {
        Python::attach(|py| self.map.bind(py).len().unwrap_or(1))
    }

    fn are_lost(&self) -> bool {
        self.raised.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Does a task of a search on a table of rows.
#[pyfunction]
pub fn work<'py>(py: Python<'py>, table: &[u8], task: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &py.detach(|| srfm_trainer::search::work(table, task)))
}
