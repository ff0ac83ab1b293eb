//! Memory for the values of many frequencies, which is used again.
//!
//! A selection writes to tens of megabytes and reads them for a moment. The operating system would clear every page of
//! them before, and take it back after.

use std::cell::Cell;

use nalgebra::DMatrix;

use crate::linalg::zeros;

/// The most numbers that a thread keeps: 64 MB.
const MOST: usize = 1 << 23;

thread_local! {
    static KEPT: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

/// Returns a matrix that holds any numbers.
pub fn matrix(rows: usize, columns: usize) -> DMatrix<f64> {
    let mut kept = KEPT.take();
    if kept.capacity() < rows * columns {
        return zeros(rows, columns);
    }
    kept.resize(rows * columns, 0.0);
    DMatrix::from_vec(rows, columns, kept)
}

/// Keeps the memory of a matrix for the next one of this thread.
pub fn keep(matrix: DMatrix<f64>) {
    let memory: Vec<f64> = matrix.data.into();
    let other = KEPT.take();
    let larger = if other.capacity() > memory.capacity() { other } else { memory };
    if larger.capacity() <= MOST {
        KEPT.set(larger);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_where_it_is_large_enough() {
        let first = DMatrix::from_element(6, 4, 1.0);
        let address = first.as_ptr();
        keep(first);
        let smaller = matrix(3, 5);
        assert_eq!((smaller.as_ptr(), smaller.shape()), (address, (3, 5)));
        keep(smaller);
        assert_eq!(matrix(5, 5), zeros(5, 5));
        keep(zeros(MOST / 4, 5));
        assert_eq!(KEPT.take().capacity(), 0);
    }
}
