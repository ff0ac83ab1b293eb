//! Arrays of numpy as matrices.

use nalgebra::DMatrix;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

/// Returns a copy of an array.
pub fn matrix(array: &PyReadonlyArray2<'_, f64>) -> DMatrix<f64> {
    let view = array.as_array();
    DMatrix::from_fn(view.nrows(), view.ncols(), |row, column| view[(row, column)])
}

/// Returns a matrix as an array.
pub fn array<'py, T: numpy::Element + nalgebra::Scalar>(
    py: Python<'py>,
    values: &DMatrix<T>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    // Rows after each other: the transpose, column by column.
    PyArray1::from_slice(py, values.transpose().as_slice()).reshape([values.nrows(), values.ncols()])
}
