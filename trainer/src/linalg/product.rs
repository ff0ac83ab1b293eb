//! Matrix products in tiles of a fixed size, with sums in a fixed order.
//!
//! The order of the terms of a sum depends neither on the number of threads nor on the processor: a product is rounded
//! before it is added, as Rust never fuses the two, and the number of running sums is a constant. The processor's
//! vector instructions change the speed alone.

use std::array;

use nalgebra::DMatrix;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::linalg::narrow::{FEW, scalar_products, subtract_combinations};
use crate::linalg::slices::zeros;

/// Columns of a product that are computed together.
const TILE: usize = 128;

/// Rows of the left factor that are copied together; with [`DEPTH`] columns they fit the second-level cache.
const HEIGHT: usize = 64;

/// Terms that are summed before their sum is added to the result.
const DEPTH: usize = 256;

/// A product that is added to `out`, whose columns begin every `across` numbers. With `lower`, entries above the
/// diagonal of `out` stay or get any value.
struct Accumulate<'a> {
    out: &'a mut [f64],
    across: usize,
    left: View<'a>,
    /// The transpose of the right factor.
    right: View<'a>,
    sign: f64,
    lower: bool,
}

impl Blocked for Accumulate<'_> {
    #[inline(always)]
    fn with_block<S: Simd, const ROWS: usize, const COLUMNS: usize, const VECTORS: usize>(self, simd: S) {
        let Accumulate { out, across, left, right, sign, lower } = self;
        let mut left_panels = Vec::new();
        let mut right_panels = Vec::new();
        for start in (0..left.columns).step_by(DEPTH) {
            let depth = DEPTH.min(left.columns - start);
            right.pack::<COLUMNS>((0, right.rows), (start, depth), &mut right_panels);
            for first in (0..left.rows).step_by(HEIGHT) {
                let height = HEIGHT.min(left.rows - first);
                left.pack::<ROWS>((first, height), (start, depth), &mut left_panels);
                for (panel, right_panel) in right_panels.chunks_exact(depth).enumerate() {
                    let column = panel * COLUMNS;
                    let width = COLUMNS.min(right.rows - column);
                    for (panel, left_panel) in left_panels.chunks_exact(depth).enumerate() {
                        let row = first + panel * ROWS;
                        if lower && row + ROWS <= column {
                            continue;
                        }
                        let length = ROWS.min(left.rows - row);
                        let sums = sums::<S, ROWS, COLUMNS, VECTORS>(simd, left_panel, right_panel);
                        for (j, sums) in sums[..width].iter().enumerate() {
                            let at = row + (column + j) * across;
                            out[at..at + length].iter_mut().zip(sums).for_each(|(out, sum)| *out += sign * sum);
                        }
                    }
                }
            }
        }
    }
}

/// Adds `sign · left · right` to `out`, as [`Accumulate`] says.
fn accumulate(out: &mut [f64], across: usize, left: View<'_>, right: View<'_>, sign: f64, lower: bool) {
    let right = right.transpose();
    blocked(left.rows, Accumulate { out, across, left, right, sign, lower });
}

/// Adds `sign · left · right` to the matrix in `out`, whose columns begin every `across` numbers, in parallel.
pub(super) fn add_product(out: &mut [f64], across: usize, left: View<'_>, right: View<'_>, sign: f64) {
    if left.rows == 0 || right.columns == 0 {
        return;
    }
    out.par_chunks_mut(across * TILE).enumerate().for_each(|(tile, out)| {
        let width = TILE.min(right.columns - tile * TILE);
        accumulate(out, across, left, right.columns_from(tile * TILE, width), sign, false);
    });
}

/// Adds `sign · left · leftᵀ` to the square matrix in `out`: the entries on and below the diagonal.
pub(super) fn add_own_product(out: &mut [f64], across: usize, left: View<'_>, sign: f64) {
    if left.rows == 0 {
        return;
    }
    out.par_chunks_mut(across * TILE).enumerate().for_each(|(tile, out)| {
        let first = tile * TILE;
        let below = left.rows_from(first);
        let width = TILE.min(below.rows);
        accumulate(&mut out[first..], across, below, below.transpose().columns_from(0, width), sign, true);
    });
}

