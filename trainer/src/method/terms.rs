//! The terms beside the features, and the line with a penalty of its own.
//!
//! Ridge regression fits that line, with the λ of the least cross-validated error. The method fits the residuals.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::data::split::inner_folds;
use crate::data::weights;
use crate::linalg::scale_rows;
use crate::message::message;
use crate::message::setting::TERMS;
use crate::method::error::MethodError;
use crate::model::Expansion;
use crate::sampling::Sampler;
use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::{NormalEquations, ValidatedRidge};

/// The terms beside the features, fitted without penalty unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Terms {
    /// None: features alone, as in the papers.
    None,
    /// An intercept.
    Intercept,
    /// An intercept and a linear term per input.
    Linear,
    /// An intercept and a linear term per input with a penalty of their own: ridge regression by cross-validation,
    /// whose residuals the method fits.
    Ridge,
}

impl Terms {
    /// Refuses fewer rows than terms and one more: the features would have nothing left to fit.
    pub(crate) fn check(self, data: &Dataset) -> Result<(), MethodError> {
        let (rows, needed) = (data.rows(), if self == Terms::Linear { data.inputs() + 2 } else { 2 });
        if rows < needed {
            return Err(match self {
                Terms::Linear => MethodError::TooFewRows {
                    rows,
                    needed,
                    purpose: "a linear term per input",
                    advice: message!("add rows, or set ", TERMS.to("intercept")),
                },
                _ => MethodError::TooFewRows { rows, needed, purpose: "a fit", advice: "add rows".into() },
            });
        }
        Ok(())
    }

    /// Returns whether there is a linear term per input.
    pub(crate) fn has_lines(self) -> bool {
        matches!(self, Terms::Linear | Terms::Ridge)
    }

    /// The unpenalised columns: none, `[1]` or `[1, x]`.
    pub(crate) fn columns(self, x: &DMatrix<f64>) -> DMatrix<f64> {
        match self {
            Terms::None => DMatrix::zeros(x.nrows(), 0),
            Terms::Intercept => DMatrix::from_element(x.nrows(), 1, 1.0),
            Terms::Linear | Terms::Ridge => x.clone().insert_column(0, 1.0),
        }
    }

    /// Returns the number of unpenalised columns for rows of `inputs` inputs.
    pub(crate) fn count(self, inputs: usize) -> usize {
        match self {
            Terms::None => 0,
            Terms::Intercept => 1,
            Terms::Linear | Terms::Ridge => 1 + inputs,
        }
    }

    /// Divides the coefficients of [`Terms::columns`] into intercept (1×k) and linear terms (d×k).
    pub(crate) fn divide(self, coefficients: &DMatrix<f64>, data: &Dataset) -> (DMatrix<f64>, DMatrix<f64>) {
        let (d, k) = (data.inputs(), data.outputs());
        let intercept = if self == Terms::None { DMatrix::zeros(1, k) } else { coefficients.rows(0, 1).into_owned() };
        let linear = if self.has_lines() { coefficients.rows(1, d).into_owned() } else { DMatrix::zeros(d, k) };
        (intercept, linear)
    }
}

/// The number of folds that choose λ.
const FOLDS: usize = 5;

/// Separates the folds from the random numbers of methods.
const FOLDS_STREAM: u64 = 9;

/// A line with a penalty on its slopes.
pub(crate) struct Line {
    /// 1×k.
    intercept: DMatrix<f64>,
    /// d×k.
    slopes: DMatrix<f64>,
}

