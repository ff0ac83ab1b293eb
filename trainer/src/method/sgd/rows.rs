//! Rows in single precision and random order.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::data::Dataset;
use crate::method::sgd::gradient::Batch;
use crate::method::sgd::parameters::{Lane, ZERO};
use crate::trig::single::LANES;

/// Rows that are copied together.
const BLOCK: usize = 1024;

/// All rows of a dataset in random order. Successive rows lie together in memory, so that a mini-batch is read without
/// jumps.
pub(super) struct ShuffledRows {
    /// The lanes of the inputs of each row.
    x: Vec<Lane>,
    /// The targets of each row.
    y: Vec<f32>,
    lanes: usize,
    outputs: usize,
}

impl ShuffledRows {
    /// Copies the rows in the order of `order`, with the given inputs.
    pub fn new(data: &Dataset, order: &[usize], inputs: &[usize]) -> ShuffledRows {
        let (lanes, outputs) = (inputs.len().div_ceil(LANES), data.outputs());
        let mut x = vec![ZERO; order.len() * lanes];
        let mut y = vec![0.0; order.len() * outputs];
        let blocks = x.par_chunks_mut(BLOCK * lanes).zip(y.par_chunks_mut(BLOCK * outputs));
        blocks.zip(order.par_chunks(BLOCK)).for_each(|((x, y), rows)| {
            copy(&data.x, inputs.iter().copied(), rows, x.as_flattened_mut(), lanes * LANES);
            copy(&data.y, 0..outputs, rows, y, outputs);
        });
        ShuffledRows { x, y, lanes, outputs }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.y.len() / self.outputs
    }

    /// Returns the number of mini-batches of `size` rows; the last may have fewer.
    pub fn batches(&self, size: usize) -> usize {
        self.rows().div_ceil(size)
    }

    /// Returns a mini-batch.
    pub fn batch(&self, index: usize, size: usize) -> Batch<'_> {
        let part = |unit: usize, length: usize| index * size * unit..length.min((index + 1) * size * unit);
        let (x, y) = (part(self.lanes, self.x.len()), part(self.outputs, self.y.len()));
        Batch { x: &self.x[x], y: &self.y[y] }
    }
}

/// Copies some columns of rows to rows of `width` numbers.
fn copy(from: &DMatrix<f64>, columns: impl Iterator<Item = usize>, rows: &[usize], to: &mut [f32], width: usize) {
    for (place, column) in columns.enumerate() {
        let column = &from.as_slice()[column * from.nrows()..][..from.nrows()];
        for (to, &row) in to.chunks_exact_mut(width).zip(rows) {
            to[place] = column[row] as f32;
        }
    }
}
