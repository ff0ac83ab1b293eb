//! The ridge parameter of a linear model by cross-validation: normal equations of the folds hold all that is needed.

use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::{NormalEquations, Reduced};

/// Normal equations of folds of rows.
#[derive(Clone, Debug)]
pub struct ValidatedRidge {
    /// The equations and the number of rows of every fold; at least two folds.
    pub folds: Vec<(NormalEquations, usize)>,
}

/// A ridge parameter and its cross-validated error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Validated {
    /// Ridge parameter λ of a row: a fit of n rows adds n λ.
    pub lambda: f64,
    /// Sum of the squared errors of all rows, each of which was left out of the fit that predicts it.
    pub squared_error: f64,
}

impl ValidatedRidge {
    /// The equations of all rows and their number.
    pub fn whole(&self) -> (NormalEquations, usize) {
        self.without(self.folds.len())
    }

    /// The equations of all rows but those of a fold, and their number.
    fn without(&self, fold: usize) -> (NormalEquations, usize) {
        let others = self.folds.iter().enumerate().filter(|(other, _)| *other != fold).map(|(_, part)| part);
        let merged = others.cloned().reduce(|mut sum, (equations, rows)| {
            sum.0.merge(&equations);
            (sum.0, sum.1 + rows)
        });
        merged.expect("at least two folds")
    }

    /// Returns the best of `lambdas`; ties go to the first.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] where the sums are not finite.
    pub fn best(&self, lambdas: &[f64]) -> Result<Validated, SolveError> {
        let mut errors = vec![0.0; lambdas.len()];
        for (fold, (validation, _)) in self.folds.iter().enumerate() {
            let (training, rows) = self.without(fold);
            let reduced: Reduced = training.reduce()?;
            for (error, lambda) in errors.iter_mut().zip(lambdas) {
                *error += validation.squared_error(&reduced.solve(lambda * rows as f64)?);
            }
        }
        let best = lambdas.iter().zip(errors).min_by(|a, b| a.1.total_cmp(&b.1));
        let (&lambda, squared_error) = best.ok_or(SolveError::NotFinite)?;
        Ok(Validated { lambda, squared_error })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::sampling::Sampler;
    use crate::solve::least_squares::ridge::ridge;

    #[test]
    fn the_best_is_that_of_fits_to_the_rows_left() {
        const LAMBDAS: [f64; 6] = [1e-6, 1e-3, 1e-2, 1e-1, 1.0, 10.0];
        let mut chosen = Vec::new();
        for seed in 0..8 {
            let mut sampler = Sampler::new(seed);
            let a = DMatrix::from_fn(60, 20, |_, _| sampler.normal());
            let noise = 10_f64.powi(seed as i32 % 4 - 1);
            let y = DMatrix::from_fn(60, 2, |i, k| a[(i, k)] + noise * sampler.normal());
            let bounds = [0, 13, 25, 41, 60];
            let part = |m: &DMatrix<f64>, from: usize, to: usize| m.rows(from, to - from).into_owned();
            let folds = bounds
                .windows(2)
                .map(|w| (NormalEquations::of(&part(&a, w[0], w[1]), &part(&y, w[0], w[1])), w[1] - w[0]));
            let best = ValidatedRidge { folds: folds.collect() }.best(&LAMBDAS).unwrap();
            let direct = LAMBDAS.map(|lambda| {
                let error = |w: &[usize]| {
                    let (a_left, y_left) = ((w[0]..w[1]).rev())
                        .fold((a.clone(), y.clone()), |(a, y), row| (a.remove_row(row), y.remove_row(row)));
                    let c = ridge(&a_left, &y_left, lambda * a_left.nrows() as f64).unwrap();
                    (part(&a, w[0], w[1]) * c - part(&y, w[0], w[1])).norm_squared()
                };
                bounds.windows(2).map(error).sum::<f64>()
            });
            let least = direct.iter().copied().fold(f64::INFINITY, f64::min);
            assert!((best.squared_error - least).abs() < 1e-9 * least);
            assert_eq!(best.lambda, LAMBDAS[direct.iter().position(|&e| e == least).unwrap()]);
            chosen.push(best.lambda);
        }
        assert!(chosen.iter().any(|&lambda| lambda < 0.1) && chosen.iter().any(|&lambda| lambda > 0.1), "{chosen:?}");
    }
}