/// Computes `left · right`.
pub(super) fn multiply(left: View<'_>, right: View<'_>) -> DMatrix<f64> {
    let mut result = zeros(left.rows, right.columns);
    add_product(result.as_mut_slice(), left.rows, left, right, 1.0);
    result
}

/// Copies the entries below the diagonal of a square matrix to their mirror images above it.
pub fn mirror_lower(sum: &mut DMatrix<f64>) {
    let n = sum.nrows();
    // In blocks, since one of the two triangles is crossed against the order of the memory.
    for first_column in (0..n).step_by(HEIGHT) {
        for first_row in (0..=first_column).step_by(HEIGHT) {
            for column in first_column..n.min(first_column + HEIGHT) {
                for row in first_row..column.min(first_row + HEIGHT) {
                    sum[(row, column)] = sum[(column, row)];
                }
            }
        }
    }
}

/// Adds `left · leftᵀ` to the symmetric matrix `sum`.
fn add_symmetric(sum: &mut DMatrix<f64>, left: View<'_>) {
    add_own_product(sum.as_mut_slice(), left.rows, left, 1.0);
    mirror_lower(sum);
}

/// Computes `left · leftᵀ`.
fn multiply_by_own_transpose(left: View<'_>) -> DMatrix<f64> {
    let mut result = zeros(left.rows, left.rows);
    add_symmetric(&mut result, left);
    result
}

/// `a · b`.
pub fn product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    multiply(View::new(a), View::new(b))
}

/// `m − a · b`, in the place of `m`.
pub fn subtract_product(m: &mut DMatrix<f64>, a: &DMatrix<f64>, b: &DMatrix<f64>) {
    if a.ncols().min(b.ncols()) <= FEW {
        return subtract_combinations(m, a, b);
    }
    let rows = m.nrows();
    add_product(m.as_mut_slice(), rows, View::new(a), View::new(b), -1.0);
}

/// `aᵀ · b`.
pub fn transpose_product(a: &DMatrix<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    if a.ncols() <= FEW.min(b.ncols()) {
        return scalar_products(a, b);
    }
    if b.ncols() <= FEW {
        return scalar_products(b, a).transpose();
    }
    multiply(View::new(a).transpose(), View::new(b))
}

/// `aᵀ · a`, n×N to N×N.
pub fn gram(a: &DMatrix<f64>) -> DMatrix<f64> {
    multiply_by_own_transpose(View::new(a).transpose())
}

/// Adds `aᵀ · a` (N×N) for `a` n×N to the symmetric matrix `sum`.
pub fn add_gram(sum: &mut DMatrix<f64>, a: &DMatrix<f64>) {
    add_symmetric(sum, View::new(a).transpose());
}

/// Adds `aᵀ · a` (N×N) for `a` n×N to the entries of `sum` on and below the diagonal. Those above the diagonal are
/// undefined until [`mirror_lower`].
pub fn add_lower_gram(sum: &mut DMatrix<f64>, a: &DMatrix<f64>) {
    add_own_product(sum.as_mut_slice(), a.ncols(), View::new(a).transpose(), 1.0);
}

/// `a · aᵀ`, n×N to n×n.
pub fn outer_gram(a: &DMatrix<f64>) -> DMatrix<f64> {
    multiply_by_own_transpose(View::new(a))
}

/// Work on panels whose block of sums follows the processor.
pub(super) trait Blocked {
    /// Does the work with blocks of `ROWS` × `COLUMNS` sums, in `VECTORS` vectors a column.
    fn with_block<S: Simd, const ROWS: usize, const COLUMNS: usize, const VECTORS: usize>(self, simd: S);
}

/// The number of rows from which a large block is the faster one. It would fill a matrix of few rows with zeros.
const WIDE: usize = 48;

/// Work on a result of some rows.
struct OfRows<B> {
    rows: usize,
    work: B,
}

impl<B: Blocked> WithSimd for OfRows<B> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F64_LANES {
            8 if self.rows >= WIDE => self.work.with_block::<S, 16, 8, 2>(simd),
            8 => self.work.with_block::<S, 8, 4, 1>(simd),
            4 => self.work.with_block::<S, 8, 4, 2>(simd),
            2 => self.work.with_block::<S, 4, 4, 2>(simd),
            _ => self.work.with_block::<S, 2, 4, 2>(simd),
        }
    }
}

