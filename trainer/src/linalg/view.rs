//! Matrices in slices, and the panels that products read.

use std::array;

use nalgebra::DMatrix;

/// A matrix in a slice: entry (i, j) is at `i · down + j · across`, one of which is 1.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    values: &'a [f64],
    pub rows: usize,
    pub columns: usize,
    down: usize,
    across: usize,
}

impl<'a> View<'a> {
    /// All of `a`.
    pub fn of(a: &'a DMatrix<f64>) -> View<'a> {
        View::columns_of(a.as_slice(), a.nrows(), a.ncols(), a.nrows())
    }

    /// A matrix of `rows` × `columns` entries, whose columns begin every `across` numbers.
    pub fn columns_of(values: &'a [f64], rows: usize, columns: usize, across: usize) -> View<'a> {
        View { values, rows, columns, down: 1, across }
    }

    pub fn transpose(self) -> View<'a> {
        View { rows: self.columns, columns: self.rows, down: self.across, across: self.down, ..self }
    }

    /// The rows from `first` on.
    pub fn rows_from(self, first: usize) -> View<'a> {
        View { values: self.values.get(first * self.down..).unwrap_or_default(), rows: self.rows - first, ..self }
    }

    /// The columns from `first` on, `count` of them.
    pub fn columns_from(self, first: usize, count: usize) -> View<'a> {
        View { values: self.values.get(first * self.across..).unwrap_or_default(), columns: count, ..self }
    }

    /// Copies the rows `first..first + count`, columns `start..start + depth`, to panels of `N` rows each: an array for
    /// each column, whose places beyond the last row hold any numbers.
    #[inline(always)]
    pub fn pack<const N: usize>(
        &self,
        (first, count): (usize, usize),
        (start, depth): (usize, usize),
        to: &mut Vec<[f64; N]>,
    ) {
        to.resize(count.div_ceil(N) * depth, [0.0; N]);
        for (panel, to) in to.chunks_exact_mut(depth).enumerate() {
            let row = first + panel * N;
            let height = N.min(first + count - row);
            if self.down == 1 {
                for (k, to) in to.iter_mut().enumerate() {
                    let at = row + (start + k) * self.across;
                    to[..height].copy_from_slice(&self.values[at..at + height]);
                }
            } else {
                // All rows at once, since one side is crossed against its order. Places beyond repeat the last row.
                let of_row = |i: usize| &self.values[(row + i.min(height - 1)) * self.down + start..][..depth];
                let from: [&[f64]; N] = array::from_fn(of_row);
                for (k, to) in to.iter_mut().enumerate() {
                    for i in 0..N {
                        to[i] = from[i][k];
                    }
                }
            }
        }
    }
}
