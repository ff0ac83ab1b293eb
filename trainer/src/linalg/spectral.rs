//! Singular values and eigenvalues.

use nalgebra::{DMatrix, SymmetricEigen};

use crate::linalg::qr::pivoted_qr;
use crate::linalg::slices::dot;

/// Rounds over all pairs of columns; some ten are enough for any matrix.
const ROUNDS: usize = 60;

/// Singular value decomposition of a square matrix, `a = u diag(s) vᵀ`, singular values descending.
pub struct Svd {
    /// Left singular vectors.
    pub u: DMatrix<f64>,
    /// Singular values.
    pub s: Vec<f64>,
    /// Right singular vectors.
    pub v: DMatrix<f64>,
}

/// Decomposes a square matrix; `None` where the iteration does not converge. Others go through [`pivoted_qr`] first.
///
/// Rotates pairs of rows until all are orthogonal (Hestenes 1958): soonest for the triangular factor of a QR
/// decomposition with pivoting, whose rows nearly are (Drmač and Veselić 2008).
pub fn svd(a: &DMatrix<f64>) -> Option<Svd> {
    let n = a.nrows();
    // The columns of `rows` are the rows of `a`; with `aᵀ u = v diag(s)` they become those of v, times s.
    let mut rows = a.transpose();
    let mut u = DMatrix::identity(n, n);
    if n > 0 && !vectorised!(orthogonalise(rows.as_mut_slice(), u.as_mut_slice(), n)) {
        return None;
    }
    let lengths: Vec<f64> = rows.column_iter().map(|column| column.norm()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    let s: Vec<f64> = order.iter().map(|&j| lengths[j]).collect();
    let u = u.select_columns(&order);
    let mut v = rows.select_columns(&order);
    v.column_iter_mut().zip(&s).filter(|(_, s)| **s > 0.0).for_each(|(mut column, s)| column.unscale_mut(*s));
    let rank = s.iter().filter(|&&s| s > 0.0).count();
    if rank < n {
        // Directions across all others.
        let basis = pivoted_qr(&v).expand(&DMatrix::identity(n, n));
        v.columns_mut(rank, n - rank).copy_from(&basis.columns(rank, n - rank));
    }
    s.iter().all(|v| v.is_finite()).then_some(Svd { u, s, v })
}

/// Rotates pairs of columns, of n numbers each, until all are orthogonal to rounding, and the columns of `u` with them;
/// false where that does not come to an end.
#[inline(always)]
fn orthogonalise(columns: &mut [f64], u: &mut [f64], n: usize) -> bool {
    let tolerance = f64::EPSILON * (n as f64).sqrt();
    let mut squares: Vec<f64> = columns.chunks_exact(n).map(|column| dot(column, column)).collect();
    for _ in 0..ROUNDS {
        let mut orthogonal = true;
        for p in 0..n {
            for q in p + 1..n {
                let (x, y) = pair(columns, n, p, q);
                let product = dot(x, y);
                let size = (squares[p] * squares[q]).sqrt();
                if product.abs() <= tolerance * size || size < f64::MIN_POSITIVE / f64::EPSILON {
                    continue;
                }
                orthogonal = false;
                let slope = (squares[q] - squares[p]) / (2.0 * product);
                let tangent = 1.0_f64.copysign(slope) / (slope.abs() + (1.0 + slope * slope).sqrt());
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                rotate(x, y, cosine, cosine * tangent);
                squares[p] = dot(x, x);
                squares[q] = dot(y, y);
                let (x, y) = pair(u, n, p, q);
                rotate(x, y, cosine, cosine * tangent);
            }
        }
        if orthogonal {
            return true;
        }
    }
    false
}

/// Columns `p` and `q`, p < q.
#[inline(always)]
fn pair(columns: &mut [f64], n: usize, p: usize, q: usize) -> (&mut [f64], &mut [f64]) {
    let (left, right) = columns.split_at_mut(q * n);
    (&mut left[p * n..(p + 1) * n], &mut right[..n])
}

/// Replaces `x` by `cosine x − sine y` and `y` by `sine x + cosine y`.
#[inline(always)]
fn rotate(x: &mut [f64], y: &mut [f64], cosine: f64, sine: f64) {
    x.iter_mut().zip(y).for_each(|(x, y)| (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y));
}

/// Rounds of the iteration for each eigenvalue; two are usual.
const EIGEN_ROUNDS: usize = 60;

/// Eigenvalues, in no particular order, and eigenvectors (columns) of a symmetric matrix; `None` where the iteration
/// does not converge.
pub fn symmetric_eigen(a: &DMatrix<f64>) -> Option<(Vec<f64>, DMatrix<f64>)> {
    if a.is_empty() {
        return Some((Vec::new(), a.clone()));
    }
    if !a.iter().all(|value| value.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::try_new(a.clone(), f64::EPSILON, EIGEN_ROUNDS * a.nrows())?;
    let values = eigen.eigenvalues.as_slice().to_vec();
    values.iter().all(|value| value.is_finite()).then_some((values, eigen.eigenvectors))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{gram, pivoted_qr};
    use crate::sampling::Sampler;

    fn check(a: &DMatrix<f64>, Svd { u, s, v }: &Svd) {
        let n = a.nrows();
        let diagonal = DMatrix::from_fn(n, n, |i, j| if i == j { s[i] } else { 0.0 });
        // Backward stable: some n units of rounding of the largest singular value.
        assert!((u * diagonal * v.transpose() - a).amax() <= 1e-14 * n as f64 * s[0]);
        for vectors in [u, v] {
            assert!((vectors.transpose() * vectors - DMatrix::identity(n, n)).amax() < 1e-14 * n as f64);
        }
        assert!(s.is_sorted_by(|a, b| a >= b) && s[n - 1] >= 0.0);
    }

    #[test]
    fn factors_multiply_back_and_have_the_singular_values() {
        let mut sampler = Sampler::new(6);
        for n in [1, 2, 9, 60] {
            let mut random =
                || pivoted_qr(&DMatrix::from_fn(n, n, |_, _| sampler.normal())).expand(&DMatrix::identity(n, n));
            let left = random();
            let right = random();
            // Twelve decades.
            let exact: Vec<f64> = (0..n).map(|i| libm::pow(10.0, 3.0 - 12.0 * i as f64 / n as f64)).collect();
            let a = left * DMatrix::from_fn(n, n, |i, j| if i == j { exact[i] } else { 0.0 }) * right;
            let svd = svd(&a).unwrap();
            check(&a, &svd);
            // Weyl: singular values move by no more than the error of the matrix.
            assert!(svd.s.iter().zip(&exact).all(|(s, exact)| (s - exact).abs() < 1e-14 * n as f64 * exact.max(1e3)));
        }
    }

    #[test]
    fn singular_matrices_have_orthonormal_vectors() {
        let mut sampler = Sampler::new(7);
        let a = DMatrix::from_fn(20, 3, |_, _| sampler.normal()) * DMatrix::from_fn(3, 20, |_, _| sampler.normal());
        check(&a, &svd(&a).unwrap());
        let r = pivoted_qr(&a).r;
        check(&r, &svd(&r).unwrap());
        let mut gaps = DMatrix::identity(8, 8);
        gaps.column_mut(2).fill(0.0);
        gaps[(5, 5)] = 0.0;
        check(&gaps, &svd(&gaps).unwrap());
        check(&DMatrix::zeros(4, 4), &svd(&DMatrix::zeros(4, 4)).unwrap());
        assert!(svd(&DMatrix::from_element(3, 3, f64::NAN)).is_none());
        assert!(svd(&DMatrix::zeros(0, 0)).unwrap().s.is_empty());
    }

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
