//! The command `srfm` of the package.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with its name and arguments, and returns its exit code.
#[pyfunction]
pub fn command(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| srfm_cli::main(args))
}
