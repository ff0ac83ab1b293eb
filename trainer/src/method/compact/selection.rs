//! Selection of frequencies from many: forward selection and backward elimination of pairs of columns.
//!
//! Forward selection is orthogonal least squares (S. Chen, S. A. Billings and W. Luo, *Orthogonal least squares methods
//! and their application to non-linear system identification*, 1989) with the penalty of ridge regression and all
//! targets together. No copy is made of the columns that a pair has beyond the chosen ones: a Cholesky factorisation
//! grows by a pair a step, and a step costs one product of the matrix with two columns.
//!
//! Backward elimination goes by what the loss of a pair costs the ridge objective (B. Hassibi and D. G. Stork, *Second
//! order derivatives for network pruning: optimal brain surgeon*, 1993, which is exact for a linear model): taking out
//! columns J of the minimiser C of `‖A C − Y‖² + λ‖C‖²` raises it by `tr(C_Jᵀ (P_JJ)⁻¹ C_J)` with `P = (AᵀA + λI)⁻¹`.
//! While columns outnumber rows, pairs go by the size of their coefficients: there the cost of a loss with a small λ
//! tells how hard a column is to replace in the interpolant, which favours those that fit no others and predict
//! nothing.
//!
//! A selection writes tens of megabytes and reads them for a moment. A thread keeps that memory for its next selection,
//! as the operating system would clear every page of it before, and take it back after.

use std::cell::Cell;
use std::ops::ControlFlow;

use nalgebra::{DMatrix, Matrix2, RowVector2};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::features::Feature;
use crate::linalg::{add_scaled, cholesky_solve, dot, gram, product, remove_columns, transpose_product, zeros};
use crate::method::compact::problem::Problem;
use crate::method::error::MethodError;
use crate::run::Run;
use crate::solve::SolveError;
use crate::solve::least_squares::min_norm::decompose;
use crate::solve::least_squares::ridge::ridge;

/// How frequencies are chosen from many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// The frequency that lowers the objective most is added, one after the other.
    Forward,
    /// The frequency whose loss costs least is removed, one after the other.
    Backward,
}

impl Selection {
    /// Returns the `count` frequencies that are kept.
    pub(crate) fn choose(
        self,
        problem: &Problem<'_>,
        frequencies: Vec<Feature>,
        count: usize,
        run: &Run<'_>,
    ) -> Result<Vec<Feature>, MethodError> {
        let values = problem.values_in(scratch_matrix(problem.x.nrows(), 2 * frequencies.len()), &frequencies);
        let (y, penalty) = (&problem.y, problem.penalty);
        let chosen = match self {
            Selection::Forward => select_pairs(&values, y, penalty, count, || run.interruption()),
            Selection::Backward => eliminate_pairs(&values, y, penalty, count, || run.interruption())?,
        };
        keep_scratch(values);
        let chosen = chosen.into_iter().map(|j| frequencies[j].clone()).collect();
        if run.interrupted() { Err(MethodError::Interrupted) } else { Ok(chosen) }
    }
}

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
    interrupt: impl FnMut() -> ControlFlow<()>,
) -> Vec<usize> {
    select_pairs_within(a, y, lambda, &vec![1.0; a.ncols() / 2], count as f64, interrupt)
}

