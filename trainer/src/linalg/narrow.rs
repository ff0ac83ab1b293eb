//! Products with a matrix of few columns, without copies of tiles.

use nalgebra::DMatrix;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::linalg::slices::{LANES, add_scaled, dot, total, zeros};

/// The number of columns up to which copying tiles costs more than it saves.
pub(super) const FEW: usize = 16;

/// Columns of one task.
const COLUMNS: usize = 128;

/// Rows of one task.
const ROWS: usize = 2048;

/// `fewᵀ · many` for few columns of `few`: one scalar product an entry.
pub(super) fn scalar_products(few: &DMatrix<f64>, many: &DMatrix<f64>) -> DMatrix<f64> {
    debug_assert_eq!(few.nrows(), many.nrows());
    let rows = many.nrows();
    let width = few.ncols();
    let mut result = zeros(width, many.ncols());
    if result.is_empty() || rows == 0 {
        return result;
    }
    let few: Vec<&[f64]> = few.as_slice().chunks_exact(rows).collect();
    let tiles = result.as_mut_slice().par_chunks_mut(width * COLUMNS).zip(many.as_slice().par_chunks(rows * COLUMNS));
    tiles.for_each(|(out, many)| Arch::new().dispatch(ScalarProducts { out, few: &few, many, rows }));
    result
}

/// The scalar products of columns with the few: in `out` those of the first column, then those of the next.
struct ScalarProducts<'a> {
    out: &'a mut [f64],
    few: &'a [&'a [f64]],
    many: &'a [f64],
    rows: usize,
}

impl WithSimd for ScalarProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F64_LANES {
            8 => self.with_vectors::<S, 1>(simd),
            4 => self.with_vectors::<S, 2>(simd),
            2 => self.with_vectors::<S, 4>(simd),
            _ => self.with_vectors::<S, LANES>(simd),
        }
    }
}

impl ScalarProducts<'_> {
    /// Four columns at a time, and two of the few: each sum waits for its last addition, and others fill that time.
    #[inline(always)]
    fn with_vectors<S: Simd, const VECTORS: usize>(self, simd: S) {
        let ScalarProducts { out, few, many, rows } = self;
        let width = few.len();
        for (out, many) in out.chunks_mut(4 * width).zip(many.chunks(4 * rows)) {
            if out.len() < 4 * width {
                for (out, many) in out.chunks_exact_mut(width).zip(many.chunks_exact(rows)) {
                    out.iter_mut().zip(few).for_each(|(out, few)| *out = dot(many, few));
                }
                continue;
            }
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| &many[i * rows..(i + 1) * rows]);
            let (pairs, last) = few.as_chunks::<2>();
            for (i, &pair) in pairs.iter().enumerate() {
                let [of_a, of_b] = dots::<S, VECTORS, 2, 2>(simd, [a, b], pair);
                let [of_c, of_d] = dots::<S, VECTORS, 2, 2>(simd, [c, d], pair);
                for (column, products) in [of_a, of_b, of_c, of_d].into_iter().enumerate() {
                    out[column * width + 2 * i..][..2].copy_from_slice(&products);
                }
            }
            for &last in last {
                let products = dots::<S, VECTORS, 4, 1>(simd, [a, b, c, d], [last]);
                for (column, [product]) in products.into_iter().enumerate() {
                    out[(column + 1) * width - 1] = product;
                }
            }
        }
    }
}

/// The scalar product of every `a` with every `b`, with the bits of [`dot`].
///
/// The number of the processor's lanes times `VECTORS` is [`LANES`].
#[inline(always)]
fn dots<S: Simd, const VECTORS: usize, const A: usize, const B: usize>(
    simd: S,
    a: [&[f64]; A],
    b: [&[f64]; B],
) -> [[f64; B]; A] {
    let whole = a.iter().chain(&b).map(|column| column.len() / LANES).min().unwrap_or(0);
    let a = a.map(|a| a.split_at(whole * LANES));
    let b = b.map(|b| b.split_at(whole * LANES));
    let a_vectors = a.map(|(a, _)| vectors::<S, VECTORS>(a));
    let b_vectors = b.map(|(b, _)| vectors::<S, VECTORS>(b));
    let mut sums = [[[simd.splat_f64s(0.0); VECTORS]; B]; A];
    for k in 0..whole {
        for (sums, a) in sums.iter_mut().zip(a_vectors) {
            for (sums, b) in sums.iter_mut().zip(b_vectors) {
                for (sum, (a, b)) in sums.iter_mut().zip(a[k].iter().zip(&b[k])) {
                    *sum = simd.add_f64s(*sum, simd.mul_f64s(*a, *b));
                }
            }
        }
    }
    let mut products = [[0.0; B]; A];
    for ((products, sums), (_, a_rest)) in products.iter_mut().zip(sums).zip(a) {
        for ((product, sums), (_, b_rest)) in products.iter_mut().zip(sums).zip(b) {
            let mut lanes = [0.0; LANES];
            S::as_mut_simd_f64s(&mut lanes).0.iter_mut().zip(sums).for_each(|(lanes, sum)| *lanes = sum);
            *product = total(&lanes, a_rest, b_rest);
        }
    }
    products
}

