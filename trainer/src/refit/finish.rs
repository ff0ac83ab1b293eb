//! From sums to the model.

use nalgebra::DMatrix;

use crate::error::FitError;
use crate::export::{ExportError, Exported, encoded};
use crate::fit::Fit;
use crate::model::Model;
use crate::refit::features::Features;
use crate::refit::residuals::{Crosswise, OfOutput, Residuals};
use crate::refit::solution::{Equations, Solution, Solved};
use crate::refit::sums::Sums;
use crate::solve::SolveError;
use crate::sums::{InMemory, Rows};
use crate::validate::Score;

/// Ridge parameters to choose from.
const LAMBDAS: [f64; 10] = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0];

/// The share of an error's standard error that a larger ridge parameter may cost.
const ALLOWANCE: f64 = 0.1;

impl Features {
    /// Returns the sums over rows with readings `x` (n×d) and targets `y` (n×k).
    pub fn sums(&self, x: &DMatrix<f64>, y: &DMatrix<f64>) -> Sums {
        let Ok(sums) = InMemory { x, y }.sum(self);
        sums
    }

    /// Returns how far the amplitudes of each half are off on rows with readings `x` (n×d) and targets `y` (n×k).
    /// `sums` are those over all rows.
    pub fn residuals(&self, sums: &Sums, solved: &Solved, x: &DMatrix<f64>, y: &DMatrix<f64>) -> Residuals {
        let Ok(residuals) = InMemory { x, y }.sum(&Crosswise { models: &self.halves(sums, solved) });
        residuals
    }

    /// Solves for the amplitudes of each half and of all rows. The ridge parameter is the largest one that is nearly
    /// the best and gives a model that the device can hold.
    ///
    /// # Errors
    /// [`FitError::Export`] if there is no such model.
    pub fn solve(&self, sums: &Sums) -> Result<Solved, FitError> {
        let halves = [&sums.halves[0], &sums.halves[1]].map(|half| Equations::of(half, self.shape()));
        let [first, second] = halves;
        let (halves, whole) = ([first?, second?], Equations::of(&sums.all(), self.shape())?);
        let mut refused = None;
        for &lambda in &LAMBDAS[chosen(&halves, sums)?..] {
            let whole = whole.solve(lambda)?;
            match encoded(self.fitted(sums, &whole), &self.verified(), self.encoding()) {
                Ok(_) => {
                    let halves = [halves[0].solve(lambda)?, halves[1].solve(lambda)?];
                    return Ok(Solved { lambda, halves, whole });
                }
                // The amplitudes are too large for the precision of the device.
                Err(error @ ExportError::Precision { .. }) => refused = refused.or(Some(error)),
                Err(error) => return Err(error.into()),
            }
        }
        Err(refused.expect("there is a ridge parameter").into())
    }

    /// Returns the model of all rows, with intervals if `residuals` are given. Its score is that of each half's
    /// amplitudes on the rows of the other half.
    ///
    /// # Errors
    /// [`FitError::Export`] if the device cannot hold the model.
    pub fn finish(&self, sums: &Sums, solved: &Solved, residuals: Option<&Residuals>) -> Result<Fit, FitError> {
        let mut model = self.fitted(sums, &solved.whole);
        let half_widths = |residuals: &Residuals| residuals.outputs.iter().map(OfOutput::half_width).collect();
        model.half_widths = residuals.and_then(half_widths).unwrap_or_default();
        let Exported { model, blob, agreement } = encoded(model, &self.verified(), self.encoding())?;
        let chosen = self.method(solved.lambda);
        let tried = vec![(chosen.clone(), self.score(residuals, solved, sums))];
        Ok(Fit { model, blob, agreement, chosen, tried })
    }

    /// Returns the models of both halves.
    pub(crate) fn halves(&self, sums: &Sums, solved: &Solved) -> [Model; 2] {
        [self.of_solution(sums, &solved.halves[0]), self.of_solution(sums, &solved.halves[1])]
    }

    /// Returns the model of all rows, with the importance of its inputs.
    fn fitted(&self, sums: &Sums, solution: &Solution) -> Model {
        let mut model = self.of_solution(sums, solution);
        model.importance = model.expansion.input_importance(&model.scaling.inputs(&self.verified().x));
        model
    }

    fn of_solution(&self, sums: &Sums, Solution { coefficients, intercept }: &Solution) -> Model {
        self.model((coefficients, intercept), [&sums.inputs, &sums.targets])
    }

    /// Returns the errors on the rows that each half's model did not see.
    fn score(&self, residuals: Option<&Residuals>, solved: &Solved, sums: &Sums) -> Score {
        let outputs = self.output_names.len();
        let (first, all) = (sums.halves[0].means.len() - outputs, sums.all());
        let square = |output: usize| self.units()[output] * self.units()[output];
        let variance =
            |output: usize| all.products[(first + output, first + output)] / all.rows.max(1) as f64 * square(output);
        let of_half = |half: usize| {
            let (sums, other) = (&sums.halves[half], &solved.halves[1 - half]);
            let squares = |output: usize| match residuals {
                Some(residuals) => residuals.outputs[output].squares[half] / residuals.rows[half].max(1) as f64,
                None => other.squared_error(sums, output) * square(output) / sums.rows.max(1) as f64,
            };
            let mean = |value: &dyn Fn(usize) -> f64| (0..outputs).map(value).sum::<f64>() / outputs as f64;
            (mean(&squares), mean(&|output| squares(output) / variance(output)))
        };
        let halves = [of_half(0), of_half(1)];
        Score {
            rows: sums.rows(),
            rmse: ((halves[0].0 + halves[1].0) / 2.0).sqrt(),
            largest_rmse: halves[0].0.max(halves[1].0).sqrt(),
            mse: (halves[0].1 + halves[1].1) / 2.0,
            standard_error: (halves[0].1 - halves[1].1).abs() / 2.0,
            error_rate: None,
            residual_autocorrelation: residuals
                .and_then(|residuals| residuals.outputs.iter().map(OfOutput::autocorrelation).reduce(f64::max)),
        }
    }
}

/// Returns the place of the largest ridge parameter with which the halves predict each other nearly as well as with the
/// best one. The standard error of a mean of n squares of a normal variable is √(2/n) of it.
fn chosen(halves: &[Equations; 2], sums: &Sums) -> Result<usize, SolveError> {
    let (mut errors, outputs) = (Vec::new(), sums.targets.len());
    for &lambda in &LAMBDAS {
        let solutions = [halves[0].solve(lambda)?, halves[1].solve(lambda)?];
        let error = |of: usize| (0..outputs).map(|o| solutions[of].squared_error(&sums.halves[1 - of], o)).sum::<f64>();
        errors.push(error(0) + error(1));
    }
    let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
    let allowed = least * (1.0 + ALLOWANCE * (2.0 / sums.rows().max(1) as f64).sqrt());
    Ok(errors.iter().rposition(|&error| error <= allowed).unwrap_or_default())
}
