//! The terms beside the features.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::method::error::MethodError;

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
            let (purpose, advice) = match self {
                Terms::Linear => ("a linear term per input", "add rows, or set `terms` to intercept"),
                _ => ("a fit", "add rows"),
            };
            return Err(MethodError::TooFewRows { rows, needed, purpose, advice });
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
