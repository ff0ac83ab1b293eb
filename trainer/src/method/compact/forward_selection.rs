//! Forward selection of pairs of columns by the ridge objective: orthogonal least squares.
//!
//! S. Chen, S. A. Billings and W. Luo, *Orthogonal least squares methods and their application to non-linear system
//! identification*, 1989, with the penalty of ridge regression and all targets together. Of the columns that a pair has
//! beyond those already chosen no copy is made: a Cholesky factorisation grows by a pair a step, and a step costs one
//! product of the matrix with two columns.

use std::ops::ControlFlow;

use nalgebra::{DMatrix, Matrix2, RowVector2};
use rayon::prelude::*;

use crate::linalg::{add_scaled, dot, transpose_product};

/// Share of its determinant that a pair must have left beyond the chosen ones; below, rounding decides.
const LEAST_LEFT: f64 = 1e-12;

/// Pairs in the order of their selection: each the one that lowers `min ‖A C − Y‖² + λ‖C‖²` most beside those before
/// it.
///
/// A is n×2N and pair j its columns j and N + j; Y is n×k. At most `count` pairs, fewer where the others are in the
/// span of the chosen ones or `interrupt` breaks. The first t of them are what a shorter selection would give.
pub fn select_pairs(
    a: &DMatrix<f64>,
    y: &DMatrix<f64>,
    lambda: f64,
    count: usize,
    mut interrupt: impl FnMut() -> ControlFlow<()>,
) -> Vec<usize> {
    let pairs = a.ncols() / 2;
    let mut left = Remainder::new(a, y, lambda);
    let mut order = Vec::with_capacity(count.min(pairs));
    while order.len() < count && interrupt().is_continue() {
        let Some(best) = left.best() else { break };
        order.push(best);
        left.take(a, best);
    }
    order
}

/// The residuals of pairs and targets beside the chosen pairs.
struct Remainder {
    pairs: usize,
    /// The pairs' own 2×2 blocks of `AᵀA + λI`, less what the chosen ones explain.
    blocks: Vec<Matrix2<f64>>,
    /// Determinant below which a pair counts as explained.
    least: Vec<f64>,
    /// Moments `Aᵀ (Y − A C)`, 2N×k.
    moments: DMatrix<f64>,
    /// Rows of `AᵀA` by the chosen pairs' orthonormal directions: one column (2N) a direction.
    factor: Vec<Vec<f64>>,
    taken: Vec<bool>,
}

impl Remainder {
    fn new(a: &DMatrix<f64>, y: &DMatrix<f64>, lambda: f64) -> Remainder {
        let (rows, pairs) = (a.nrows(), a.ncols() / 2);
        let (first, second) = a.as_slice().split_at(rows * pairs);
        let block = |j: usize| {
            let (u, v) = (&first[j * rows..(j + 1) * rows], &second[j * rows..(j + 1) * rows]);
            let cross = dot(u, v);
            Matrix2::new(dot(u, u) + lambda, cross, cross, dot(v, v) + lambda)
        };
        let blocks: Vec<Matrix2<f64>> = (0..pairs).into_par_iter().map(block).collect();
        let least = blocks.iter().map(|block| LEAST_LEFT * block[(0, 0)] * block[(1, 1)]).collect();
        let moments = transpose_product(a, y);
        Remainder { pairs, blocks, least, moments, factor: Vec::new(), taken: vec![false; pairs] }
    }

