//! Eigenvalues of symmetric matrices by nalgebra, whose loops have the same bits on every processor.

use nalgebra::{DMatrix, SymmetricEigen};

/// Rounds of the iteration for each eigenvalue; two are usual.
const ROUNDS: usize = 60;

/// Eigenvalues, in no particular order, and eigenvectors (columns) of a symmetric matrix; `None` where the iteration
/// does not converge.
pub fn symmetric_eigen(a: &DMatrix<f64>) -> Option<(Vec<f64>, DMatrix<f64>)> {
    if a.is_empty() {
        return Some((Vec::new(), a.clone()));
    }
    if !a.iter().all(|value| value.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::try_new(a.clone(), f64::EPSILON, ROUNDS * a.nrows())?;
    let values = eigen.eigenvalues.as_slice().to_vec();
    values.iter().all(|value| value.is_finite()).then_some((values, eigen.eigenvectors))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{gram, pivoted_qr};
    use crate::sampling::Sampler;

    /// The eigenvalues, ascending.
    fn check_eigen(a: &DMatrix<f64>) -> Vec<f64> {
        let n = a.nrows();
        let (mut values, vectors) = symmetric_eigen(a).unwrap();
        let scaled = DMatrix::from_fn(n, n, |i, j| vectors[(i, j)] * values[j]);
        // Backward stable: some n units of rounding of the norm.
        assert!((a * &vectors - scaled).amax() <= 1e-15 * n as f64 * a.norm());
        assert!((vectors.transpose() * &vectors - DMatrix::identity(n, n)).amax() < 1e-15 * (n + 10) as f64);
        values.sort_by(f64::total_cmp);
        values
    }

    #[test]
    fn eigenvalues_that_are_known_come_back() {
        let mut sampler = Sampler::new(9);
        for n in [1, 2, 3, 40, 120] {
            let q = pivoted_qr(&DMatrix::from_fn(n, n, |_, _| sampler.normal())).expand(&DMatrix::identity(n, n));
            // Both signs, pairs ±λ and equal ones.
            let exact: Vec<f64> = (0..n).map(|i| (i / 2) as f64 - (n / 4) as f64).collect();
            let scaled = DMatrix::from_fn(n, n, |i, j| q[(i, j)] * exact[j]);
            let a = &scaled * q.transpose();
            let a = (&a + a.transpose()) * 0.5;
            let values = check_eigen(&a);
            assert!(values.iter().zip(&exact).all(|(value, exact)| (value - exact).abs() < 1e-14 * n as f64));
        }
    }

    #[test]
    fn singular_diagonal_and_broken_matrices() {
        let mut sampler = Sampler::new(10);
        let values = check_eigen(&gram(&DMatrix::from_fn(5, 30, |_, _| sampler.normal())));
        assert!(values[24].abs() < 1e-13 && values[25] > 1.0);
        check_eigen(&DMatrix::zeros(4, 4));
        let diagonal = DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![3.0, -1.0, 2.0]));
        assert_eq!(check_eigen(&diagonal), [-1.0, 2.0, 3.0]);
        assert!(symmetric_eigen(&DMatrix::from_element(3, 3, f64::NAN)).is_none());
        assert!(symmetric_eigen(&DMatrix::zeros(0, 0)).unwrap().0.is_empty());
    }
}
