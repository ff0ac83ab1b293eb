//! Ridge regression without features: the line, or with an intercept alone the mean.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::Activation;
use crate::linalg::scale_rows;
use crate::method::common::check::{check_inputs, check_lambdas, not_negative, positive};
use crate::method::common::huber::{USUAL_CLIP, USUAL_FITS, settled};
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::{NormalEquations, Reduced};
use crate::solve::least_squares::ridge::Unpenalised;

/// Ridge regression without features: the line, or with an intercept alone the mean.
///
/// The baseline of every other method, and the smallest model where it is accurate enough.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `lambda` | 0 | λ; n λ is added to the Gram matrix of the inputs; 0 is least squares |
/// | `terms` | linear | `linear` for the line, `intercept` for the mean |
/// | `huber` | none | c, such as 1.345; residuals beyond c standard deviations count by their absolute value |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Linear {
    /// Ridge parameter of the linear terms, a row.
    pub lambda: f64,
    /// Which terms there are.
    pub terms: Terms,
    /// Standard deviations at which residuals are clipped; none for least squares.
    pub huber: Option<f64>,
}

impl Default for Linear {
    fn default() -> Self {
        Linear { lambda: 0.0, terms: Terms::Linear, huber: None }
    }
}

impl Linear {
    /// Returns the equations of the line, in which the intercept has no penalty.
    fn equations(&self, data: &Dataset, y: &DMatrix<f64>) -> Result<Reduced, SolveError> {
        let mut equations = NormalEquations::new(1, data.inputs(), data.outputs());
        let (columns, y) = weighted(data, Terms::Linear, y);
        equations.add(&columns, &y);
        equations.reduce()
    }

    /// Fits lines to targets `y` (n×k) in place of those of `data`, one for every λ.
    fn least_squares(&self, data: &Dataset, y: &DMatrix<f64>, lambdas: &[f64]) -> Result<Vec<Expansion>, MethodError> {
        let penalised = |lambda: f64| lambda > 0.0 && self.terms == Terms::Linear;
        // A penalised line needs no more rows than the mean.
        let all_penalised = lambdas.iter().all(|&lambda| penalised(lambda));
        check_inputs(data, 0, if all_penalised { Terms::Intercept } else { self.terms })?;
        let least_squares = || {
            let (columns, y) = weighted(data, self.terms, y);
            Unpenalised::new(&columns).coefficients(&y)
        };
        let equations = match lambdas.iter().any(|&lambda| penalised(lambda)) {
            true => Some(self.equations(data, y)?),
            false => None,
        };
        let fit = |&lambda: &f64| {
            let (intercept, linear) = match &equations {
                Some(equations) if penalised(lambda) => equations.solve(lambda * data.rows() as f64)?,
                _ => self.terms.divide(&least_squares()?, data),
            };
            let coefficients = DMatrix::zeros(0, data.outputs());
            Ok(Expansion {
                activation: Activation::Sine,
                features: Vec::new(),
                coefficients,
                intercept,
                linear,
                trees: Vec::new(),
            })
        };
        lambdas.iter().map(fit).collect()
    }
}

/// Returns terms and targets of rows, multiplied by the roots of what the rows count.
fn weighted(data: &Dataset, terms: Terms, y: &DMatrix<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let mut columns = terms.columns(&data.x);
    let mut y = y.clone();
    let roots = data.root_weights();
    [&mut columns, &mut y].into_iter().for_each(|m| scale_rows(m, &roots));
    (columns, y)
}

impl Method for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        check_lambdas(lambdas)?;
        let lines = self.least_squares(data, &data.y, lambdas)?;
        let Some(huber) = self.huber else { return Ok(lines) };
        let robust = |(line, &lambda): (Expansion, &f64)| {
            let again = |y: &DMatrix<f64>| Ok(self.least_squares(data, y, &[lambda])?.swap_remove(0));
            settled(data, huber, line, run, again)
        };
        lines.into_iter().zip(lambdas).map(robust).collect()
    }

    fn operations(&self, rows: usize, inputs: usize) -> (f64, f64) {
        let fit = (rows * inputs * inputs) as f64;
        if self.huber.is_some() { (0.0, USUAL_FITS * fit) } else { (fit, 0.0) }
    }

    fn check(&self) -> Result<(), MethodError> {
        not_negative("lambda", self.lambda)?;
        positive("huber", self.huber.unwrap_or(USUAL_CLIP))
    }

    fn tunable(&self) -> Tunable {
        Tunable { features: 0, order: None, lambda: Some(self.lambda), scale: None, terms: self.terms }
    }

    fn tune(&mut self, Tunable { lambda, terms, .. }: Tunable) {
        self.lambda = lambda.unwrap_or(self.lambda);
        self.terms = terms;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    fn noisy(rows: usize, inputs: usize) -> Dataset {
        let mut sampler = Sampler::new(3);
        let x = DMatrix::from_fn(rows, inputs, |_, input| 0.5 + input as f64 + sampler.normal());
        let y = DMatrix::from_fn(rows, 2, |row, output| 4.0 + x[(row, output)] + sampler.normal());
        Dataset::new(x, y).unwrap()
    }

    #[test]
    fn the_gradient_of_the_penalised_error_is_zero() {
        let data = noisy(40, 6);
        let fits = Linear::default().fit_path(&data, &[0.0, 0.3], &Run::new(1)).unwrap();
        for (expansion, lambda) in fits.into_iter().zip([0.0, 0.3]) {
            let residual = expansion.predict(&data.x) - &data.y;
            let gradient = data.x.transpose() * &residual + &expansion.linear * (40.0 * lambda);
            assert!(gradient.amax() < 1e-9 && residual.row_sum().amax() < 1e-9, "{lambda}: {gradient}");
        }
    }

    #[test]
    fn more_inputs_than_rows_need_a_penalty() {
        let data = noisy(8, 12);
        assert!(Linear { lambda: 0.1, ..Linear::default() }.fit_expansion(&data, &Run::new(1)).is_ok());
    }
}
