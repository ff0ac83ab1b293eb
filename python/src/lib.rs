//! The compiled part of the Python package `srfm`: fits on arrays, and models that predict what the device computes.
//!
//! The Python part checks arrays and settings and follows the conventions of scikit-learn.

mod arrays;
mod fit;
mod model;
mod parts;
mod settings;
mod watch;

use pyo3::prelude::*;

#[pymodule]
fn _srfm(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<model::Model>()?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(settings::methods, module)?)?;
    module.add_function(wrap_pyfunction!(settings::cores, module)?)?;
    Ok(())
}
