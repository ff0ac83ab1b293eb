//! QR decomposition with column pivoting.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::product::dot;
use super::reflector::Reflector;

/// Numbers that a thread works on at least: handing over fewer takes longer than the work.
const GRAIN: usize = 1 << 15;

/// Thin QR decomposition with column pivoting: `a = q · r` with `q` n×r of orthonormal columns, r = min(n, N), and `r` the
/// triangular factor with its columns put back in the order of `a`.
pub struct PivotedQr {
    /// Orthonormal columns, n×r.
    pub q: DMatrix<f64>,
    /// The triangular factor, r×N; column j belongs to column j of `a`.
    pub r: DMatrix<f64>,
    /// Column of `a` that each pivot step took: with columns in this order `r` is upper triangular.
    pub order: Vec<usize>,
}

/// Decomposes `a` (n×N) by Householder's reflections. Every step takes the column with the largest remainder (Businger and
/// Golub 1965); of equal columns, the first.
pub fn pivoted_qr(a: &DMatrix<f64>) -> PivotedQr {
    let (rows, columns) = a.shape();
    let rank = rows.min(columns);
    let mut work = a.clone();
    let mut order: Vec<usize> = (0..columns).collect();
    let mut remainders: Vec<f64> = a.column_iter().map(|column| column.norm_squared()).collect();
    let mut reflectors = Vec::with_capacity(rank);
    for k in 0..rank {
        let pivot = (k + 1..columns).fold(k, |best, j| if remainders[j] > remainders[best] { j } else { best });
        work.swap_columns(k, pivot);
        order.swap(k, pivot);
        remainders.swap(k, pivot);
        let (done, rest) = work.as_mut_slice().split_at_mut((k + 1) * rows);
        let column = &mut done[k * rows + k..];
        let (reflector, image) = vectorised!(Reflector::of(column));
        column.fill(0.0);
        column[0] = image;
        let each = rest.par_chunks_mut(rows).zip(&mut remainders[k + 1..]).with_min_len(GRAIN / rows + 1);
        each.for_each(|(column, remainder)| {
            vectorised!({
                reflector.apply(&mut column[k..]);
                *remainder = dot(&column[k + 1..], &column[k + 1..]);
            });
        });
        reflectors.push(reflector);
    }
    let mut r = DMatrix::zeros(rank, columns);
    for (j, &column) in order.iter().enumerate() {
        r.column_mut(column).copy_from(&work.view((0, j), (rank, 1)));
    }
    PivotedQr { q: thin_q(&reflectors, rows), r, order }
}

/// The first columns of the product of all reflectors, of which number k acts on the rows from k on.
fn thin_q(reflectors: &[Reflector], rows: usize) -> DMatrix<f64> {
    let mut q = DMatrix::identity(rows, reflectors.len());
    if q.is_empty() {
        return q;
    }
    q.as_mut_slice().par_chunks_mut(rows).with_min_len(GRAIN / rows + 1).enumerate().for_each(|(j, column)| {
        vectorised!({
            // Those of number j + 1 and above find zeros.
            for (k, reflector) in reflectors[..=j].iter().enumerate().rev() {
                reflector.apply(&mut column[k..]);
            }
        });
    });
    q
}

impl PivotedQr {
    /// Number of diagonal entries above `tolerance` times the first and largest.
    pub fn rank(&self, tolerance: f64) -> usize {
        let diagonal = |i: usize| self.r[(i, self.order[i])].abs();
        let largest = if self.r.is_empty() { 0.0 } else { diagonal(0) };
        (0..self.r.nrows()).take_while(|&i| diagonal(i) > tolerance * largest).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn factors_are_orthonormal_and_triangular_and_multiply_back() {
        let mut sampler = Sampler::new(4);
        for (rows, columns) in [(1, 1), (6, 6), (40, 7), (7, 40), (300, 150)] {
            let a = DMatrix::from_fn(rows, columns, |_, _| sampler.normal());
            let PivotedQr { q, r, order } = pivoted_qr(&a);
            let rank = rows.min(columns);
            assert_eq!((q.shape(), r.shape()), ((rows, rank), (rank, columns)));
            // Up to 150 reflections, each with an error of some units of 1e-16 of the norm, which is below 20.
            assert!((&q * &r - &a).amax() < 1e-12);
            assert!((q.transpose() * &q - DMatrix::identity(rank, rank)).amax() < 1e-13);
            let sorted = r.select_columns(&order);
            for i in 0..rank {
                assert!((0..i).all(|j| sorted[(i, j)] == 0.0));
                // A pivot is at least as long as what is left of every later column.
                assert!(
                    (i..columns).all(|j| sorted.view((i, j), (rank - i, 1)).norm() <= sorted[(i, i)].abs() + 1e-12)
                );
            }
        }
    }

    #[test]
    fn the_rank_of_dependent_and_zero_columns_is_seen() {
        let mut sampler = Sampler::new(5);
        let a = DMatrix::from_fn(30, 4, |_, _| sampler.normal()) * DMatrix::from_fn(4, 9, |_, _| sampler.normal());
        let qr = pivoted_qr(&a);
        assert_eq!(qr.rank(1e-12), 4);
        assert!((&qr.q * &qr.r - &a).amax() < 1e-13);
        let zero = pivoted_qr(&DMatrix::zeros(5, 3));
        assert_eq!((zero.rank(1e-12), zero.q), (0, DMatrix::identity(5, 3)));
        assert_eq!(pivoted_qr(&DMatrix::zeros(0, 3)).q.shape(), (0, 0));
        assert_eq!(pivoted_qr(&DMatrix::zeros(4, 0)).rank(1e-12), 0);
    }
}
