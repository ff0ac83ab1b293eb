//! QR decomposition with column pivoting. The code is our own because nalgebra's takes the column with the largest
//! entry instead of the largest norm, so that its diagonal does not show the rank.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::slices::{add_scaled, dot};

/// Numbers that a thread works on at least: handing over fewer takes longer than the work.
const GRAIN: usize = 1 << 15;

/// Share of a column's squared norm below which the remainder is summed anew: subtraction has cancelled half of the
/// digits.
const CANCELLED: f64 = 1.5e-8; // √ε

/// Thin QR decomposition with column pivoting: `a = q · r` with `q` n×r of orthonormal columns, r = min(n, N), and `r`
/// the triangular factor with its columns put back in the order of `a`. Products with `q` need no `q`: the reflections
/// are applied one after another.
pub struct PivotedQr {
    /// The triangular factor, r×N; column j belongs to column j of `a`.
    pub r: DMatrix<f64>,
    /// Column of `a` that each pivot step took: with columns in this order `r` is upper triangular.
    pub order: Vec<usize>,
    /// Number of rows n.
    rows: usize,
    /// The reflections, of which number k acts on the rows from k on.
    reflectors: Vec<Reflector>,
}

/// Decomposes `a` (n×N) by Householder's reflections. Every step takes the column with the largest remainder (Businger
/// and Golub 1965); of equal columns, the first.
pub fn pivoted_qr(a: &DMatrix<f64>) -> PivotedQr {
    let (rows, columns) = a.shape();
    let rank = rows.min(columns);
    let mut work = a.clone();
    let mut order: Vec<usize> = (0..columns).collect();
    let mut remainders: Vec<Remainder> = a.column_iter().map(|column| Remainder::new(column.norm_squared())).collect();
    let mut reflectors = Vec::with_capacity(rank);
    for k in 0..rank {
        let longer = |j: usize, best: usize| remainders[j].square > remainders[best].square;
        let pivot = (k + 1..columns).fold(k, |best, j| if longer(j, best) { j } else { best });
        work.swap_columns(k, pivot);
        order.swap(k, pivot);
        remainders.swap(k, pivot);
        let (done, rest) = work.as_mut_slice().split_at_mut((k + 1) * rows);
        let column = &mut done[k * rows + k..];
        let (reflector, image) = vectorised!(Reflector::new(column));
        column.fill(0.0);
        column[0] = image;
        let each = rest.par_chunks_mut(rows).zip(&mut remainders[k + 1..]).with_min_len(GRAIN / rows + 1);
        each.for_each(|(column, remainder)| {
            vectorised!({
                reflector.apply(&mut column[k..]);
                remainder.shorten(column[k], &column[k + 1..]);
            });
        });
        reflectors.push(reflector);
    }
    let mut r = DMatrix::zeros(rank, columns);
    for (j, &column) in order.iter().enumerate() {
        r.column_mut(column).copy_from(&work.view((0, j), (rank, 1)));
    }
    PivotedQr { r, order, rows, reflectors }
}

/// The squared norm of the rows of a column that are still to be reduced.
struct Remainder {
    square: f64,
    /// The square when it was last summed.
    summed: f64,
}

impl Remainder {
    fn new(square: f64) -> Remainder {
        Remainder { square, summed: square }
    }

    /// Takes the entry `first` away, which leaves `rest`.
    #[inline(always)]
    fn shorten(&mut self, first: f64, rest: &[f64]) {
        self.square -= first * first;
        if self.square <= CANCELLED * self.summed {
            *self = Remainder::new(dot(rest, rest));
        }
    }
}

/// The reflection `I − factor · v vᵀ`, which turns a vector to the direction of the first axis.
struct Reflector {
    /// The direction v; its first entry is one.
    v: Vec<f64>,
    factor: f64,
}

impl Reflector {
    /// The reflection that turns `x`, which is not empty, to the first axis, and the first entry of the result.
    #[inline(always)]
    fn new(x: &[f64]) -> (Reflector, f64) {
        let mut v = x.to_vec();
        let rest = dot(&x[1..], &x[1..]);
        v[0] = 1.0;
        if rest == 0.0 {
            return (Reflector { v, factor: 0.0 }, x[0]);
        }
        // The sign that adds, so that nothing cancels.
        let image = -(x[0] * x[0] + rest).sqrt().copysign(x[0]);
        let scale = x[0] - image;
        v[1..].iter_mut().for_each(|value| *value /= scale);
        (Reflector { v, factor: -scale / image }, image)
    }

