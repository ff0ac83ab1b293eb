//! Backward elimination of pairs of columns by what their loss costs the ridge objective.
//!
//! B. Hassibi and D. G. Stork, *Second order derivatives for network pruning: optimal brain surgeon*, 1993, which is exact for
//! a linear model: taking out columns J of the minimiser C of `‖A C − Y‖² + λ‖C‖²` raises it by `tr(C_Jᵀ (P_JJ)⁻¹ C_J)` with
//! `P = (AᵀA + λI)⁻¹`.

use std::ops::ControlFlow;

use nalgebra::{DMatrix, Matrix2, RowVector2};

use super::SolveError;
use super::ridge::ridge;
use crate::linalg::{cholesky_solve, gram, remove_columns, transpose_product};

/// Share of the pairs that go in a step while there are more columns than rows, by the size of their coefficients: the
/// interpolant is then far from unique, and what a loss costs is zero but for the penalty.
const MAGNITUDE_RATE: f64 = 0.2;

/// Share of the pairs that go in a step afterwards.
const RATE: f64 = 0.05;

/// Least λ, as a share of the largest diagonal entry of `AᵀA`, with which its inverse keeps some digits.
const LEAST_SHARE: f64 = 1e-12;

/// The `count` pairs that are left, ascending, when those whose loss costs least have gone. A is n×2N and pair j its columns j
/// and N + j; Y is n×k.
///
/// The inverse is computed anew in every step: with the small λ of noise-free targets an inverse that follows the columns
/// that leave loses the digits that decide. All steps together cost seven times the first.
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
    let narrow = count.max(a.nrows() / 2);
    let mut wide = (kept.len() > narrow).then(|| a.clone());
    while let Some(part) = wide.take_if(|_| kept.len() > narrow && interrupt().is_continue()) {
        let c = ridge(&part, y, lambda)?;
        let size = |j: usize| c.row(j).norm_squared() + c.row(kept.len() + j).norm_squared();
        let gone = smallest(kept.len(), narrow, MAGNITUDE_RATE, size);
        let columns: Vec<usize> = gone.iter().copied().chain(gone.iter().map(|j| kept.len() + j)).collect();
        remove(&mut kept, &gone);
        wide = Some(remove_columns(part, &columns));
    }
    if kept.len() <= count {
        return Ok(kept);
    }
    let part = wide.unwrap_or_else(|| a.clone());
    let (mut equations, mut moments) = (gram(&part), transpose_product(&part, y));
    let penalty = lambda.max(LEAST_SHARE * equations.diagonal().max());
    for i in 0..equations.nrows() {
        equations[(i, i)] += penalty;
    }
    while kept.len() > count && interrupt().is_continue() {
        let pairs = kept.len();
        let inverse =
            cholesky_solve(&equations, &DMatrix::identity(2 * pairs, 2 * pairs)).ok_or(SolveError::NotFinite)?;
        let c = &inverse * &moments;
        let gone = smallest(pairs, count, RATE, |j| cost(&inverse, &c, j));
        let columns: Vec<usize> = gone.iter().copied().chain(gone.iter().map(|j| pairs + j)).collect();
        equations = equations.remove_columns_at(&columns).remove_rows_at(&columns);
        moments = moments.remove_rows_at(&columns);
        remove(&mut kept, &gone);
    }
    Ok(kept)
}

/// What taking out pair j costs.
fn cost(inverse: &DMatrix<f64>, c: &DMatrix<f64>, j: usize) -> f64 {
    let other = c.nrows() / 2 + j;
    let (own, cross) = (inverse[(j, j)], inverse[(j, other)]);
    let block = Matrix2::new(own, cross, cross, inverse[(other, other)]);
    let (scaled, determinant) = (Matrix2::new(block[(1, 1)], -cross, -cross, own), block.determinant());
    let square = |k: usize| {
        let of_pair = RowVector2::new(c[(j, k)], c[(other, k)]);
        (of_pair * scaled * of_pair.transpose())[0]
    };
    (0..c.ncols()).map(square).sum::<f64>() / determinant
}

/// The pairs that go in a step, ascending: a share of all, at least one, and not more than leave `least`.
fn smallest(pairs: usize, least: usize, rate: f64, size: impl Fn(usize) -> f64) -> Vec<usize> {
    let sizes: Vec<f64> = (0..pairs).map(size).collect();
    let mut order: Vec<usize> = (0..pairs).collect();
    order.sort_by(|&i, &j| sizes[i].total_cmp(&sizes[j]));
    order.truncate(((rate * pairs as f64) as usize).clamp(1, pairs - least));
    order.sort_unstable();
    order
}

/// Takes the entries at some ascending places out.
fn remove(kept: &mut Vec<usize>, places: &[usize]) {
    for &place in places.iter().rev() {
        kept.remove(place);
    }
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
