//! The request of a fit, which arrives as JSON.

use std::sync::Arc;

use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use pyo3::pyfunction;
use serde_json::Value;

use srfm_trainer::cost::{Board, Core};
use srfm_trainer::data::Split;
use srfm_trainer::method::METHODS;
use srfm_trainer::request::{Device, Request};

/// Reads a request from JSON. The folds of the caller take the place of those of the request, unless there are none.
pub fn request(text: &str, folds: Vec<Split>) -> PyResult<Request> {
    // Read in two steps: an error of the second one has no place in the text, which users do not know.
    let value: Value = serde_json::from_str(text).map_err(refused)?;
    let mut request: Request = serde_json::from_value(value).map_err(refused)?;
    if !folds.is_empty() {
        request.given = Some(Arc::from(folds));
    }
    Ok(request)
}

fn refused(error: serde_json::Error) -> pyo3::PyErr {
    PyValueError::new_err(error.to_string())
}

/// The names of the methods.
#[pyfunction]
pub fn methods() -> Vec<&'static str> {
    METHODS.iter().map(|method| method.name).collect()
}

/// The names of the cores.
#[pyfunction]
pub fn cores() -> Vec<String> {
    Core::ALL.map(|core| core.to_string()).to_vec()
}

/// The names of the boards.
#[pyfunction]
pub fn boards() -> Vec<&'static str> {
    Board::all().map(Board::name).collect()
}

/// The core, the way of deployment and the clock in hertz of a device, which arrives as JSON.
#[pyfunction]
pub fn device(text: &str) -> PyResult<(String, &'static str, Option<f64>)> {
    let device: Device = serde_json::from_str(text).map_err(refused)?;
    Ok((device.core().to_string(), device.deploy().name(), device.clock()))
}