    /// Replaces `x`, as long as v, by its reflection.
    #[inline(always)]
    fn apply(&self, x: &mut [f64]) {
        add_scaled(x, -self.factor * dot(&self.v, x), &self.v);
    }
}

impl PivotedQr {
    /// `qᵀ · m` for a matrix of n rows; r rows.
    pub fn rotate(&self, m: &DMatrix<f64>) -> DMatrix<f64> {
        let mut m = m.clone();
        self.each_column(
            &mut m,
            #[inline(always)]
            |column| {
                for (k, reflector) in self.reflectors.iter().enumerate() {
                    reflector.apply(&mut column[k..]);
                }
            },
        );
        m.resize_vertically(self.r.nrows(), 0.0)
    }

    /// `q · m` for a matrix of r rows; n rows.
    pub fn expand(&self, m: &DMatrix<f64>) -> DMatrix<f64> {
        let mut m = m.clone().resize_vertically(self.rows, 0.0);
        self.each_column(
            &mut m,
            #[inline(always)]
            |column| {
                for (k, reflector) in self.reflectors.iter().enumerate().rev() {
                    reflector.apply(&mut column[k..]);
                }
            },
        );
        m
    }

    /// Returns the minimiser x of `‖a x − m‖` for a matrix `m` of n rows, where the columns of `a` are independent;
    /// `None` where a diagonal entry is zero.
    pub fn solve(&self, m: &DMatrix<f64>) -> Option<DMatrix<f64>> {
        let sorted = self.r.select_columns(&self.order).solve_upper_triangular(&self.rotate(m))?;
        let mut x = DMatrix::zeros(self.order.len(), m.ncols());
        self.order.iter().enumerate().for_each(|(i, &column)| x.set_row(column, &sorted.row(i)));
        Some(x)
    }

    /// Number of rows n.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Calls `work` with every column of `m` (n rows), in parallel.
    fn each_column(&self, m: &mut DMatrix<f64>, work: impl Fn(&mut [f64]) + Sync) {
        if !m.is_empty() {
            let share = GRAIN / (self.rows * self.reflectors.len().max(1)) + 1;
            m.as_mut_slice().par_chunks_mut(self.rows).with_min_len(share).for_each(|column| vectorised!(work(column)));
        }
    }

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
            let qr = pivoted_qr(&a);
            let rank = rows.min(columns);
            let q = qr.expand(&DMatrix::identity(rank, rank));
            let r = &qr.r;
            let order = &qr.order;
            assert_eq!((q.shape(), r.shape()), ((rows, rank), (rank, columns)));
            // Up to 150 reflections, each with an error of some units of 1e-16 of the norm, which is below 20.
            assert!((&q * r - &a).amax() < 1e-12);
            assert!((qr.rotate(&a) - r).amax() < 1e-12);
            assert!((q.transpose() * &q - DMatrix::identity(rank, rank)).amax() < 1e-13);
            if rows >= columns {
                let x = DMatrix::from_fn(columns, 2, |_, _| sampler.normal());
                // The condition number is below 1e3.
                assert!((qr.solve(&(&a * &x)).unwrap() - x).amax() < 1e-11);
            }
            let sorted = r.select_columns(order);
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
        assert!((qr.expand(&qr.r) - &a).amax() < 1e-13);
        let zero = pivoted_qr(&DMatrix::zeros(5, 3));
        assert_eq!((zero.rank(1e-12), zero.expand(&DMatrix::identity(3, 3))), (0, DMatrix::identity(5, 3)));
        assert_eq!(pivoted_qr(&DMatrix::zeros(0, 3)).rotate(&DMatrix::zeros(0, 2)).shape(), (0, 2));
        assert_eq!(pivoted_qr(&DMatrix::zeros(4, 0)).rank(1e-12), 0);
    }
}