/// The numbers of a column as vectors of the processor, those of [`LANES`] numbers together.
#[inline(always)]
fn vectors<S: Simd, const VECTORS: usize>(column: &[f64]) -> &[[S::f64s; VECTORS]] {
    S::as_simd_f64s(column).0.as_chunks().0
}

/// `m − a · b`, in the place of `m`, for few columns of `a` or of `b`.
pub(super) fn subtract_combinations(m: &mut DMatrix<f64>, a: &DMatrix<f64>, b: &DMatrix<f64>) {
    debug_assert_eq!((a.nrows(), a.ncols(), b.ncols()), (m.nrows(), b.nrows(), m.ncols()));
    let rows = m.nrows();
    if rows == 0 || a.ncols() == 0 {
        return;
    }
    let part_of = |first: usize| {
        let part = first..rows.min(first + ROWS);
        a.as_slice().chunks_exact(rows).map(|column| &column[part.clone()]).collect()
    };
    let parts: Vec<Vec<&[f64]>> = (0..rows).step_by(ROWS).map(part_of).collect();
    let columns = m.as_mut_slice().par_chunks_mut(rows).zip(b.as_slice().par_chunks(a.ncols()));
    columns.for_each(|(out, factors)| {
        out.par_chunks_mut(ROWS).zip(&parts).for_each(|(out, columns)| {
            vectorised!(subtract_combination(out, columns, factors));
        });
    });
}

/// `out − Σ factor · column`, from the first column to the last.
#[inline(always)]
fn subtract_combination(out: &mut [f64], columns: &[&[f64]], factors: &[f64]) {
    let (fours, last) = columns.as_chunks::<4>();
    let (factors, last_factors) = factors.as_chunks::<4>();
    for ([a, b, c, d], [p, q, r, s]) in fours.iter().zip(factors) {
        let columns = a.iter().zip(*b).zip(c.iter().zip(*d));
        for (out, ((a, b), (c, d))) in out.iter_mut().zip(columns) {
            *out = (((*out - p * a) - q * b) - r * c) - s * d;
        }
    }
    for (column, factor) in last.iter().zip(last_factors) {
        add_scaled(out, -factor, column);
    }
}

#[cfg(test)]
mod tests {
    use pulp::{Scalar, Scalar128b, Scalar256b, Scalar512b};

    use super::*;
    use crate::sampling::Sampler;

    /// Rows, few columns and many columns, on either side of blocks and lanes.
    const SIZES: [(usize, usize, usize); 6] =
        [(1, 1, 1), (7, 2, 5), (16, 3, 4), (50, 16, 6), (100, 8, 9), (2049, 5, 131)];

    fn random(rows: usize, columns: usize, sampler: &mut Sampler) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| sampler.normal())
    }

    #[test]
    fn every_width_of_vectors_gives_the_bits_of_eight_running_sums() {
        let mut sampler = Sampler::new(3);
        for (rows, width, columns) in SIZES {
            let few = random(rows, width, &mut sampler);
            let many = random(rows, columns, &mut sampler);
            let exact = DMatrix::from_fn(width, columns, |i, j| {
                let product = |row: usize| few[(row, i)] * many[(row, j)];
                let whole = rows / LANES * LANES;
                let sum = |lane: usize| (lane..whole).step_by(LANES).fold(0.0, |sum, row| sum + product(row));
                (0..LANES).map(sum).sum::<f64>() + (whole..rows).map(product).sum::<f64>()
            });
            assert_eq!(scalar_products(&few, &many), exact);
            let few: Vec<&[f64]> = few.as_slice().chunks_exact(rows).collect();
            let mut out = [(); 4].map(|()| zeros(width, columns));
            let [one, two, four, eight] = out.each_mut().map(|out| {
                let out = out.as_mut_slice();
                ScalarProducts { out, few: &few, many: many.as_slice(), rows }
            });
            one.with_simd(Scalar);
            two.with_simd(Scalar128b);
            four.with_simd(Scalar256b);
            eight.with_simd(Scalar512b);
            assert_eq!(out, [(); 4].map(|()| exact.clone()));
        }
    }

    #[test]
    fn combinations_are_subtracted_from_the_first_column_on() {
        let mut sampler = Sampler::new(4);
        for (rows, width, columns) in SIZES {
            let few = random(rows, width, &mut sampler);
            let factors = random(width, columns, &mut sampler);
            let mut rest = random(rows, columns, &mut sampler);
            let left =
                |i: usize, j: usize| (0..width).fold(rest[(i, j)], |left, k| left - few[(i, k)] * factors[(k, j)]);
            let exact = DMatrix::from_fn(rows, columns, left);
            subtract_combinations(&mut rest, &few, &factors);
            assert_eq!(rest, exact);
        }
    }

    #[test]
    fn nothing_has_no_products() {
        for (rows, width, columns) in [(0, 2, 3), (4, 0, 3), (4, 2, 0), (9, 0, 20)] {
            let few = zeros(rows, width);
            let many = DMatrix::from_element(rows, columns, 1.0);
            assert_eq!(scalar_products(&few, &many), zeros(width, columns));
            let mut rest = many.clone();
            subtract_combinations(&mut rest, &few, &zeros(width, columns));
            assert_eq!(rest, many);
        }
    }
}