/// Pairs as [`select_pairs`] has them, each the one that lowers the objective most for what it costs, as long as all
/// together cost no more than the room.
pub fn select_pairs_within(
    a: &DMatrix<f64>,
    y: &DMatrix<f64>,
    lambda: f64,
    costs: &[f64],
    mut room: f64,
    mut interrupt: impl FnMut() -> ControlFlow<()>,
) -> Vec<usize> {
    let mut left = Remainder::new(a, y, lambda);
    let mut order = Vec::new();
    while interrupt().is_continue() {
        let Some(best) = left.best(costs, room) else { break };
        order.push(best);
        room -= costs[best];
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

    /// The pair within the room that lowers the objective most for its cost; ties go to the first.
    fn best(&self, costs: &[f64], room: f64) -> Option<usize> {
        let left = (0..self.pairs).filter(|&j| !self.taken[j] && costs[j] <= room);
        let scored = left.filter_map(|j| Some((j, self.decrease(j)? / costs[j])));
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

/// Share of the pairs that go in a step while there are more columns than rows.
const WIDE_RATE: f64 = 0.2;

/// Share of the pairs that go in a step afterwards.
const RATE: f64 = 0.05;

/// Share of the largest entry of a Gram matrix above which λ makes normal equations safe: they square the condition
/// number.
const SAFE_SHARE: f64 = 1e-10;

/// Singular values below this share of the largest are rounding.
const RCOND: f64 = 1e-15;

/// The `count` pairs that are left, ascending, when those whose loss costs least have gone. A is n×2N and pair j its
/// columns j and N + j; Y is n×k.
///
/// The cost of a loss is computed anew in every step: with the small λ of noise-free targets, an inverse that follows
/// the columns that leave loses the digits that decide, and normal equations do, so that singular values take their
/// place. All steps together cost a few times the first.
///
/// # Errors
/// [`SolveError::NotFinite`] where A or Y hold values that are not finite.
pub fn eliminate_pairs(
    a: &DMatrix<f64>,
    y: &DMatrix<f64>,
    lambda: f64,
    count: usize,
    mut interrupt: impl FnMut() -> ControlFlow<()>,
) -> Result<Vec<usize>, SolveError> {
    let mut kept: Vec<usize> = (0..a.ncols() / 2).collect();
    let mut left = Left::Values(a.clone());
    while kept.len() > count && interrupt().is_continue() {
        let (pairs, wide) = (kept.len(), 2 * kept.len() > a.nrows());
        if let Left::Values(a) = &left
            && !wide
            && is_safe(a, lambda)
        {
            left = Left::equations(a, y, lambda);
        }
        let costs = left.costs(y, lambda)?;
        let gone = smallest(&costs, if wide { WIDE_RATE } else { RATE }, pairs - count);
        let columns: Vec<usize> = gone.iter().copied().chain(gone.iter().map(|j| pairs + j)).collect();
        left = left.without(&columns);
        for &place in gone.iter().rev() {
            kept.remove(place);
        }
    }
    Ok(kept)
}

/// Whether λ makes normal equations safe.
fn is_safe(a: &DMatrix<f64>, lambda: f64) -> bool {
    let largest = a.column_iter().map(|column| column.norm_squared()).fold(0.0, f64::max);
    lambda > SAFE_SHARE * largest
}

/// The columns that are left.
enum Left {
    Values(DMatrix<f64>),
    /// `AᵀA + λI` and `AᵀY`.
    Equations(DMatrix<f64>, DMatrix<f64>),
}

impl Left {
    fn equations(a: &DMatrix<f64>, y: &DMatrix<f64>, lambda: f64) -> Left {
        let mut equations = gram(a);
        add_to_diagonal(&mut equations, lambda);
        Left::Equations(equations, transpose_product(a, y))
    }

    fn without(self, columns: &[usize]) -> Left {
        match self {
            Left::Values(a) => Left::Values(remove_columns(a, columns)),
            Left::Equations(gram, moments) => {
                Left::Equations(remove_columns(gram, columns).remove_rows_at(columns), moments.remove_rows_at(columns))
            }
        }
    }

    /// Returns the cost of removing each pair, or the square of its coefficients while columns outnumber rows.
    fn costs(&self, y: &DMatrix<f64>, lambda: f64) -> Result<Vec<f64>, SolveError> {
        match self {
            Left::Equations(gram, moments) => {
                let identity = DMatrix::identity(gram.nrows(), gram.nrows());
                let inverse = cholesky_solve(gram, &identity).ok_or(SolveError::NotFinite)?;
                Ok(costs(&product(&inverse, moments), |i, j| inverse[(i, j)]))
            }
            Left::Values(a) if a.ncols() > a.nrows() => {
                let (c, pairs) = (ridge(a, y, lambda)?, a.ncols() / 2);
                Ok((0..pairs).map(|j| c.row(j).norm_squared() + c.row(pairs + j).norm_squared()).collect())
            }
            Left::Values(a) => {
                let svd = decompose(a).ok_or(SolveError::NotFinite)?;
                let floor = RCOND * svd.s.first().copied().unwrap_or(0.0);
                let penalty = lambda.max(floor * floor);
                // Rows of (S² + λ)^(−1/2) Vᵀ: an entry of P is a product of two columns.
                let mut root = svd.v.transpose();
                let mut moments = transpose_product(&svd.u, y);
                for (i, s) in svd.s.iter().enumerate() {
                    let length = (s * s + penalty).sqrt();
                    root.row_mut(i).unscale_mut(length);
                    moments.row_mut(i).scale_mut(s / length);
                }
                let c = transpose_product(&root, &moments);
                Ok(costs(&c, |i, j| root.column(i).dot(&root.column(j))))
            }
        }
    }
}

pub(super) fn add_to_diagonal(gram: &mut DMatrix<f64>, lambda: f64) {
    for i in 0..gram.nrows() {
        gram[(i, i)] += lambda;
    }
}

/// The costs of all pairs from the coefficients C (2N×k) and entries of P.
fn costs(c: &DMatrix<f64>, inverse: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let pairs = c.nrows() / 2;
    let cost = |j: usize| {
        let (first, cross, second) = (inverse(j, j), inverse(j, pairs + j), inverse(pairs + j, pairs + j));
        let adjugate = Matrix2::new(second, -cross, -cross, first);
        let square = |k: usize| {
            let of_pair = RowVector2::new(c[(j, k)], c[(pairs + j, k)]);
            (of_pair * adjugate * of_pair.transpose())[0]
        };
        (0..c.ncols()).map(square).sum::<f64>() / (first * second - cross * cross)
    };
    (0..pairs).map(cost).collect()
}

/// The places of the smallest costs, ascending: a share of all, at least one and `most` at most.
fn smallest(costs: &[f64], rate: f64, most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|&i, &j| costs[i].total_cmp(&costs[j]));
    order.truncate(((rate * costs.len() as f64) as usize).clamp(1, most));
    order.sort_unstable();
    order
}

/// The most numbers that a thread keeps: 64 MB.
const MOST_KEPT: usize = 1 << 23;

thread_local! {
    static KEPT: Cell<Vec<f64>> = const { Cell::new(Vec::new()) };
}

/// Returns a matrix that holds any numbers.
pub fn scratch_matrix(rows: usize, columns: usize) -> DMatrix<f64> {
    let mut kept = KEPT.take();
    if kept.capacity() < rows * columns {
        return zeros(rows, columns);
    }
    kept.resize(rows * columns, 0.0);
    DMatrix::from_vec(rows, columns, kept)
}

/// Keeps the memory of a matrix for the next one of this thread.
pub fn keep_scratch(matrix: DMatrix<f64>) {
    let memory: Vec<f64> = matrix.data.into();
    let other = KEPT.take();
    let larger = if other.capacity() > memory.capacity() { other } else { memory };
    if larger.capacity() <= MOST_KEPT {
        KEPT.set(larger);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

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
    fn every_step_takes_what_lowers_the_objective_most_for_its_cost() {
        for seed in 0..4 {
            let mut sampler = Sampler::new(seed);
            let pairs = 10;
            let (a, y) = (random(30, 2 * pairs, &mut sampler), random(30, 1, &mut sampler));
            let costs: Vec<f64> = (0..pairs).map(|_| sampler.uniform(1.0, 4.0)).collect();
            let objective = |chosen: &[usize]| {
                if chosen.is_empty() {
                    return y.norm_squared();
                }
                let columns: Vec<usize> = chosen.iter().flat_map(|&j| [j, pairs + j]).collect();
                let part = a.select_columns(&columns);
                let c = ridge(&part, &y, 0.1).unwrap();
                (&part * &c - &y).norm_squared() + 0.1 * c.norm_squared()
            };
            let (mut plain, mut room): (Vec<usize>, f64) = (Vec::new(), 9.0);
            loop {
                let left = (0..pairs).filter(|j| !plain.contains(j) && costs[*j] <= room);
                let gain = |j: usize| (objective(&plain) - objective(&[plain.as_slice(), &[j]].concat())) / costs[j];
                let Some(best) = left.max_by(|&i, &j| gain(i).total_cmp(&gain(j))) else { break };
                room -= costs[best];
                plain.push(best);
            }
            assert!(plain.len() >= 3);
            assert_eq!(select_pairs_within(&a, &y, 0.1, &costs, 9.0, || ControlFlow::Continue(())), plain);
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

    fn objective(a: &DMatrix<f64>, y: &DMatrix<f64>, lambda: f64, kept: &[usize]) -> f64 {
        let columns: Vec<usize> = kept.iter().flat_map(|&j| [j, a.ncols() / 2 + j]).collect();
        let part = a.select_columns(&columns);
        let c = ridge(&part, y, lambda).unwrap();
        (&part * &c - y).norm_squared() + lambda * c.norm_squared()
    }

    #[test]
    fn every_step_takes_the_pair_whose_loss_costs_least() {
        for seed in 0..6 {
            let mut sampler = Sampler::new(seed);
            // Below 40 pairs one goes a step.
            let (a, y) = (random(50, 24, &mut sampler), random(50, 1 + seed as usize % 3, &mut sampler));
            let lambda = [1e-6, 0.5, 40.0][seed as usize % 3];
            let mut plain: Vec<usize> = (0..12).collect();
            while plain.len() > 5 {
                let without = |j: usize| plain.iter().copied().filter(|&i| i != j).collect::<Vec<_>>();
                let error = |j: usize| objective(&a, &y, lambda, &without(j));
                let gone = plain.iter().copied().min_by(|&i, &j| error(i).total_cmp(&error(j))).unwrap();
                plain.retain(|&j| j != gone);
            }
            let kept = eliminate_pairs(&a, &y, lambda, 5, || ControlFlow::Continue(())).unwrap();
            assert_eq!(kept, plain);
        }
    }

    #[test]
    fn the_pairs_of_the_target_stay() {
        for seed in 0..4 {
            let mut sampler = Sampler::new(seed);
            let a = random(60, 200, &mut sampler);
            let y = a.column(17) * 2.0 - a.column(143) + a.column(88) * 0.5;
            let y = DMatrix::from_columns(&[y]);
            let kept = eliminate_pairs(&a, &y, 1e-9, 3, || ControlFlow::Continue(())).unwrap();
            assert_eq!(kept, [17, 43, 88]);
        }
    }

    #[test]
    fn memory_is_used_again_where_it_is_large_enough() {
        let first = DMatrix::from_element(6, 4, 1.0);
        let address = first.as_ptr();
        keep_scratch(first);
        let smaller = scratch_matrix(3, 5);
        assert_eq!((smaller.as_ptr(), smaller.shape()), (address, (3, 5)));
        keep_scratch(smaller);
        assert_eq!(scratch_matrix(5, 5), zeros(5, 5));
        keep_scratch(zeros(MOST_KEPT / 4, 5));
        assert_eq!(KEPT.take().capacity(), 0);
    }
}
