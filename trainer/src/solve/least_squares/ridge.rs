//! Ridge regression, in primal and dual form.

use nalgebra::DMatrix;

use crate::linalg::{cholesky_solve, gram, outer_gram, pivoted_qr, subtract_product, transpose_product};
use crate::solve::SolveError;
use crate::solve::least_squares::min_norm::{min_norm, stable_ridge};

/// Normal equations are safe if λ is above this fraction of the largest Gram entry.
///
/// They square the condition number, so that 1e-12 leaves four digits.
const SAFE_SHARE: f64 = 1e-12;

/// Returns the minimiser C (N×k) of `‖A C − Y‖² + λ‖C‖²` for A n×N and Y n×k. With λ = 0 it has minimum norm.
///
/// The normal equations give C if `n ≥ N`, and their dual `Aᵀ (A Aᵀ + λ I)⁻¹ Y` if `n < N`. If λ is too small for both,
/// a singular value decomposition does.
///
/// # Errors
/// [`SolveError::NotFinite`] if A or Y have values that are not finite.
pub fn ridge(a: &DMatrix<f64>, y: &DMatrix<f64>, lambda: f64) -> Result<DMatrix<f64>, SolveError> {
    if a.ncols() == 0 {
        return Ok(DMatrix::zeros(0, y.ncols()));
    }
    let quick = if a.ncols() > a.nrows() {
        ridge_from_gram(&outer_gram(a), y, lambda).map(|alpha| transpose_product(a, &alpha))
    } else {
        ridge_from_gram(&gram(a), &transpose_product(a, y), lambda)
    };
    quick.map_or_else(|| stable_ridge(a, y, lambda), Ok)
}

/// Returns `(G + λ I)⁻¹ M` for a Gram matrix G, or `None` if λ is too small for the normal equations.
pub(crate) fn ridge_from_gram(gram: &DMatrix<f64>, moments: &DMatrix<f64>, lambda: f64) -> Option<DMatrix<f64>> {
    if lambda > SAFE_SHARE * gram.diagonal().max() {
        let mut g = gram.clone();
        for i in 0..g.nrows() {
            g[(i, i)] += lambda;
        }
        return cholesky_solve(&g, moments);
    }
    None
}

/// Columns are collinear with others if their orthogonal part is below this fraction of the largest column.
const COLLINEAR: f64 = 1e-12;

/// The columns `Z` (n×p) of `min ‖A C + Z B − Y‖² + λ‖C‖²`, in which B has no penalty.
///
/// Projecting A and Y on the orthogonal complement of Z leaves a problem in C alone (Frisch, Waugh and Lovell). B
/// follows from C.
pub struct Unpenalised {
    z: DMatrix<f64>,
    /// An orthonormal basis of the columns of `z`.
    basis: DMatrix<f64>,
}

impl Unpenalised {
    /// Prepares the columns `z` (n×p, p ≥ 0). Collinear columns share their weight.
    pub fn new(z: &DMatrix<f64>) -> Unpenalised {
        let qr = pivoted_qr(z);
        let basis = qr.expand(&DMatrix::identity(qr.r.nrows(), qr.rank(COLLINEAR)));
        Unpenalised { z: z.clone(), basis }
    }

    /// Subtracts the projection on the columns of Z from every column of `m`, a matrix with n rows.
    pub fn project_out(&self, m: &mut DMatrix<f64>) {
        let explained = self.explained(m);
        subtract_product(m, &self.basis, &explained);
    }

    /// Returns the coefficients (rank×N) of the projection of `m` (n×N) on the columns of Z, in an orthonormal basis.
    /// Their scalar products are those of the projections.
    pub fn explained(&self, m: &DMatrix<f64>) -> DMatrix<f64> {
        transpose_product(&self.basis, m)
    }