/// Does `work` on a result of `rows` rows with the vector instructions of the processor.
pub(super) fn blocked(rows: usize, work: impl Blocked) {
    Arch::new().dispatch(OfRows { rows, work });
}

/// The sums of products of a panel of the left factor with a panel of the right one.
///
/// `ROWS` is the number of the processor's lanes times `VECTORS`.
#[inline(always)]
pub(super) fn sums<S: Simd, const ROWS: usize, const COLUMNS: usize, const VECTORS: usize>(
    simd: S,
    left: &[[f64; ROWS]],
    right: &[[f64; COLUMNS]],
) -> [[f64; ROWS]; COLUMNS] {
    let nothing = [simd.splat_f64s(0.0); VECTORS];
    let mut sums = [[simd.splat_f64s(0.0); VECTORS]; COLUMNS];
    for (left, right) in left.iter().zip(right) {
        let (left, _) = S::as_simd_f64s(left);
        let left = left.first_chunk::<VECTORS>().unwrap_or(&nothing);
        for (sums, right) in sums.iter_mut().zip(right) {
            let right = simd.splat_f64s(*right);
            for (sum, left) in sums.iter_mut().zip(left) {
                *sum = simd.add_f64s(*sum, simd.mul_f64s(*left, right));
            }
        }
    }
    sums.map(|sums| {
        let mut column = [0.0; ROWS];
        let (to, _) = S::as_mut_simd_f64s(&mut column);
        to.iter_mut().zip(sums).for_each(|(to, sum)| *to = sum);
        column
    })
}

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
    pub fn new(a: &'a DMatrix<f64>) -> View<'a> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn products_are_those_of_the_definition() {
        // Sizes on either side of a panel, a block of rows, a tile of columns and a block of terms.
        let sizes = [(1, 1), (3, 130), (130, 3), (40, 300), (300, 40), (7, 9), (64, 128)];
        for (seed, (rows, columns)) in sizes.into_iter().enumerate() {
            let mut sampler = Sampler::new(seed as u64);
            let mut random = |rows, columns| DMatrix::from_fn(rows, columns, |_, _| sampler.normal());
            // Sums of at most 300 products of size 10 with an error of 1e-16 each.
            let same = |ours: DMatrix<f64>, plain: DMatrix<f64>| assert!((ours - plain).amax() < 1e-11);
            let a = random(rows, columns);
            same(gram(&a), a.transpose() * &a);
            same(outer_gram(&a), &a * a.transpose());
            assert_eq!(gram(&a), gram(&a).transpose());
            for width in [1, 3, 9, 140] {
                let right = random(columns, width);
                let left = random(rows, width);
                same(product(&a, &right), &a * &right);
                same(transpose_product(&a, &left), a.transpose() * &left);
                let mut rest = left.clone();
                subtract_product(&mut rest, &a, &right);
                same(rest, left - &a * right);
            }
        }
    }

    #[test]
    fn gram_matrices_do_not_depend_on_blocks_of_rows() {
        let mut sampler = Sampler::new(2);
        let a = DMatrix::from_fn(1500, 70, |_, _| sampler.normal());
        for rows in [DEPTH, 3 * DEPTH] {
            let mut sum = DMatrix::zeros(70, 70);
            for first in (0..1500).step_by(rows) {
                add_gram(&mut sum, &a.rows(first, rows.min(1500 - first)).into_owned());
            }
            assert_eq!(sum, gram(&a));
        }
    }

    #[test]
    fn sums_are_in_the_order_that_is_documented() {
        // One running sum over each block of 256 terms, every product rounded before it is added.
        let mut sampler = Sampler::new(1);
        let a = DMatrix::from_fn(9, 600, |_, _| sampler.normal());
        let b = DMatrix::from_fn(600, 5, |_, _| sampler.normal());
        let entry = |i: usize, j: usize| {
            let block = |first: usize| (first..600.min(first + DEPTH)).fold(0.0, |sum, k| sum + a[(i, k)] * b[(k, j)]);
            [0, 256, 512].into_iter().map(block).fold(0.0, |sum, block| sum + block)
        };
        assert_eq!(product(&a, &b), DMatrix::from_fn(9, 5, entry));
        assert_eq!(product(&DMatrix::zeros(3, 0), &DMatrix::zeros(0, 2)), DMatrix::zeros(3, 2));
    }
}
