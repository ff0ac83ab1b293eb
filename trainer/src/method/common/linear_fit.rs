//! Linear models of given frequencies: the final fit of the methods that search for frequencies.

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::data::split::inner_folds;
use crate::features::Feature;
use crate::method::common::basis::Basis;
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::model::Expansion;
use crate::sampling::Sampler;
use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::{NormalEquations, Reduced, ValidatedRidge};
use crate::sums::{InMemory, Rows, Statistic, parts};

/// The normal equations of terms and functions of frequencies, as sums over rows.
struct Columns<'a> {
    terms: Terms,
    basis: Basis,
    frequencies: &'a [Feature],
    /// The numbers of inputs and targets.
    shape: (usize, usize),
}

impl Statistic for Columns<'_> {
    type Sum = NormalEquations;

    fn zero(&self) -> NormalEquations {
        let (inputs, outputs) = self.shape;
        NormalEquations::new(self.terms.count(inputs), self.frequencies.len() * self.basis.width(), outputs)
    }

    fn add(&self, sum: &mut NormalEquations, x: &DMatrix<f64>, y: &DMatrix<f64>) {
        let (unpenalised, penalised) = (self.terms.count(self.shape.0), self.frequencies.len() * self.basis.width());
        sum.add_blocks(parts(x, unpenalised + penalised).map(|(first, x)| {
            let mut columns = self.terms.columns(&x).resize_horizontally(unpenalised + penalised, 0.0);
            columns.columns_mut(unpenalised, penalised).copy_from(&self.basis.values(&x, self.frequencies));
            (columns, y.rows(first, x.nrows()).into_owned())
        }));
    }

    fn merge(&self, sum: &mut NormalEquations, later: NormalEquations) {
        sum.merge(&later);
    }
}

/// Returns the normal equations of terms and functions of frequencies over rows `x` (n×d) with targets `y` (n×k).
pub(crate) fn normal_equations(
    x: &DMatrix<f64>,
    y: &DMatrix<f64>,
    terms: Terms,
    basis: Basis,
    frequencies: &[Feature],
) -> NormalEquations {
    let columns = Columns { terms, basis, frequencies, shape: (x.ncols(), y.ncols()) };
    let Ok(mut equations) = InMemory { x, y }.sum(&columns);
    basis.complete(&mut equations);
    equations
}

/// Returns the model that `equations` give with n λ on the diagonal.
pub(crate) fn expansion(
    equations: &Reduced,
    lambda: f64,
    data: &Dataset,
    terms: Terms,
    basis: Basis,
    frequencies: &[Feature],
) -> Result<Expansion, SolveError> {
    let (of_terms, coefficients) = equations.solve(lambda * data.rows() as f64)?;
    let (intercept, linear) = terms.divide(&of_terms, data);
    let (activation, features) = (basis.activation(), basis.features(frequencies));
    Ok(Expansion { activation, features, coefficients, intercept, linear })
}

/// Ridge parameters that cross-validation of a linear model chooses from.
const LAMBDAS: [f64; 10] = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0];

/// Fits pairs of `frequencies` by ridge regression with the λ of the least error in a cross-validation in `folds`
/// folds.
///
/// Returns the model of all rows and the mean squared error of the cross-validation.
///
/// # Errors
/// [`MethodError::Setting`] for fewer than two folds, [`MethodError::TooFewRows`], and [`MethodError::Solve`] where
/// values or targets are not finite.
pub fn fit_pairs(
    data: &Dataset,
    frequencies: &[Feature],
    terms: Terms,
    folds: usize,
    sampler: &mut Sampler,
) -> Result<(Expansion, f64), MethodError> {
    if folds < 2 {
        return Err(MethodError::Setting { setting: "folds", range: "at least 2", value: folds as f64 });
    }
    if data.rows() < 2 {
        let (purpose, advice) = ("folds", "add rows");
        return Err(MethodError::TooFewRows { rows: data.rows(), needed: 2, purpose, advice });
    }
    let equations = |rows: &[usize]| {
        let (x, y) = (data.x.select_rows(rows), data.y.select_rows(rows));
        (normal_equations(&x, &y, terms, Basis::Pair, frequencies), rows.len())
    };
    let folds = inner_folds(data, folds.min(data.rows()), sampler);
    let ridge = ValidatedRidge { folds: folds.iter().map(|split| equations(&split.test)).collect() };
    let best = ridge.best(&LAMBDAS)?;
    let whole = ridge.whole().0.reduce()?;
    let expansion = expansion(&whole, best.lambda, data, terms, Basis::Pair, frequencies)?;
    Ok((expansion, best.squared_error / data.y.len() as f64))
}
