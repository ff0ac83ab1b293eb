//! Iterative magnitude pruning: SHRIMP's Algorithm 1 (Xie, Shi, Schaeffer and Ward 2022), with an optional ridge.

use std::ops::ControlFlow;

use nalgebra::DMatrix;

use crate::linalg::{pivoted_qr, remove_columns};
use crate::solve::SolveError;
use crate::solve::least_squares::min_norm::ShrinkingGram;
use crate::solve::least_squares::ridge::ridge;

/// Parameters of the pruning.
#[derive(Clone, Copy, Debug)]
pub struct Pruning {
    /// The fraction of the columns that every step removes, those with the smallest coefficients; between 0 and 1.
    pub rate: f64,
    /// The ridge parameter λ of every solution; 0 gives the paper's minimum-norm interpolants.
    pub lambda: f64,
    /// Whether wide systems are solved by orthogonal factorisation instead of their Gram matrix. The factorisation is
    /// six times slower, but accurate for nearly dependent columns.
    pub stable: bool,
}

/// One step of the path: the remaining columns and their solution.
#[derive(Clone, Debug)]
pub struct Step {
    /// The columns that are left, ascending.
    pub active: Vec<usize>,
    /// Their coefficients, one row per column.
    pub coefficients: DMatrix<f64>,
}

impl Pruning {
    /// Returns the steps from all columns of `a` (n×N) down to a single one.
    ///
    /// Each step solves for its columns. The next step has fewer, without those of the smallest coefficients (norm over
    /// the outputs of `y`, n×k).
    pub fn path(
        &self,
        a: DMatrix<f64>,
        y: DMatrix<f64>,
        mut interrupt: impl FnMut() -> ControlFlow<()>,
    ) -> Result<Vec<Step>, SolveError> {
        let mut active: Vec<usize> = (0..a.ncols()).collect();
        let mut left = a;
        let mut targets = y;
        let mut gram = None;
        let mut steps = Vec::new();
        while !active.is_empty() && interrupt().is_continue() {
            let (rows, columns) = left.shape();
            let coefficients = if columns > rows && self.stable {
                ridge(&left, &targets, self.lambda)?
            } else if columns > rows {
                gram.get_or_insert_with(|| ShrinkingGram::new(&left)).solve(&left, &targets, self.lambda)?
            } else {
                gram = None;
                if rows > 2 * columns {
                    // R takes the place of Q R from here on, with as many rows as columns.
                    let qr = pivoted_qr(&left);
                    targets = qr.rotate(&targets);
                    left = qr.r;
                }
                ridge(&left, &targets, self.lambda)?
            };
            let (kept, dropped) = self.divide(&coefficients);
            steps.push(Step { active: active.clone(), coefficients });
            if columns == 1 {
                break;
            }
            if let Some(gram) = &mut gram {
                gram.remove(&left.select_columns(&dropped));
            }
            left = remove_columns(left, &dropped);
            active = kept.iter().map(|&j| active[j]).collect();
        }
        Ok(steps)
    }

    /// Returns the rows of `coefficients` that stay and the rows that go, each ascending.
    fn divide(&self, coefficients: &DMatrix<f64>) -> (Vec<usize>, Vec<usize>) {
        let columns = coefficients.nrows();
        let size: Vec<f64> = coefficients.row_iter().map(|row| row.norm_squared()).collect();
        let mut order: Vec<usize> = (0..columns).collect();
        let drop = ((columns as f64 * self.rate).ceil() as usize).clamp(1, columns.saturating_sub(1).max(1));
        if drop < columns {
            order.select_nth_unstable_by(drop, |&i, &j| size[i].total_cmp(&size[j]).then(i.cmp(&j)));
        }
        let mut kept = order.split_off(drop);
        kept.sort_unstable();
        order.sort_unstable();
        (kept, order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;
    use crate::solve::least_squares::min_norm::min_norm;

    fn path(pruning: &Pruning, a: &DMatrix<f64>, y: &DMatrix<f64>) -> Vec<Step> {
        pruning.path(a.clone(), y.clone(), || ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn every_step_is_the_solution_of_its_columns() {
        for stable in [false, true] {
            let mut sampler = Sampler::new(4);
            let a = DMatrix::from_fn(30, 200, |_, _| sampler.normal());
            let y = DMatrix::from_fn(30, 2, |_, _| sampler.normal());
            let steps = path(&Pruning { rate: 0.2, lambda: 0.0, stable }, &a, &y);
            assert_eq!((steps[0].active.len(), steps[1].active.len()), (200, 160));
            assert_eq!(steps.last().unwrap().active.len(), 1);
            for pair in steps.windows(2) {
                assert!(pair[1].active.iter().all(|j| pair[0].active.contains(j)));
            }
            for step in steps {
                let expected = min_norm(&a.select_columns(&step.active), &y).unwrap();
                // Random columns have condition numbers below 1e4, even if the system is nearly square.
                assert!((expected - step.coefficients).amax() < 1e-9, "{} columns", step.active.len());
            }
        }
    }

    #[test]
    fn the_columns_of_a_sparse_combination_stay() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            let a = DMatrix::from_fn(60, 150, |_, _| sampler.normal());
            let y = a.select_columns(&[7, 70, 140]) * DMatrix::from_column_slice(3, 1, &[2.0, -1.0, 1.5]);
            let steps = path(&Pruning { rate: 0.2, lambda: 0.0, stable: false }, &a, &y);
            let three = steps.iter().find(|step| step.active.len() == 3).unwrap();
            assert_eq!(three.active, [7, 70, 140]);
            assert!((three.coefficients[1] + 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn zero_and_single_columns_are_no_trouble() {
        let pruning = Pruning { rate: 0.2, lambda: 0.0, stable: false };
        let y = DMatrix::from_element(4, 1, 1.0);
        for columns in [1, 3, 9] {
            let steps = path(&pruning, &DMatrix::zeros(4, columns), &y);
            assert_eq!(steps[0].coefficients, DMatrix::zeros(columns, 1));
        }
        assert!(path(&pruning, &DMatrix::zeros(4, 0), &y).is_empty());
    }
}
