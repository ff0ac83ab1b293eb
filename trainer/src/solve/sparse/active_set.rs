//! Ridge fits on a sequence of subsets of columns, which reuse the work on common columns.

use nalgebra::DMatrix;

use crate::linalg::{gram, product, transpose_product};
use crate::solve::SolveError;
use crate::solve::least_squares::ridge::{ridge, ridge_from_gram};

/// The largest number of columns of a Gram matrix, per pursuit that uses it.
///
/// The Gram matrix takes as long as N/20 passes over A, and a pursuit makes 10 to 20 passes.
const GRAM_COLUMNS: usize = 256;

/// The problem `min ‖A C − Y‖²`, A n×N and Y n×k, prepared for fits on a few columns of A at a time.
pub struct LeastSquares<'a> {
    a: &'a DMatrix<f64>,
    y: &'a DMatrix<f64>,
    /// `Aᵀ Y`, N×k.
    moments: DMatrix<f64>,
    /// `Aᵀ A`, if forming it once takes less time than repeated passes over A.
    gram: Option<DMatrix<f64>>,
}

impl<'a> LeastSquares<'a> {
    /// Prepares a problem for `pursuits` pursuits.
    ///
    /// The Gram matrix is formed if A has no more columns than rows and there are enough pursuits. The work of a
    /// pursuit then does not depend on n.
    pub fn new(a: &'a DMatrix<f64>, y: &'a DMatrix<f64>, pursuits: usize) -> LeastSquares<'a> {
        let repaid = a.ncols() <= a.nrows().min(GRAM_COLUMNS * pursuits);
        let gram = repaid.then(|| gram(a));
        LeastSquares { a, y, moments: transpose_product(a, y), gram }
    }

    /// Returns the number of columns N.
    pub fn columns(&self) -> usize {
        self.a.ncols()
    }
}

/// A subset of the columns of A and the fit on it. Each column has a slot, which a new column takes over from an old
/// one.
///
/// A pursuit soon exchanges about one column in a hundred, and the products of the others are reused. These products
/// are copied and not updated, so that rounding errors do not accumulate.
pub struct ActiveSet<'a> {
    problem: &'a LeastSquares<'a>,
    /// The column in each slot.
    columns: Vec<usize>,
    /// The active columns of A, or of its Gram matrix where there is one.
    kept: DMatrix<f64>,
    /// Their Gram matrix, s×s.
    gram: DMatrix<f64>,
    /// Their coefficients, s×k.
    coefficients: DMatrix<f64>,
}

