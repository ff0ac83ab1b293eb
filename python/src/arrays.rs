//! Arrays of numpy as matrices.

use nalgebra::DMatrix;
use numpy::PyReadonlyArray2;

/// Returns a copy of an array.
pub fn matrix(array: &PyReadonlyArray2<'_, f64>) -> DMatrix<f64> {
    let view = array.as_array();
    DMatrix::from_fn(view.nrows(), view.ncols(), |row, column| view[(row, column)])
}
