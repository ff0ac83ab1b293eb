//! Columns without a penalty beside penalised ones, such as the intercept and linear terms.

use nalgebra::DMatrix;

use crate::linalg::{pivoted_qr, subtract_product, transpose_product};
use crate::solve::SolveError;
use crate::solve::least_squares::min_norm::min_norm;

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
