//! Least squares without features: the line, or with an intercept alone the mean.
//!
//! The baseline of every other method, and the smallest model where it is accurate enough.
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `terms` | linear | `linear` for the line, `intercept` for the mean |

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::Activation;
use crate::method::common::check::check_inputs;
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::solve::least_squares::unpenalised::Unpenalised;

/// Settings; the module documentation has the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Linear {
    /// Which terms there are.
    pub terms: Terms,
}

impl Default for Linear {
    fn default() -> Self {
        Linear { terms: Terms::Linear }
    }
}

impl Method for Linear {
    fn fit_path(&self, data: &Dataset, lambdas: &[f64], _: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        check_inputs(data, 0, self.terms)?;
        let coefficients = Unpenalised::new(&self.terms.columns(&data.x)).coefficients(&data.y)?;
        let (intercept, linear) = self.terms.divide(&coefficients, data);
        let coefficients = DMatrix::zeros(0, data.outputs());
        let expansion =
            Expansion { activation: Activation::Sine, features: Vec::new(), coefficients, intercept, linear };
        Ok(vec![expansion; lambdas.len()])
    }

    fn tunable(&self) -> Tunable {
        Tunable { features: 0, order: None, lambda: None, scale: None, terms: self.terms }
    }

    fn tune(&mut self, Tunable { terms, .. }: Tunable) {
        self.terms = terms;
    }
}
