//! Hard thresholding pursuit on the ridge objective: HARFE's Algorithm 1 (Saha, Schaeffer and Tran 2023, equation 8).

use std::ops::ControlFlow;

use nalgebra::DMatrix;

use crate::solve::SolveError;
use crate::solve::sparse::active_set::{ActiveSet, LeastSquares};

/// Which entries of the gradient step survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The largest by magnitude (Euclidean norm over the outputs): what the paper writes.
    LargestMagnitude,
    /// The largest by value (sum over the outputs): what reproduces the paper's tables.
    LargestValue,
}

/// Parameters of the pursuit.
#[derive(Clone, Copy, Debug)]
pub struct Pursuit {
    /// Number of columns kept, s.
    pub sparsity: usize,
    /// Ridge parameter λ, added to the diagonal of the Gram matrix.
    pub lambda: f64,
    /// Step length μ of the gradient step.
    pub step: f64,
    /// Most iterations.
    pub max_iterations: usize,
    /// Which entries survive.
    pub keep: Keep,
}

/// What the pursuit found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The kept columns, ascending.
    pub support: Vec<usize>,
    /// Their coefficients, s×k.
    pub coefficients: DMatrix<f64>,
    /// Iterations made.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the effort"))]
    pub iterations: usize,
}

impl Pursuit {
    /// Looks for `argmin ‖A C − Y‖² + λ‖C‖²` over C with at most s non-zero rows, A n×N, Y n×k.
    ///
    /// Alternates a gradient step, `C̃ = (1 − μλ) C + μ Aᵀ(Y − A C)`, the choice of the s largest rows of C̃, and a
    /// ridge fit on them, until the choice no longer changes. Ties go to the lower column.
    pub fn run(
        &self,
        problem: &LeastSquares<'_>,
        mut interrupt: impl FnMut() -> ControlFlow<()>,
    ) -> Result<Found, SolveError> {
        let sparsity = self.sparsity.min(problem.columns());
        let mut active = ActiveSet::empty(problem);
        let mut support = Vec::new();
        let mut iterations = 0;
        while iterations < self.max_iterations && interrupt().is_continue() {
            let mut step = active.descent() * self.step;
            for (kept, &column) in active.coefficients().row_iter().zip(active.columns()) {
                let mut target = step.row_mut(column);
                target += kept * (1.0 - self.step * self.lambda);
            }
            let chosen = self.choose(&step, sparsity);
            if chosen == support {
                break;
            }
            support = chosen;
            active.fit(&support, self.lambda)?;
            iterations += 1;
        }
        let mut slots: Vec<usize> = (0..support.len()).collect();
        slots.sort_unstable_by_key(|&slot| active.columns()[slot]);
        Ok(Found { coefficients: active.coefficients().select_rows(&slots), support, iterations })
    }

    /// The `sparsity` rows of C̃ that survive, ascending.
    fn choose(&self, step: &DMatrix<f64>, sparsity: usize) -> Vec<usize> {
        let strength = |j: usize| match self.keep {
            Keep::LargestMagnitude => step.row(j).norm_squared(),
            Keep::LargestValue => step.row(j).sum(),
        };
        let strengths: Vec<f64> = (0..step.nrows()).map(strength).collect();
        let mut order: Vec<usize> = (0..strengths.len()).collect();
        if sparsity < order.len() {
            order.select_nth_unstable_by(sparsity, |&i, &j| strengths[j].total_cmp(&strengths[i]).then(i.cmp(&j)));
            order.truncate(sparsity);
            order.sort_unstable();
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    fn pursuit(sparsity: usize, keep: Keep) -> Pursuit {
        Pursuit { sparsity, lambda: 1e-8, step: 0.5, max_iterations: 50, keep }
    }

    fn run(p: &Pursuit, a: &DMatrix<f64>, y: &DMatrix<f64>) -> Found {
        p.run(&LeastSquares::new(a, y, 1), || ControlFlow::Continue(())).unwrap()
    }

    fn unit_columns(rows: usize, columns: usize, sampler: &mut Sampler) -> DMatrix<f64> {
        let mut a = DMatrix::from_fn(rows, columns, |_, _| sampler.normal());
        a.column_iter_mut().for_each(|mut c| {
            c.normalize_mut();
        });
        a
    }

    #[test]
    fn a_sparse_combination_is_recovered() {
        for seed in 0..10 {
            let mut sampler = Sampler::new(seed);
            let a = unit_columns(60, 100, &mut sampler);
            let truth = [(3, 2.0), (41, -1.5), (77, 1.0)];
            let mut c = DMatrix::zeros(100, 1);
            truth.iter().for_each(|&(j, value)| c[j] = value);
            let found = run(&pursuit(3, Keep::LargestMagnitude), &a, &(&a * c));
            assert_eq!(found.support, [3, 41, 77]);
            for (row, (_, value)) in truth.iter().enumerate() {
                assert!((found.coefficients[row] - value).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn one_column_by_exhaustive_search() {
        // With orthogonal columns the best single column is the one with the largest scalar product.
        let a = DMatrix::<f64>::identity(6, 6);
        let y = DMatrix::from_column_slice(6, 1, &[0.1, -3.0, 2.0, 0.5, 0.0, 1.0]);
        assert_eq!(run(&pursuit(1, Keep::LargestMagnitude), &a, &y).support, [1]);
        assert_eq!(run(&pursuit(1, Keep::LargestValue), &a, &y).support, [2]);
    }

    #[test]
    fn sparsity_beyond_the_columns_keeps_all() {
        let a = DMatrix::<f64>::identity(4, 3);
        let y = DMatrix::from_element(4, 2, 1.0);
        let found = run(&pursuit(10, Keep::LargestMagnitude), &a, &y);
        assert_eq!(found.support, [0, 1, 2]);
        assert_eq!(found.coefficients.shape(), (3, 2));
    }

    #[test]
    fn a_gram_matrix_changes_nothing_but_rounding() {
        let mut iterations = 0;
        for seed in 0..10 {
            let mut sampler = Sampler::new(seed);
            let a = unit_columns(120, 80, &mut sampler);
            let y = DMatrix::from_fn(120, 2, |_, _| sampler.normal());
            let p = pursuit(20, Keep::LargestMagnitude);
            let [plain, by_gram] = [0, 1]
                .map(|pursuits| p.run(&LeastSquares::new(&a, &y, pursuits), || ControlFlow::Continue(())).unwrap());
            iterations += plain.iterations;
            assert_eq!((plain.support, plain.iterations), (by_gram.support, by_gram.iterations));
            // Coefficients of size 1 from sums of 120 terms and a condition number of some ten.
            assert!((plain.coefficients - by_gram.coefficients).amax() < 1e-12);
        }
        assert!(iterations > 10, "no column was ever exchanged");
    }
}
