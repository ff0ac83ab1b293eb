//! Backward elimination of pairs of columns by what their loss costs the ridge objective.
//!
//! B. Hassibi and D. G. Stork, *Second order derivatives for network pruning: optimal brain surgeon*, 1993, which is
//! exact for a linear model: taking out columns J of the minimiser C of `‖A C − Y‖² + λ‖C‖²` raises it by `tr(C_Jᵀ
//! (P_JJ)⁻¹ C_J)` with `P = (AᵀA + λI)⁻¹`.
//!
//! While columns outnumber rows, pairs go by the size of their coefficients: there the cost of a loss with a small λ
//! tells how hard a column is to replace in the interpolant, which favours those that fit no others and predict
//! nothing.

use std::ops::ControlFlow;

use nalgebra::{DMatrix, Matrix2, RowVector2};

use crate::linalg::{cholesky_solve, gram, product, remove_columns, transpose_product};
use crate::solve::SolveError;
use crate::solve::least_squares::min_norm::decompose;
use crate::solve::least_squares::ridge::ridge;

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

fn add_to_diagonal(gram: &mut DMatrix<f64>, lambda: f64) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    fn random(rows: usize, columns: usize, sampler: &mut Sampler) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| sampler.normal())
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
}
