//! HARFE: hard-ridge random feature expansion.
//!
//! E. Saha, H. Schaeffer and G. Tran, *HARFE: hard-ridge random feature expansion*, 2023, Algorithm 1.
//!
//! Draws N sparse random features and looks for
//!
//! ```text
//! argmin ‖A c − y‖² + λ‖c‖²   over c with at most s non-zero entries
//! ```
//!
//! by hard thresholding pursuit. The paper leaves two choices open, and its tables need both:
//!
//! - *Columns.* With unit-norm columns (the default) λ is added to the Gram matrix as it stands, and the norms are folded
//!   back into c. Raw columns take `nλ`, as equation 6 reads; they reproduce the inverse-quadratic rows of Table 1 and
//!   diverge in 100 dimensions.
//! - *Selection.* The paper writes "largest in magnitude"; its figures for the Friedman functions (Table 2) come out when
//!   the largest *positive* entries are kept ([`Harfe::positive_only`]).
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `features` | 100 | s, the features kept |
//! | `candidates` | 0 | N, the features drawn; 0 means ten times `features`, the paper's ratio |
//! | `order` | 2 | q, inputs per feature |
//! | `lambda` | 1e-3 | λ |
//! | `law` | normal, scale 1 | law of the weights and the bias |
//! | `step` | 0.1 | μ of the gradient step |
//! | `max_iterations` | 50 | the pursuit stops earlier once the support stays the same |
//! | `terms` | linear | intercept and linear terms beside the features, unpenalised |

use std::ops::ControlFlow;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::{FitError, Method, Terms, Tunable, at_least_one, check_counts, positive};
use crate::data::Dataset;
use crate::features::{Activation, feature_matrix};
use crate::linalg::product;
use crate::model::Expansion;
use crate::observer::Observer;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::hard_thresholding::{Keep, Pursuit};
use crate::solve::unpenalised::Unpenalised;

/// How the columns of the feature matrix are scaled, and λ with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnNorm {
    /// Unit Euclidean norm, λ added as it is.
    Unit,
    /// As drawn, n λ added (n rows).
    Raw,
}

/// Settings of HARFE; the module documentation has the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Harfe {
    /// Features kept, s.
    pub features: usize,
    /// Features drawn, N; 0 means ten times `features`.
    pub candidates: usize,
    /// Inputs per feature, q.
    pub order: usize,
    /// Ridge parameter λ.
    pub lambda: f64,
    /// Law of the weights and the bias.
    pub law: SpectralLaw,
    /// Length μ of the gradient step.
    pub step: f64,
    /// Most iterations of the pursuit.
    pub max_iterations: usize,
    /// Scaling of the columns.
    pub column_norm: ColumnNorm,
    /// Keep the largest values instead of the largest magnitudes, as the paper's tables do.
    pub positive_only: bool,
    /// Terms beside the features.
    pub terms: Terms,
}

impl Default for Harfe {
    fn default() -> Self {
        Harfe {
            features: 100,
            candidates: 0,
            order: 2,
            lambda: 1e-3,
            law: SpectralLaw::Normal { scale: 1.0 },
            step: 0.1,
            max_iterations: 50,
            column_norm: ColumnNorm::Unit,
            positive_only: false,
            terms: Terms::Linear,
        }
    }
}

impl Harfe {
    fn check(&self, data: &Dataset) -> Result<(), FitError> {
        check_counts(data, self.features, self.candidates, 1)?;
        positive("step", self.step)?;
        positive("scale", self.law.scale())?;
        at_least_one("order", self.order)?;
        at_least_one("max_iterations", self.max_iterations)?;
        if !(self.lambda >= 0.0 && self.lambda.is_finite()) {
            return Err(FitError::Setting { setting: "lambda", range: "0 or more", value: self.lambda });
        }
        if self.order > data.inputs() {
            return Err(FitError::OrderBeyondInputs { order: self.order, inputs: data.inputs() });
        }
        self.terms.check(data)
    }
}

impl Method for Harfe {
    fn fit(&self, data: &Dataset, seed: u64, observer: &dyn Observer) -> Result<Expansion, FitError> {
        self.check(data)?;
        let inputs = data.varying_inputs();
        if inputs.is_empty() {
            return Err(FitError::ConstantInputs);
        }
        let candidates = if self.candidates == 0 { 10 * self.features } else { self.candidates };
        let drawn = self.law.sample(candidates, &inputs, self.order, &mut Sampler::new(seed));
        let mut a = feature_matrix(&data.x, &drawn, Activation::Sine);
        let mut y = data.y.clone();

        let beside = Unpenalised::new(&self.terms.columns(&data.x))?;
        beside.project_out(&mut a);
        beside.project_out(&mut y);
        let (norms, lambda) = match self.column_norm {
            ColumnNorm::Unit => (normalise_columns(&mut a), self.lambda),
            ColumnNorm::Raw => (vec![1.0; candidates], self.lambda * data.rows() as f64),
        };

        let pursuit = Pursuit {
            sparsity: self.features,
            lambda,
            step: self.step,
            max_iterations: self.max_iterations,
            keep: if self.positive_only { Keep::LargestValue } else { Keep::LargestMagnitude },
        };
        let found = pursuit.run(&a, &y, || match observer.interrupted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })?;
        if observer.interrupted() {
            return Err(FitError::Interrupted);
        }

        let features: Vec<_> = found.support.iter().map(|&j| drawn[j].clone()).collect();
        let mut coefficients = found.coefficients;
        for (mut row, &j) in coefficients.row_iter_mut().zip(&found.support) {
            row /= norms[j];
        }
        let explained = product(&feature_matrix(&data.x, &features, Activation::Sine), &coefficients);
        let (intercept, linear) = self.terms.divide(&beside.coefficients(&(&data.y - explained)), data);
        Ok(Expansion { activation: Activation::Sine, features, coefficients, intercept, linear })
    }

    fn tunable(&self) -> Tunable {
        Tunable { features: self.features, order: self.order, lambda: Some(self.lambda), terms: self.terms }
    }

    fn tune(&mut self, Tunable { features, order, lambda, terms }: Tunable) {
        (self.features, self.order, self.terms) = (features, order, terms);
        self.lambda = lambda.unwrap_or(self.lambda);
    }
}

/// Scales every column to norm one and returns the norms; a column of zeros stays, with norm one.
fn normalise_columns(a: &mut DMatrix<f64>) -> Vec<f64> {
    let scale = |mut column: nalgebra::DVectorViewMut<'_, f64>| {
        let norm = column.norm();
        let norm = if norm > 0.0 { norm } else { 1.0 };
        column /= norm;
        norm
    };
    a.column_iter_mut().map(scale).collect()
}
