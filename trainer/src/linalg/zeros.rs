//! Matrices of zeros.

use nalgebra::DMatrix;

/// Returns a matrix of zeros.
///
/// The operating system clears its pages when they are first written to. nalgebra's own function would clear them
/// twice.
pub fn zeros(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_vec(rows, columns, vec![0.0; rows * columns])
}