impl Line {
    /// Fits `data` with the best λ per row of half-decades from 1e-5 to 100.
    pub fn fit(data: &Dataset, seed: u64) -> Result<Line, MethodError> {
        Terms::Ridge.check(data)?;
        let folds = inner_folds(data, FOLDS.min(data.rows()), &mut Sampler::stream(seed, FOLDS_STREAM));
        let roots = data.root_weights();
        let of_fold = |rows: &[usize]| {
            let (x, mut y) = (data.x.select_rows(rows), data.y.select_rows(rows));
            let mut columns = Terms::Linear.columns(&x);
            let roots = weights::select(&roots, rows);
            [&mut columns, &mut y].into_iter().for_each(|m| scale_rows(m, &roots));
            let mut equations = NormalEquations::new(1, data.inputs(), data.outputs());
            equations.add(&columns, &y);
            (equations, rows.len())
        };
        let ridge = ValidatedRidge { folds: folds.iter().map(|split| of_fold(&split.test)).collect() };
        let lambdas: Vec<f64> = (0..15).map(|half| libm::pow(10.0, -5.0 + 0.5 * f64::from(half))).collect();
        let (best, (whole, rows)) = (ridge.best(&lambdas)?, ridge.whole());
        let (intercept, slopes) = whole.reduce()?.solve(best.lambda * rows as f64)?;
        if !slopes.iter().all(|slope| slope.is_finite()) {
            return Err(SolveError::NotFinite.into());
        }
        Ok(Line { intercept, slopes })
    }

    /// Returns the rows with the residuals in place of the targets.
    pub fn residuals(&self, data: &Dataset) -> Dataset {
        let mut y = &data.y - &data.x * &self.slopes;
        y.row_iter_mut().for_each(|mut row| row -= &self.intercept);
        Dataset { y, ..data.clone() }
    }

    /// Adds the line to a model of the residuals.
    pub fn add_to(&self, model: &mut Expansion) {
        model.intercept += &self.intercept;
        model.linear += &self.slopes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::MethodConfig;
    use crate::run::Run;

    /// Many noisy inputs, of which five matter, and the sine of a sixth.
    fn noisy(rows: usize, seed: u64) -> Dataset {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(rows, 40, |_, _| sampler.normal());
        let y = DMatrix::from_fn(rows, 1, |row, _| {
            let line: f64 = (0..5).map(|input| 0.3 * x[(row, input)]).sum();
            line + libm::sin(2.0 * x[(row, 5)]) + 0.8 * sampler.normal()
        });
        Dataset::new(x, y).unwrap()
    }

    fn error(model: &Expansion, data: &Dataset) -> f64 {
        (model.predict(&data.x) - &data.y).norm_squared() / data.rows() as f64
    }

    #[test]
    fn a_penalty_helps_where_inputs_are_many() {
        let method = MethodConfig::named("harfe").unwrap().tuned(|t| {
            (t.features, t.order, t.lambda) = (8, Some(1), Some(0.1));
        });
        let (mut linear, mut ridge) = (0.0, 0.0);
        for seed in 0..5 {
            let (train, test) = (noisy(90, 2 * seed), noisy(1000, 2 * seed + 1));
            let of = |terms| method.clone().tuned(|t| t.terms = terms).fit_expansion(&train, &Run::new(1)).unwrap();
            linear += error(&of(Terms::Linear), &test);
            ridge += error(&of(Terms::Ridge), &test);
        }
        // 40 slopes of 90 rows cost 40 / 50 of the noise; the penalty saves more than a third of that.
        assert!(ridge < 0.8 * linear, "{ridge} {linear}");
    }

    #[test]
    fn line_and_residuals_add_up() {
        let data = noisy(60, 3);
        let line = Line::fit(&data, 1).unwrap();
        let (coefficients, activation) = (DMatrix::zeros(0, 1), crate::features::Activation::Sine);
        let (intercept, linear) = (DMatrix::zeros(1, 1), DMatrix::zeros(40, 1));
        let mut model =
            Expansion { activation, features: Vec::new(), coefficients, intercept, linear, trees: Vec::new() };
        line.add_to(&mut model);
        let sum = model.predict(&data.x) + line.residuals(&data).y;
        assert!((sum - &data.y).amax() < 1e-12);
        // More inputs than rows are no problem for a penalty.
        assert!(Line::fit(&noisy(20, 4), 1).is_ok());
    }
}
