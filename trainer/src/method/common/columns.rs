//! Functions from a list beside terms: candidates for forward selection, and ridge regression on those that were taken.

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::linalg::{scale_rows, transpose_product};
use crate::method::common::linear_fit::{Points, equations_of};
use crate::method::common::remainder::Remainder;
use crate::method::terms::Terms;
use crate::sampling::Sampler;
use crate::solve::SolveError;
use crate::solve::least_squares::ridge::Unpenalised;

/// The most rows that candidates are selected by.
const SELECTED_ROWS: usize = 6_000;

/// Keeps the rows that candidates are selected by apart from other draws.
const ROWS_STREAM: u64 = 10;

/// The least share of its norm that must be left of a candidate beside the terms and the taken ones.
const LEAST_LEFT: f64 = 1e-6;

/// The values of candidates at some rows, without what the terms explain.
pub(in crate::method) struct Candidates {
    values: DMatrix<f64>,
    /// What is left of them beside those that were taken.
    pub remainder: Remainder,
}

/// Returns the rows of `data` that candidates are selected by.
pub(in crate::method) fn selected_rows(data: &Dataset, seed: u64) -> Dataset {
    data.select(&Sampler::stream(seed, ROWS_STREAM).choose(data.rows(), SELECTED_ROWS))
}

impl Candidates {
    /// Prepares candidates with their `values` (n×N) at the rows of `data`.
    pub fn new(data: &Dataset, terms: Terms, mut values: DMatrix<f64>) -> Candidates {
        let roots = data.root_weights();
        scale_rows(&mut values, &roots);
        let norms: Vec<f64> = values.column_iter().map(|column| column.norm_squared()).collect();
        let mut columns = terms.columns(&data.x);
        scale_rows(&mut columns, &roots);
        let beside = Unpenalised::new(&columns);
        let mut y = data.y.clone();
        scale_rows(&mut y, &roots);
        beside.project_out(&mut values);
        beside.project_out(&mut y);
        // A function that is a sum of the terms is left with its rounding.
        let left = values.column_iter().zip(norms).map(|(column, norm)| match column.norm_squared() {
            left if left > LEAST_LEFT * norm => left,
            _ => 0.0,
        });
        let left: Vec<f64> = left.collect();
        let moments = transpose_product(&values, &y);
        Candidates { remainder: Remainder::new(left, LEAST_LEFT, moments), values }
    }

    /// Takes a candidate.
    pub fn take(&mut self, candidate: usize) {
        let products = transpose_product(&self.values, &self.values.columns(candidate, 1).into_owned());
        self.remainder.take(candidate, products.as_slice().to_vec());
    }
}

/// The coefficients of a ridge regression.
pub(in crate::method) struct Fitted {
    /// 1×k.
    pub intercept: DMatrix<f64>,
    /// d×k.
    pub linear: DMatrix<f64>,
    /// One row a function.
    pub coefficients: DMatrix<f64>,
}

/// Fits `count` functions, which `values` computes of rows (n×d), beside the terms: n λ is added to the Gram matrix of
/// the functions.
///
/// # Errors
/// [`SolveError::NotFinite`] where values or targets are not finite.
pub(in crate::method) fn fit_functions(
    data: &Dataset,
    terms: Terms,
    count: usize,
    values: impl Fn(&DMatrix<f64>) -> DMatrix<f64> + Sync,
    lambda: f64,
) -> Result<Fitted, SolveError> {
    let points = Points { x: &data.x, y: &data.y, roots: &data.root_weights() };
    let equations = equations_of(points, terms, count, &values);
    let (beside, coefficients) = equations.reduce()?.solve(lambda * data.rows() as f64)?;
    let (intercept, linear) = terms.divide(&beside, data);
    Ok(Fitted { intercept, linear, coefficients })
}