impl<'a> ActiveSet<'a> {
    /// Creates an empty subset.
    pub fn empty(problem: &'a LeastSquares<'a>) -> ActiveSet<'a> {
        let none = |columns| DMatrix::zeros(0, columns);
        let coefficients = none(problem.y.ncols());
        ActiveSet { problem, columns: Vec::new(), kept: none(0), gram: none(0), coefficients }
    }

    /// Returns the columns, in no particular order.
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Returns the coefficients, one row per column of [`ActiveSet::columns`].
    pub fn coefficients(&self) -> &DMatrix<f64> {
        &self.coefficients
    }

    /// Returns the negative gradient of half the objective, `Aᵀ(Y − A C)`, N×k.
    pub fn descent(&self) -> DMatrix<f64> {
        let LeastSquares { a, y, moments, gram } = self.problem;
        if self.columns.is_empty() {
            return moments.clone();
        }
        let explained = product(&self.kept, &self.coefficients);
        if gram.is_some() { moments - explained } else { transpose_product(a, &(*y - explained)) }
    }

    /// Replaces the columns by `support` (ascending) and fits them with the ridge parameter `lambda`.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] if A or Y have values that are not finite.
    pub fn fit(&mut self, support: &[usize], lambda: f64) -> Result<(), SolveError> {
        let LeastSquares { a, y, moments, .. } = self.problem;
        let changed = self.exchange(support);
        // With more columns than rows, the dual form takes less time than all products of columns.
        let primal = self.columns.len() <= a.nrows();
        let quick = if primal {
            self.update_gram(&changed);
            ridge_from_gram(&self.gram, &moments.select_rows(&self.columns), lambda)
        } else {
            None
        };
        self.coefficients = match quick {
            Some(coefficients) => coefficients,
            None => ridge(&a.select_columns(&self.columns), y, lambda)?,
        };
        Ok(())
    }

    /// Puts the new columns of `support` into the slots of the columns that leave. Returns the slots that changed.
    fn exchange(&mut self, support: &[usize]) -> Vec<usize> {
        let source = self.problem.gram.as_ref().unwrap_or(self.problem.a);
        let mut held = self.columns.clone();
        held.sort_unstable();
        let entering: Vec<usize> = support.iter().copied().filter(|j| held.binary_search(j).is_err()).collect();
        if support.len() != self.columns.len() || 2 * entering.len() > support.len() {
            self.columns = support.to_vec();
            self.kept = source.select_columns(support);
            return (0..support.len()).collect();
        }
        let stays = |slot: &usize| support.binary_search(&self.columns[*slot]).is_ok();
        let slots: Vec<usize> = (0..self.columns.len()).filter(|slot| !stays(slot)).collect();
        for (&slot, j) in slots.iter().zip(entering) {
            self.columns[slot] = j;
            self.kept.set_column(slot, &source.column(j));
        }
        slots
    }

    /// Computes the rows and columns of `slots` in the Gram matrix.
    fn update_gram(&mut self, slots: &[usize]) {
        let size = self.columns.len();
        if self.problem.gram.is_some() {
            // Copying all s² entries is cheap beside the factorisation, which takes s³ operations.
            self.gram = self.kept.select_rows(&self.columns);
        } else if slots.len() == size {
            self.gram = gram(&self.kept);
        } else {
            let products = transpose_product(&self.kept, &self.kept.select_columns(slots));
            for (products, &slot) in products.column_iter().zip(slots) {
                self.gram.set_column(slot, &products);
                self.gram.set_row(slot, &products.transpose());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    /// Returns a sequence of supports of `size` columns out of `columns`. Some steps exchange few columns, some most.
    fn supports(columns: usize, size: usize, sampler: &mut Sampler) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..columns).collect();
        let mut support = sampler.subset(&all, size);
        let mut chain = vec![support.clone()];
        for exchanged in [1, 0, size / 3, size, 2] {
            for _ in 0..exchanged {
                support.remove(sampler.below(size));
                let free: Vec<usize> = all.iter().copied().filter(|j| !support.contains(j)).collect();
                support.push(free[sampler.below(free.len())]);
                support.sort_unstable();
            }
            chain.push(support.clone());
        }
        chain
    }

    #[test]
    fn every_fit_of_a_chain_is_the_plain_one() {
        for seed in 0..5 {
            // Products of columns on demand, products from one Gram matrix, and the dual form.
            for (rows, columns, size, pursuits) in [(60, 90, 24, 1), (90, 60, 24, 1), (60, 90, 70, 1), (90, 60, 24, 0)]
            {
                let mut sampler = Sampler::new(seed);
                let mut random = |columns| DMatrix::from_fn(rows, columns, |_, _| sampler.normal());
                let a = random(columns);
                let y = random(2);
                let problem = LeastSquares::new(&a, &y, pursuits);
                assert_eq!(problem.gram.is_some(), columns < rows && pursuits > 0);
                let mut active = ActiveSet::empty(&problem);
                assert!((active.descent() - a.transpose() * &y).amax() < 1e-12);
                for lambda in [1e-2, 10.0, 0.0] {
                    for support in supports(columns, size, &mut sampler) {
                        active.fit(&support, lambda).unwrap();
                        let kept = a.select_columns(active.columns());
                        let plain = ridge(&kept, &y, lambda).unwrap();
                        // Sums of 90 terms of size 10 have rounding errors of 1e-16 each, and the condition numbers of
                        // normal random matrices that are not square are at most some thousand.
                        assert!((active.coefficients() - plain).amax() < 1e-10);
                        let residual = &y - kept * active.coefficients();
                        assert!((active.descent() - a.transpose() * residual).amax() < 1e-10);
                        let mut columns = active.columns().to_vec();
                        columns.sort_unstable();
                        assert_eq!(columns, support);
                    }
                }
            }
        }
    }
}