    /// The pair that lowers the objective most; ties go to the first.
    fn best(&self) -> Option<usize> {
        let left = (0..self.pairs).filter(|&j| !self.taken[j]);
        let scored = left.filter_map(|j| Some((j, self.decrease(j)?)));
        scored.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(j, _)| j)
    }

    /// Returns the decrease of the objective when a pair is added; none where the pair has no residual.
    fn decrease(&self, j: usize) -> Option<f64> {
        let block = &self.blocks[j];
        let determinant = block.determinant();
        if determinant.is_nan() || determinant <= self.least[j] {
            return None;
        }
        let square = |k: usize| {
            let (u, v) = (self.moments[(j, k)], self.moments[(self.pairs + j, k)]);
            block[(1, 1)] * u * u - 2.0 * block[(0, 1)] * u * v + block[(0, 0)] * v * v
        };
        Some((0..self.moments.ncols()).map(square).sum::<f64>() / determinant)
    }

    /// Takes a pair: adds its two directions to the factor, and takes what they explain out of the others.
    fn take(&mut self, a: &DMatrix<f64>, pair: usize) {
        self.taken[pair] = true;
        let members = [pair, self.pairs + pair];
        let products = transpose_product(a, &a.select_columns(&members));
        let mut columns = [products.column(0).as_slice().to_vec(), products.column(1).as_slice().to_vec()];
        for (column, member) in columns.iter_mut().zip(members) {
            for known in &self.factor {
                add_scaled(column, -known[member], known);
            }
        }
        // The factor of the pair's block, [[p, 0], [r, q]].
        let block = &self.blocks[pair];
        let p = block[(0, 0)].sqrt();
        let r = block[(0, 1)] / p;
        let q = (block[(1, 1)] - r * r).sqrt();
        let [mut u, mut v] = columns;
        u.iter_mut().for_each(|u| *u /= p);
        add_scaled(&mut v, -r, &u);
        v.iter_mut().for_each(|v| *v /= q);
        for k in 0..self.moments.ncols() {
            let first = self.moments[(pair, k)] / p;
            let second = (self.moments[(self.pairs + pair, k)] - r * first) / q;
            let moments = &mut self.moments.as_mut_slice()[k * 2 * self.pairs..(k + 1) * 2 * self.pairs];
            add_scaled(moments, -first, &u);
            add_scaled(moments, -second, &v);
        }
        for (j, block) in self.blocks.iter_mut().enumerate() {
            for direction in [&u, &v] {
                let of_pair = RowVector2::new(direction[j], direction[self.pairs + j]);
                *block -= of_pair.transpose() * of_pair;
            }
        }
        self.factor.extend([u, v]);
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

    #[test]
    fn every_step_takes_the_pair_whose_fit_is_best() {
        for seed in 0..6 {
            let mut sampler = Sampler::new(seed);
            let pairs = 12;
            let (a, y) = (random(30, 2 * pairs, &mut sampler), random(30, 1 + seed as usize % 3, &mut sampler));
            let lambda = [1e-6, 0.5, 40.0][seed as usize % 3];
            let objective = |chosen: &[usize]| {
                let columns: Vec<usize> = chosen.iter().flat_map(|&j| [j, pairs + j]).collect();
                let part = a.select_columns(&columns);
                let c = ridge(&part, &y, lambda).unwrap();
                (&part * &c - &y).norm_squared() + lambda * c.norm_squared()
            };
            let mut plain: Vec<usize> = Vec::new();
            for _ in 0..8 {
                let left = (0..pairs).filter(|j| !plain.contains(j));
                let with = |j: usize| objective(&[plain.as_slice(), &[j]].concat());
                plain.push(left.min_by(|&i, &j| with(i).total_cmp(&with(j))).unwrap());
            }
            assert_eq!(select_pairs(&a, &y, lambda, 8, || ControlFlow::Continue(())), plain);
        }
    }

    #[test]
    fn pairs_in_the_span_of_the_chosen_ones_are_left_out() {
        let mut sampler = Sampler::new(1);
        // Pair 3 is pair 0 with its members exchanged, pair 4 is nothing.
        let (first, second) = (random(20, 3, &mut sampler), random(20, 3, &mut sampler));
        let mut a = DMatrix::zeros(20, 10);
        a.columns_mut(0, 3).copy_from(&first);
        a.columns_mut(5, 3).copy_from(&second);
        a.set_column(3, &second.column(0));
        a.set_column(8, &first.column(0));
        let y = random(20, 1, &mut sampler);
        let mut order = select_pairs(&a, &y, 0.0, 9, || ControlFlow::Continue(()));
        assert!(order.contains(&0) != order.contains(&3));
        order.retain(|j| ![0, 3].contains(j));
        order.sort_unstable();
        assert_eq!(order, [1, 2]);
    }
}
