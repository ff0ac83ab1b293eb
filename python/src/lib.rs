//! The compiled part of the Python package: fits on arrays, and models that predict what the device
//! computes.
//!
//! The package brings the command `srfm` along.
//!
//! The Python part checks arrays and settings and follows the conventions of scikit-learn.

mod arrays;
mod command;
mod fit;
mod log;
mod message;
mod model;
mod page;
mod parts;
mod pipeline;
mod refit;
mod settings;
mod watch;
mod workers;

use pyo3::prelude::*;

#[pymodule]
fn _srfm_mcu(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<model::Model>()?;
    module.add_class::<refit::Features>()?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_function(wrap_pyfunction!(pipeline::cosines, module)?)?;
    module.add_function(wrap_pyfunction!(page::page, module)?)?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(log::fit_log, module)?)?;
    module.add_function(wrap_pyfunction!(log::inputs_of_log, module)?)?;
    module.add_function(wrap_pyfunction!(log::evaluated_log, module)?)?;
    module.add_function(wrap_pyfunction!(log::page_of_log, module)?)?;
    module.add_function(wrap_pyfunction!(refit::sample, module)?)?;
    module.add_function(wrap_pyfunction!(refit::span, module)?)?;
    module.add_function(wrap_pyfunction!(settings::methods, module)?)?;
    module.add_function(wrap_pyfunction!(settings::cores, module)?)?;
    module.add_function(wrap_pyfunction!(settings::boards, module)?)?;
    module.add_function(wrap_pyfunction!(settings::device, module)?)?;
    module.add_function(wrap_pyfunction!(workers::work, module)?)?;
    Ok(())
}
