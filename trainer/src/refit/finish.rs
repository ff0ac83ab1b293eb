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

/// The share of an error's standard error that a larger ridge parameter may cost.
const ALLOWANCE: f64 = 0.1;

impl Features {
    /// Returns the sums over rows with readings `x` (n×d) and targets `y` (n×k).
    pub fn sums(&self, x: &DMatrix<f64>, y: &DMatrix<f64>) -> Sums {
        let Ok(sums) = InMemory { x, y }.sum(self);
        sums
    }

    /// Returns how far the amplitudes of each half are off on rows with readings `x` (n×d) and targets `y` (n×k).
    pub fn residuals(&self, solved: &Solved, x: &DMatrix<f64>, y: &DMatrix<f64>) -> Residuals {
        let Ok(residuals) = InMemory { x, y }.sum(&Crosswise { models: &self.halves(solved) });
        residuals
    }

    /// Tries a share of the ridge parameters: one of `shares`, by its number from 0. Returns their places and the sums
    /// of squared errors of both halves with the amplitudes of the other half. A single ridge parameter is not tried.
    ///
    /// # Errors
    /// [`FitError`] if the sums are not finite.
    pub fn errors(&self, sums: &Sums, share: usize, shares: usize) -> Result<Vec<(usize, f64)>, FitError> {
        if self.lambdas.len() == 1 {
            return Ok(Vec::new());
        }
        let halves = self.equations(sums)?;
        let error = |place: usize| -> Result<(usize, f64), FitError> {
            let [first, second] = crosswise(&halves, self.lambdas[place], sums)?.1;
            Ok((place, first.iter().sum::<f64>() + second.iter().sum::<f64>()))
        };
        (share..self.lambdas.len()).step_by(shares.max(1)).map(error).collect()
    }

    /// Solves for the amplitudes of each half and of all rows. The ridge parameter is the largest one that is nearly
    /// the best by its error, as [`Features::errors`] gives it, and gives a model that the device can hold.
    ///
    /// # Errors
    /// [`FitError::Export`] if there is no such model.
    pub fn solve(&self, sums: &Sums, errors: &[(usize, f64)]) -> Result<Solved, FitError> {
        let targets = sums.of_targets();
        let whole = Equations::of(&sums.all(), self.shape())?;
        let mut refused = None;
        for &lambda in &self.lambdas[self.chosen(errors, sums.rows())..] {
            let whole = whole.solve(lambda)?;
            match encoded(self.fitted(&targets, &whole), &self.verified(), self.encoding()) {
                Ok(_) => {
                    let (halves, squared_errors) = crosswise(&self.equations(sums)?, lambda, sums)?;
                    return Ok(Solved { lambda, halves, whole, sums: targets, squared_errors });
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
    pub fn finish(&self, solved: &Solved, residuals: Option<&Residuals>) -> Result<Fit, FitError> {
        let mut model = self.fitted(&solved.sums, &solved.whole);
        let half_widths = |residuals: &Residuals| residuals.outputs.iter().map(OfOutput::half_width).collect();
        model.half_widths = residuals.and_then(half_widths).unwrap_or_default();
        let Exported { model, blob, agreement } = encoded(model, &self.verified(), self.encoding())?;
        let chosen = self.method(solved.lambda);
        let tried = vec![(chosen.clone(), self.score(residuals, solved))];
        Ok(Fit { model, blob, agreement, chosen, tried })
    }

    /// Returns the models of both halves.
    pub(crate) fn halves(&self, solved: &Solved) -> [Model; 2] {
        [self.of_solution(&solved.sums, &solved.halves[0]), self.of_solution(&solved.sums, &solved.halves[1])]
    }

    /// Returns the place of the largest ridge parameter with which the halves predict each other nearly as well as with
    /// the best one. The standard error of a mean of n squares of a normal variable is √(2/n) of it.
    fn chosen(&self, errors: &[(usize, f64)], rows: usize) -> usize {
        let least = errors.iter().map(|&(_, error)| error).fold(f64::INFINITY, f64::min);
        let allowed = least * (1.0 + ALLOWANCE * (2.0 / rows.max(1) as f64).sqrt());
        let places = errors.iter().filter(|&&(place, error)| place < self.lambdas.len() && error <= allowed);
        places.map(|&(place, _)| place).max().unwrap_or_default()
    }

    /// Returns the normal equations of both halves.
    fn equations(&self, sums: &Sums) -> Result<[Equations; 2], SolveError> {
        let [first, second] = [&sums.halves[0], &sums.halves[1]].map(|half| Equations::of(half, self.shape()));
        Ok([first?, second?])
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
    fn score(&self, residuals: Option<&Residuals>, solved: &Solved) -> Score {
        let Solved { sums, squared_errors, .. } = solved;
        let outputs = self.output_names.len();
        let all = sums.all();
        let square = |output: usize| self.units()[output] * self.units()[output];
        let variance = |output: usize| all.products[(output, output)] / all.rows.max(1) as f64 * square(output);
        let of_half = |half: usize| {
            let squares = |output: usize| match residuals {
                Some(residuals) => residuals.outputs[output].squares[half] / residuals.rows[half].max(1) as f64,
                None => squared_errors[half][output] * square(output) / sums.halves[half].rows.max(1) as f64,
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

/// Returns the amplitudes of both halves, and the squared errors of each target over the rows of each half with the
/// amplitudes of the other half.
fn crosswise(halves: &[Equations; 2], lambda: f64, sums: &Sums) -> Result<([Solution; 2], [Vec<f64>; 2]), SolveError> {
    let solutions = [halves[0].solve(lambda)?, halves[1].solve(lambda)?];
    let errors = [0, 1].map(|half: usize| solutions[1 - half].squared_errors(&sums.halves[half]));
    Ok((solutions, errors))
}
