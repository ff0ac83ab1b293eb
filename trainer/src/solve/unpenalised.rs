//! A block of columns that is fitted without penalty beside a penalised one: intercept and linear terms.

use nalgebra::DMatrix;

use super::SolveError;
use crate::linalg::{Decomposition, product, rank_tolerance, subtract_product, svd, transpose_product};

/// The columns `Z` (n×p) of `min ‖A C + Z B − Y‖² + λ‖C‖²`, in which B carries no penalty.
///
/// Removing from A and Y what Z explains (Frisch, Waugh and Lovell) leaves a problem in C alone; B follows from it.
pub struct Unpenalised {
    svd: Decomposition,
}

impl Unpenalised {
    /// Prepares `z` (n×p, n ≥ 1, p ≥ 1); collinear columns share their weight.
    pub fn new(z: &DMatrix<f64>) -> Result<Unpenalised, SolveError> {
        let mut svd = svd(z).ok_or(SolveError::NotFinite)?;
        let smallest = svd.s[0] * rank_tolerance(z.nrows(), z.ncols());
        let rank = svd.s.iter().filter(|&&s| s > smallest).count();
        svd.s.truncate(rank);
        svd.u = svd.u.columns(0, rank).into_owned();
        svd.v = svd.v.columns(0, rank).into_owned();
        Ok(Unpenalised { svd })
    }

    /// Subtracts from every column of `m` (n×anything) what the block explains of it.
    pub fn project_out(&self, m: &mut DMatrix<f64>) {
        let explained = transpose_product(&self.svd.u, m);
        subtract_product(m, &self.svd.u, &explained);
    }

    /// The coefficients B (p×k) that explain most of what is left, `rest = Y − A C` (n×k); of least norm.
    pub fn coefficients(&self, rest: &DMatrix<f64>) -> DMatrix<f64> {
        let mut rotated = transpose_product(&self.svd.u, rest);
        for (i, s) in self.svd.s.iter().enumerate() {
            rotated.row_mut(i).scale_mut(1.0 / s);
        }
        product(&self.svd.v, &rotated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;
    use crate::solve::ridge::ridge;

    #[test]
    fn joint_optimum_has_zero_gradient_in_both_blocks() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            let mut random = |rows, columns| DMatrix::from_fn(rows, columns, |_, _| sampler.normal());
            let (a, y) = (random(30, 8), random(30, 2));
            let z = random(30, 3).insert_column(0, 1.0);
            let block = Unpenalised::new(&z).unwrap();
            let (mut a_left, mut y_left) = (a.clone(), y.clone());
            block.project_out(&mut a_left);
            block.project_out(&mut y_left);
            let c = ridge(&a_left, &y_left, 0.7).unwrap();
            let b = block.coefficients(&(&y - &a * &c));
            let residual = &a * &c + &z * &b - &y;
            assert!((a.transpose() * &residual + c * 0.7).amax() < 1e-11);
            assert!((z.transpose() * &residual).amax() < 1e-11);
        }
    }

    #[test]
    fn collinear_columns_are_no_trouble() {
        let z = DMatrix::from_row_slice(3, 2, &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
        let block = Unpenalised::new(&z).unwrap();
        let b = block.coefficients(&DMatrix::from_element(3, 1, 5.0));
        assert!((b[0] + 2.0 * b[1] - 5.0).abs() < 1e-12);
    }
}
