//! A QR factorisation with updates: columns join and leave.

use crate::linalg::dot;

/// A column depends on others if the fraction of its norm outside of their span is below this limit.
const DEPENDENT: f64 = 1e-9;

/// The factorisation `A_S = Q R` of a list S of columns: Q n×s with orthonormal columns, R s×s upper triangular.
#[derive(Clone, Debug, Default)]
pub struct Qr {
    /// The columns of Q.
    q: Vec<Vec<f64>>,
    /// The columns of R, each down to the diagonal.
    r: Vec<Vec<f64>>,
}

impl Qr {
    /// Appends a column in O(ns). Returns false and changes nothing if the column depends on the others.
    ///
    /// The Gram-Schmidt process, done twice, keeps Q orthonormal to rounding (Giraud, Langou and Rozložník 2005).
    pub fn push(&mut self, column: &[f64]) -> bool {
        let mut rest = column.to_vec();
        let mut entries = vec![0.0; self.q.len()];
        for _ in 0..2 {
            for (q, entry) in self.q.iter().zip(&mut entries) {
                let share = dot(q, &rest);
                *entry += share;
                add(&mut rest, -share, q);
            }
        }
        let left = dot(&rest, &rest).sqrt();
        let independent = left > DEPENDENT * dot(column, column).sqrt();
        if independent {
            rest.iter_mut().for_each(|v| *v /= left);
            entries.push(left);
            self.q.push(rest);
            self.r.push(entries);
        }
        independent
    }

    /// Removes the column at `index` in O(ns). Rotations of neighbouring rows make R triangular again.
    pub fn remove(&mut self, index: usize) {
        self.r.remove(index);
        for i in index..self.r.len() {
            let upper = self.r[i][i];
            let lower = self.r[i][i + 1];
            let length = libm::hypot(upper, lower);
            let cos = upper / length;
            let sin = lower / length;
            let rotate = |x: &mut f64, y: &mut f64| (*x, *y) = (cos * *x + sin * *y, cos * *y - sin * *x);
            for column in &mut self.r[i..] {
                let (above, below) = column.split_at_mut(i + 1);
                rotate(&mut above[i], &mut below[0]);
            }
            self.r[i].truncate(i + 1);
            let (left, right) = self.q.split_at_mut(i + 1);
            left[i].iter_mut().zip(&mut right[0]).for_each(|(x, y)| rotate(x, y));
        }
        self.q.pop();
    }

    /// Returns `Qᵀ v`.
    pub fn rotate(&self, v: &[f64]) -> Vec<f64> {
        self.q.iter().map(|q| dot(q, v)).collect()
    }

    /// Returns `Q z`, n values; `rows` is n, which an empty Q does not know.
    pub fn combine(&self, z: &[f64], rows: usize) -> Vec<f64> {
        let mut sum = vec![0.0; rows];
        self.q.iter().zip(z).for_each(|(q, &z)| add(&mut sum, z, q));
        sum
    }

    /// Solves `R x = b`.
    pub fn solve(&self, mut b: Vec<f64>) -> Vec<f64> {
        for (i, column) in self.r.iter().enumerate().rev() {
            b[i] /= column[i];
            let x = b[i];
            add(&mut b[..i], -x, &column[..i]);
        }
        b
    }

    /// Solves `Rᵀ x = b`.
    pub fn solve_transposed(&self, b: &[f64]) -> Vec<f64> {
        let mut x = Vec::with_capacity(b.len());
        for (i, column) in self.r.iter().enumerate() {
            x.push((b[i] - dot(&column[..i], &x)) / column[i]);
        }
        x
    }
}

/// `sum += factor · v`.
pub fn add(sum: &mut [f64], factor: f64, v: &[f64]) {
    sum.iter_mut().zip(v).for_each(|(sum, v)| *sum += factor * v);
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn least_squares_after_joining_and_leaving() {
        let mut sampler = Sampler::new(3);
        let a = DMatrix::from_fn(12, 9, |_, _| sampler.normal());
        let y = DVector::from_fn(12, |_, _| sampler.normal());
        let mut qr = Qr::default();
        let mut kept = Vec::new();
        for j in 0..9 {
            assert!(qr.push(a.column(j).as_slice()));
            kept.push(j);
        }
        for index in [8, 0, 3, 2] {
            qr.remove(index);
            kept.remove(index);
            let b = a.select_columns(&kept);
            // Another factorisation solves the normal equations.
            let expected = (b.transpose() * &b).lu().solve(&(b.transpose() * &y)).unwrap();
            let found = DVector::from_vec(qr.solve(qr.rotate(y.as_slice())));
            assert!((found - &expected).amax() < 1e-11);
            let ones = vec![1.0; kept.len()];
            let z = DVector::from_vec(qr.solve(qr.solve_transposed(&ones)));
            assert!((b.transpose() * &b * z).add_scalar(-1.0).amax() < 1e-11);
            let projection = DVector::from_vec(qr.combine(&qr.rotate(y.as_slice()), 12));
            assert!((projection - b * expected).amax() < 1e-11);
        }
    }

    #[test]
    fn a_combination_of_the_others_is_refused() {
        let mut qr = Qr::default();
        assert!(qr.push(&[1.0, 2.0, 0.0]));
        assert!(qr.push(&[0.0, 1.0, 1.0]));
        assert!(!qr.push(&[2.0, 5.0, 1.0]));
        assert!(!qr.push(&[0.0; 3]));
        assert!(qr.push(&[0.0, 0.0, 1.0]));
        assert_eq!(qr.rotate(&[0.0; 3]).len(), 3);
    }
}
