//! From sums to the model.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::error::FitError;
use crate::export::{ExportError, Exported, encoded};
use crate::fit::Fit;
use crate::model::Model;
use crate::refit::features::Features;
use crate::refit::residuals::{Crosswise, OfOutput, Residuals};
use crate::refit::sums::{Moments, Sums};
use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::{NormalEquations, Reduced};
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
        let targets = sums.targets_only();
        let whole = Equations::new(&sums.all(), self.shape())?;
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
        Ok(Fit { model, blob, agreement, chosen, tried, raised: false, false_alarms: None })
    }

    /// Returns the models of both halves.
    pub(crate) fn halves(&self, solved: &Solved) -> [Model; 2] {
        [
            self.model_of_solution(&solved.sums, &solved.halves[0]),
            self.model_of_solution(&solved.sums, &solved.halves[1]),
        ]
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
        let [first, second] = [&sums.halves[0], &sums.halves[1]].map(|half| Equations::new(half, self.shape()));
        Ok([first?, second?])
    }

    /// Returns the model of all rows, with the importance of its inputs.
    fn fitted(&self, sums: &Sums, solution: &Solution) -> Model {
        let mut model = self.model_of_solution(sums, solution);
        model.importance = model.expansion.input_importance(&model.scaling.inputs(&self.verified().x));
        model
    }

    fn model_of_solution(&self, sums: &Sums, Solution { coefficients, intercept }: &Solution) -> Model {
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
            standardised_mse: (halves[0].1 + halves[1].1) / 2.0,
            standard_error: (halves[0].1 - halves[1].1).abs() / 2.0,
            error_rate: None,
            class_loss: None,
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

/// The ridge parameter with which the halves of the rows predict each other best, and the amplitudes that each half and
/// all rows have with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solved {
    pub(crate) lambda: f64,
    pub(crate) halves: [Solution; 2],
    pub(crate) whole: Solution,
    /// The sums of targets and ranges, which are small for any number of features.
    pub(crate) sums: Sums,
    /// The sums of squared errors of each target over the rows of each half, with the amplitudes of the other half.
    pub(crate) squared_errors: [Vec<f64>; 2],
}

/// The normal equations of some rows.
pub(crate) struct Equations {
    reduced: Reduced,
    rows: usize,
    means: Vec<f64>,
    targets: usize,
    /// The standard deviation of each linear term, which is the unit of its column.
    scales: Vec<f64>,
}

/// Coefficients of linear terms and features (p×k) and intercepts (1×k), in scaled coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    #[serde(with = "crate::data::matrix")]
    pub coefficients: DMatrix<f64>,
    #[serde(with = "crate::data::matrix")]
    pub intercept: DMatrix<f64>,
}

impl Equations {
    /// Returns the equations that the sums give for `shape` linear terms, features and targets.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] if the sums are not finite.
    pub fn new(sums: &Moments, [linear, features, targets]: [usize; 3]) -> Result<Equations, SolveError> {
        let columns = linear + features;
        let mut gram = sums.products.view((0, 0), (columns, columns)).into_owned();
        let mut moments = sums.products.view((columns, 0), (targets, columns)).transpose();
        let spread = |term: usize| (gram[(term, term)] / sums.rows.max(1) as f64).sqrt();
        let scales: Vec<f64> = (0..linear).map(spread).map(|spread| if spread > 0.0 { spread } else { 1.0 }).collect();
        for (term, scale) in scales.iter().enumerate() {
            gram.row_mut(term).scale_mut(1.0 / scale);
            gram.column_mut(term).scale_mut(1.0 / scale);
            moments.row_mut(term).scale_mut(1.0 / scale);
        }
        let reduced = NormalEquations::from_products(gram, moments, linear).reduce()?;
        Ok(Equations { reduced, rows: sums.rows, means: sums.means.clone(), targets, scales })
    }

    /// Returns the solution with λ times the number of rows on the diagonal of the features.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] if the factorisation does not converge.
    pub fn solve(&self, lambda: f64) -> Result<Solution, SolveError> {
        let (linear, amplitudes) = self.reduced.solve(lambda * self.rows as f64)?;
        let terms = linear.nrows();
        let mut coefficients = linear.resize_vertically(terms + amplitudes.nrows(), 0.0);
        coefficients.rows_mut(terms, amplitudes.nrows()).copy_from(&amplitudes);
        self.scales.iter().enumerate().for_each(|(term, scale)| coefficients.row_mut(term).scale_mut(1.0 / scale));
        let columns = coefficients.nrows();
        let intercept = DMatrix::from_fn(1, self.targets, |_, target| {
            let explained: f64 = (0..columns).map(|column| self.means[column] * coefficients[(column, target)]).sum();
            self.means[columns + target] - explained
        });
        Ok(Solution { coefficients, intercept })
    }
}

impl Solution {
    /// Returns the sum of squared errors of each target over the rows of `sums`, in scaled coordinates.
    pub fn squared_errors(&self, sums: &Moments) -> Vec<f64> {
        (0..self.intercept.ncols()).map(|target| self.squared_error(sums, target)).collect()
    }

    fn squared_error(&self, sums: &Moments, target: usize) -> f64 {
        let columns = self.coefficients.nrows();
        let place = columns + target;
        let of = self.coefficients.column(target);
        let along: f64 = (0..columns).map(|i| of[i] * sums.products[(place, i)]).sum();
        // The products below the diagonal stand for those above it as well.
        let square = |i: usize| {
            let below = sums.products.view((i + 1, i), (columns - i - 1, 1));
            of[i] * (of[i] * sums.products[(i, i)] + 2.0 * below.dot(&of.rows(i + 1, columns - i - 1)))
        };
        let mean = (0..columns).map(|i| of[i] * sums.means[i]).sum::<f64>() + self.intercept[target];
        let off = sums.means[place] - mean;
        let centred = sums.products[(place, place)] - 2.0 * along + (0..columns).map(square).sum::<f64>();
        centred.max(0.0) + sums.rows as f64 * off * off
    }
}
