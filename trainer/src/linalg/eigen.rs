//! Eigenvalues of symmetric matrices: reflections to tridiagonal form, then the QL algorithm with implicit shifts.

use nalgebra::DMatrix;

use super::product::{add_scaled, dot};
use super::reflector::Reflector;
use super::svd::rotate;

/// Steps for one eigenvalue; two are usual.
const STEPS: usize = 60;

/// Eigenvalues, ascending, and eigenvectors (columns) of a symmetric matrix; `None` where the iteration does not converge.
pub fn symmetric_eigen(a: &DMatrix<f64>) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let n = a.nrows();
    if n == 0 {
        return Some((Vec::new(), a.clone()));
    }
    let mut vectors = a.clone();
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let converged = vectorised!({
        (diagonal, beside) = tridiagonalise(&mut vectors);
        ql(&mut diagonal, &mut beside, vectors.as_mut_slice())
    });
    if !converged || !diagonal.iter().all(|v| v.is_finite()) {
        return None;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| diagonal[i].total_cmp(&diagonal[j]));
    Some((order.iter().map(|&i| diagonal[i]).collect(), vectors.select_columns(&order)))
}

/// Replaces the symmetric `a` by an orthogonal q for which `qᵀ a q` is tridiagonal; returns its diagonal and the entries
/// beside the diagonal, with a zero at their end.
#[inline(always)]
fn tridiagonalise(a: &mut DMatrix<f64>) -> (Vec<f64>, Vec<f64>) {
    let n = a.nrows();
    let mut beside = vec![0.0; n];
    let mut reflectors = Vec::with_capacity(n);
    for k in 0..n - 1 {
        let (done, rest) = a.as_mut_slice().split_at_mut((k + 1) * n);
        let (reflector, image) = Reflector::of(&done[k * n + k + 1..]);
        beside[k] = image;
        // a − v wᵀ − w vᵀ with w = p − (factor/2)(pᵀ v) v and p = factor · a v.
        let v = reflector.direction();
        let mut w: Vec<f64> =
            rest.chunks_exact(n).map(|column| reflector.factor() * dot(&column[k + 1..], v)).collect();
        let share = -0.5 * reflector.factor() * dot(&w, v);
        add_scaled(&mut w, share, v);
        for (j, column) in rest.chunks_exact_mut(n).enumerate() {
            let (by_v, by_w) = (w[j], v[j]);
            let terms = v.iter().zip(&w);
            column[k + 1..].iter_mut().zip(terms).for_each(|(entry, (v, w))| *entry -= by_v * v + by_w * w);
        }
        reflectors.push(reflector);
    }
    let diagonal = a.diagonal().as_slice().to_vec();
    a.fill_with_identity();
    for (j, column) in a.as_mut_slice().chunks_exact_mut(n).enumerate() {
        for (k, reflector) in reflectors[..j].iter().enumerate().rev() {
            reflector.apply(&mut column[k + 1..]);
        }
    }
    (diagonal, beside)
}

/// Turns `diagonal` into the eigenvalues of the tridiagonal matrix with the entries `beside` the diagonal, and multiplies
/// `vectors` by its eigenvectors (Bowdler, Martin, Reinsch and Wilkinson 1968); false where that does not converge.
#[inline(always)]
fn ql(diagonal: &mut [f64], beside: &mut [f64], vectors: &mut [f64]) -> bool {
    let n = diagonal.len();
    for first in 0..n {
        for step in 0.. {
            let negligible =
                |i: &usize| beside[*i].abs() <= f64::EPSILON * (diagonal[*i].abs() + diagonal[i + 1].abs());
            let last = (first..n - 1).find(negligible).unwrap_or(n - 1);
            if last == first {
                break;
            }
            if step == STEPS {
                return false;
            }
            // Wilkinson's shift: the eigenvalue of the first two rows that is closer to the first entry.
            let slope = (diagonal[first + 1] - diagonal[first]) / (2.0 * beside[first]);
            let length = (1.0 + slope * slope).sqrt().copysign(slope);
            let mut shifted = diagonal[last] - diagonal[first] + beside[first] / (slope + length);
            let (mut sine, mut cosine, mut moved) = (1.0, 1.0, 0.0);
            let mut split = false;
            for i in (first..last).rev() {
                let (outside, next) = (sine * beside[i], cosine * beside[i]);
                let length = libm::hypot(outside, shifted);
                beside[i + 1] = length;
                if length == 0.0 {
                    // The matrix falls into two parts here.
                    diagonal[i + 1] -= moved;
                    split = true;
                    break;
                }
                (sine, cosine) = (outside / length, shifted / length);
                let base = diagonal[i + 1] - moved;
                let change = (diagonal[i] - base) * sine + 2.0 * cosine * next;
                moved = sine * change;
                diagonal[i + 1] = base + moved;
                shifted = cosine * change - next;
                let (left, right) = vectors.split_at_mut((i + 1) * n);
                rotate(&mut left[i * n..], &mut right[..n], cosine, sine);
            }
            if !split {
                diagonal[first] -= moved;
                beside[first] = shifted;
            }
            beside[last] = 0.0;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{gram, pivoted_qr};
    use crate::sampling::Sampler;

    fn check(a: &DMatrix<f64>) -> Vec<f64> {
        let n = a.nrows();
        let (values, vectors) = symmetric_eigen(a).unwrap();
        let scaled = DMatrix::from_fn(n, n, |i, j| vectors[(i, j)] * values[j]);
        // Backward stable: some n units of rounding of the norm.
        assert!((a * &vectors - scaled).amax() <= 1e-15 * n as f64 * a.norm());
        assert!((vectors.transpose() * &vectors - DMatrix::identity(n, n)).amax() < 1e-15 * (n + 10) as f64);
        assert!(values.is_sorted());
        values
    }

    #[test]
    fn eigenvalues_that_are_known_come_back() {
        let mut sampler = Sampler::new(9);
        for n in [1, 2, 3, 40, 120] {
            let q = pivoted_qr(&DMatrix::from_fn(n, n, |_, _| sampler.normal())).q;
            // Both signs, pairs ±λ and equal ones.
            let exact: Vec<f64> = (0..n).map(|i| (i / 2) as f64 - (n / 4) as f64).collect();
            let scaled = DMatrix::from_fn(n, n, |i, j| q[(i, j)] * exact[j]);
            let a = &scaled * q.transpose();
            let a = (&a + a.transpose()) * 0.5;
            let values = check(&a);
            assert!(values.iter().zip(&exact).all(|(value, exact)| (value - exact).abs() < 1e-14 * n as f64));
        }
    }

    #[test]
    fn singular_diagonal_and_broken_matrices() {
        let mut sampler = Sampler::new(10);
        let values = check(&gram(&DMatrix::from_fn(5, 30, |_, _| sampler.normal())));
        assert!(values[24].abs() < 1e-13 && values[25] > 1.0);
        check(&DMatrix::zeros(4, 4));
        assert_eq!(
            check(&DMatrix::from_diagonal(&nalgebra::DVector::from_vec(vec![3.0, -1.0, 2.0]))),
            [-1.0, 2.0, 3.0]
        );
        assert!(symmetric_eigen(&DMatrix::from_element(3, 3, f64::NAN)).is_none());
        assert!(symmetric_eigen(&DMatrix::zeros(0, 0)).unwrap().0.is_empty());
    }
}
