//! Sums over rows: Gram matrices, moments, errors and ranges.
//!
//! Rows are divided into tiles of one size, and successive tiles into spans of one size. A span is summed tile after
//! tile; the sums of spans are merged along a binary tree that depends on the number of rows alone. So the result has
//! the same bits for any number of threads, and for any blocks in which an engine receives the rows. An engine that
//! hands parts of the work out gives away whole subtrees.

mod blocks;
mod memory;
mod statistics;
mod tiles;

use nalgebra::DMatrix;

pub use blocks::InBlocks;
pub use memory::InMemory;
pub use statistics::{InputRanges, Variances};
pub use tiles::{SPAN_ROWS, parts, row_tiles};

/// A quantity that is summed over rows.
pub trait Statistic: Sync {
    /// The sum over some rows.
    type Sum: Send;

    /// Returns the sum over no rows.
    fn zero(&self) -> Self::Sum;

    /// Adds a tile: inputs (r×d) and targets (r×k) of successive rows.
    fn add(&self, sum: &mut Self::Sum, x: &DMatrix<f64>, y: &DMatrix<f64>);

    /// Adds the sum over the rows that follow those of `sum`.
    fn merge(&self, sum: &mut Self::Sum, later: Self::Sum);
}

/// Rows that a quantity can be summed over: the rows in memory, or those that a file or other machines have.
pub trait Rows: Sync {
    /// The reason why rows cannot be read.
    type Error;

    /// Returns the sum of `statistic` over all rows, in the order that the module documentation describes.
    ///
    /// # Errors
    /// The errors of reading the rows.
    fn sum<S: Statistic>(&self, statistic: &S) -> Result<S::Sum, Self::Error>;
}
