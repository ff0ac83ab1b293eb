//! Cholesky's factorisation in blocks of columns, and solutions with its factor. The code is our own because most fits
//! spend their time in it, and nalgebra's neither works in blocks nor takes advantage of the processor's instructions.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::product::{View, add_own_product};
use super::slices::{add_scaled, dot};

/// Columns that are factored together before the columns to their right follow in one product.
const BLOCK: usize = 32;

/// The factor of a symmetric positive definite matrix, of which only the lower triangle is read.
pub struct Factor {
    /// The factor on and below the diagonal, other numbers above.
    l: DMatrix<f64>,
}

impl Factor {
    /// Factors `g`; `None` where a pivot is not positive.
    pub fn new(g: &DMatrix<f64>) -> Option<Factor> {
        let n = g.nrows();
        let mut l = g.clone();
        for first in (0..n).step_by(BLOCK) {
            let end = n.min(first + BLOCK);
            let (done, rest) = l.as_mut_slice().split_at_mut(end * n);
            let block = &mut done[first * n..];
            if !vectorised!(factor_columns(block, n, first)) {
                return None;
            }
            if end < n {
                let below = View::columns_of(&block[end..], n - end, end - first, n);
                add_own_product(&mut rest[end..], n, below, -1.0);
            }
        }
        Some(Factor { l })
    }

    /// The diagonal entries of the factor.
    fn diagonal(&self) -> impl Iterator<Item = f64> {
        (0..self.l.nrows()).map(|i| self.l[(i, i)])
    }

    /// The solution x of `l lᵀ x = b`.
    pub fn solve(&self, b: &DMatrix<f64>) -> DMatrix<f64> {
        let n = self.l.nrows();
        let mut x = b.clone();
        if x.is_empty() {
            return x;
        }
        let l = self.l.as_slice();
        x.as_mut_slice().par_chunks_mut(n).for_each(|x| {
            vectorised!({
                for (j, l) in l.chunks_exact(n).enumerate() {
                    let value = x[j] / l[j];
                    x[j] = value;
                    add_scaled(&mut x[j + 1..], -value, &l[j + 1..]);
                }
                for (j, l) in l.chunks_exact(n).enumerate().rev() {
                    x[j] = (x[j] - dot(&l[j + 1..], &x[j + 1..])) / l[j];
                }
            });
        });
        x
    }
}

/// Factors the columns in `block`, of n numbers each, of which the first is column `first` of the matrix; false where a
/// pivot is not positive.
#[inline(always)]
fn factor_columns(block: &mut [f64], n: usize, first: usize) -> bool {
    for j in 0..block.len() / n {
        let (done, right) = block.split_at_mut((j + 1) * n);
        let column = &mut done[j * n + first + j..];
        let pivot = column[0].sqrt();
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        column[0] = pivot;
        column[1..].iter_mut().for_each(|value| *value /= pivot);
        for (k, right) in right.chunks_exact_mut(n).enumerate() {
            add_scaled(&mut right[first + j + 1 + k..], -column[1 + k], &column[1 + k..]);
        }
    }
    true
}

/// Solves `g x = b` for a symmetric positive definite `g` by Cholesky's factorisation; `None` where it breaks down.
pub fn cholesky_solve(g: &DMatrix<f64>, b: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let solution = Factor::new(g)?.solve(b);
    solution.iter().all(|v| v.is_finite()).then_some(solution)
}

/// The lower triangular factor of a symmetric positive definite `g = l lᵀ` (Cholesky); `None` where it breaks down.
pub fn cholesky(g: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let factor = Factor::new(g)?.l.lower_triangle();
    factor.iter().all(|v| v.is_finite()).then_some(factor)
}

/// As [`cholesky_solve`], and `None` too where a pivot is below `least` times the largest.
pub fn well_conditioned_solve(g: &DMatrix<f64>, b: &DMatrix<f64>, least: f64) -> Option<DMatrix<f64>> {
    let factor = Factor::new(g)?;
    let pivots = || factor.diagonal().map(|entry| entry * entry);
    let smallest = pivots().fold(f64::INFINITY, f64::min);
    let largest = pivots().fold(0.0, f64::max);
    (smallest > least * largest).then(|| factor.solve(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::gram;
    use crate::sampling::Sampler;

    #[test]
    fn the_factor_multiplies_back_and_solves() {
        let mut sampler = Sampler::new(8);
        // Sizes on either side of one block of columns and of one tile of products.
        for n in [1, 5, 31, 32, 33, 65, 200] {
            let a = DMatrix::from_fn(2 * n, n, |_, _| sampler.normal());
            let g = gram(&a);
            let factor = cholesky(&g).unwrap();
            // Sums of at most 200 terms that add up to 400, with an error of 1e-16 of that each.
            assert!((&factor * factor.transpose() - &g).amax() < 1e-11);
            assert_eq!(factor, factor.lower_triangle());
            let x = DMatrix::from_fn(n, 3, |_, _| sampler.normal());
            let solution = cholesky_solve(&g, &(&g * &x)).unwrap();
            // Twice as many rows as columns: a condition number below 100.
            assert!((solution - x).amax() < 1e-11);
        }
    }

    #[test]
    fn matrices_that_are_not_positive_definite_have_no_factor() {
        assert!(cholesky(&DMatrix::from_element(2, 2, -1.0)).is_none());
        assert!(cholesky(&DMatrix::from_element(2, 2, f64::NAN)).is_none());
        assert!(cholesky(&DMatrix::zeros(40, 40)).is_none());
        assert_eq!(cholesky(&DMatrix::zeros(0, 0)).unwrap().shape(), (0, 0));
        // The pivots are 1 and 1e-8.
        let g = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 1.0, 1.0 + 1e-8]);
        let b = DMatrix::from_element(2, 1, 1.0);
        assert!(well_conditioned_solve(&g, &b, 1e-7).is_none());
        assert!(well_conditioned_solve(&g, &b, 1e-9).is_some());
    }
}