    /// Returns the minimum-norm least-squares coefficients B (p×k) of the residual `rest = Y − A C` (n×k).
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] if Z or `rest` have values that are not finite.
    pub fn coefficients(&self, rest: &DMatrix<f64>) -> Result<DMatrix<f64>, SolveError> {
        min_norm(&self.z, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;
    use crate::solve::least_squares::ridge::ridge;

    fn random(rows: usize, columns: usize, sampler: &mut Sampler) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| sampler.normal())
    }

    /// The gradient `Aᵀ(A C − Y) + λ C` is zero at a minimum.
    fn gradient(a: &DMatrix<f64>, y: &DMatrix<f64>, lambda: f64, c: &DMatrix<f64>) -> f64 {
        (a.transpose() * (a * c - y) + c * lambda).amax()
    }

    #[test]
    fn primal_dual_and_decomposition_reach_the_minimum() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            for (rows, columns) in [(40, 12), (12, 40), (20, 20)] {
                let a = random(rows, columns, &mut sampler);
                let y = random(rows, 3, &mut sampler);
                for lambda in [1e-3, 1.0, 100.0] {
                    for c in [ridge(&a, &y, lambda).unwrap(), stable_ridge(&a, &y, lambda).unwrap()] {
                        // Sums of 40 terms of size 10 have rounding errors far below 1e-10.
                        assert!(gradient(&a, &y, lambda, &c) < 1e-10);
                    }
                }
            }
        }
    }

    #[test]
    fn without_penalty_the_solution_has_least_norm() {
        let mut sampler = Sampler::new(11);
        let a = random(6, 30, &mut sampler);
        let y = random(6, 1, &mut sampler);
        let c = ridge(&a, &y, 0.0).unwrap();
        assert!((&a * &c - &y).amax() < 1e-12);
        // A minimum-norm c lies in the row space: c = Aᵀ w with A Aᵀ w = y.
        let w = (&a * a.transpose()).lu().solve(&y).unwrap();
        assert!((a.transpose() * w - c).amax() < 1e-11);
    }

    #[test]
    fn rank_deficient_and_zero_matrices_have_solutions() {
        let column = DMatrix::from_element(5, 1, 1.0);
        let a = DMatrix::from_columns(&[column.column(0), column.column(0)]);
        let y = DMatrix::from_element(5, 1, 3.0);
        let c = ridge(&a, &y, 0.0).unwrap();
        assert!((c[0] - 1.5).abs() < 1e-12 && (c[1] - 1.5).abs() < 1e-12);
        assert_eq!(ridge(&DMatrix::zeros(5, 2), &y, 0.0).unwrap(), DMatrix::zeros(2, 1));
        assert_eq!(ridge(&DMatrix::zeros(5, 2), &y, 1.0).unwrap(), DMatrix::zeros(2, 1));
    }

    #[test]
    fn values_that_are_not_finite_are_an_error() {
        let y = DMatrix::from_element(3, 1, 1.0);
        let a = DMatrix::from_element(3, 2, f64::NAN);
        assert_eq!(ridge(&a, &y, 1.0), Err(SolveError::NotFinite));
        assert_eq!(ridge(&a, &y, 0.0), Err(SolveError::NotFinite));
    }

    #[test]
    fn joint_optimum_has_zero_gradient_in_both_blocks() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            let mut random = |rows, columns| DMatrix::from_fn(rows, columns, |_, _| sampler.normal());
            let a = random(30, 8);
            let y = random(30, 2);
            let z = random(30, 3).insert_column(0, 1.0);
            let block = Unpenalised::new(&z);
            let mut a_left = a.clone();
            let mut y_left = y.clone();
            block.project_out(&mut a_left);
            block.project_out(&mut y_left);
            let c = ridge(&a_left, &y_left, 0.7).unwrap();
            let b = block.coefficients(&(&y - &a * &c)).unwrap();
            let residual = &a * &c + &z * &b - &y;
            assert!((a.transpose() * &residual + c * 0.7).amax() < 1e-11);
            assert!((z.transpose() * &residual).amax() < 1e-11);
        }
    }

    #[test]
    fn collinear_columns_are_no_trouble() {
        let z = DMatrix::from_row_slice(3, 2, &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
        let block = Unpenalised::new(&z);
        let b = block.coefficients(&DMatrix::from_element(3, 1, 5.0)).unwrap();
        assert!((b[0] + 2.0 * b[1] - 5.0).abs() < 1e-12);
    }
}
