//! Ridge regression on random Fourier features, dense or sparse, and its limit without penalty.
//!
//! A. Rahimi and B. Recht, *Random features for large-scale kernel machines*, 2007. With q inputs per feature, the
//! features are those of SRFE (A. Hashemi et al., *Generalization bounds for sparse random feature expansions*, 2021).
//! All pairs `[cos⟨ω, x⟩, sin⟨ω, x⟩]` are kept; nothing is selected. The method is the baseline of the other methods;
//! with an order of d it is the classic one.
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `features` | 100 | frequencies |
//! | `order` | 2 | q, inputs per feature |
//! | `lambda` | 1e-3 | ridge parameter; none gives the interpolant of least norm (`min-norm`) |
//! | `rounding` | 1e-5 | without λ: device error of a feature; n·`rounding`² takes the place of λ; 0 interpolates |
//! | `law` | normal, scale 1 | law of the frequencies: normal, cauchy, laplace or uniform |
//! | `terms` | linear | intercept and linear terms beside the features, unpenalised |

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::{Activation, Feature, feature_matrix};
use crate::linalg::product;
use crate::method::common::check::{at_least_one, check_counts, check_features, check_lambdas, not_negative, positive};
use crate::method::common::rounding::DEVICE_ROUNDING;
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::least_squares::min_norm::stable_ridge;
use crate::solve::least_squares::ridge::ridge;
use crate::solve::least_squares::unpenalised::Unpenalised;

/// Settings; the module documentation has the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Fourier {
    /// Frequencies.
    pub features: usize,
    /// Inputs per feature, q.
    pub order: usize,
    /// Ridge parameter; none for the interpolant of least norm.
    pub lambda: Option<f64>,
    /// Error of a feature on the device, [`DEVICE_ROUNDING`], that takes the place of λ where there is none; 0
    /// interpolates.
    pub rounding: f64,
    /// Law of the frequencies.
    pub law: SpectralLaw,
    /// Terms beside the features.
    pub terms: Terms,
}

impl Default for Fourier {
    fn default() -> Self {
        let law = SpectralLaw::Normal { scale: 1.0 };
        Fourier { features: 100, order: 2, lambda: Some(1e-3), rounding: DEVICE_ROUNDING, law, terms: Terms::Linear }
    }
}

impl Fourier {
    /// The settings of the interpolant of least norm.
    pub(crate) fn min_norm() -> Fourier {
        Fourier { lambda: None, ..Fourier::default() }
    }
}

impl Method for Fourier {
    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        check_lambdas(lambdas)?;
        check_counts(data.rows(), self.features, self.features, 2)?;
        if self.order > data.inputs() {
            return Err(MethodError::OrderBeyondInputs { order: self.order, inputs: data.inputs() });
        }
        self.terms.check(data)?;
        let inputs = data.varying_inputs();
        if inputs.is_empty() {
            return Err(MethodError::ConstantInputs);
        }
        let drawn = self.law.sample(self.features, &inputs, self.order, &mut Sampler::new(run.seed()));
        let features: Vec<Feature> = drawn.into_iter().flat_map(|f| Feature::pair(f.support, f.weights)).collect();
        let values = feature_matrix(&data.x, &features, Activation::Sine);
        let beside = Unpenalised::new(&self.terms.columns(&data.x));
        let (mut a, mut y) = (values.clone(), data.y.clone());
        beside.project_out(&mut a);
        beside.project_out(&mut y);
        let fit = |&lambda: &f64| {
            if run.interrupted() {
                return Err(MethodError::Interrupted);
            }
            let coefficients = match self.lambda {
                Some(_) => ridge(&a, &y, lambda)?,
                None => stable_ridge(&a, &y, data.rows() as f64 * self.rounding * self.rounding)?,
            };
            let rest = &data.y - product(&values, &coefficients);
            let (intercept, linear) = self.terms.divide(&beside.coefficients(&rest)?, data);
            let features = features.clone();
            Ok(Expansion { activation: Activation::Sine, features, coefficients, intercept, linear })
        };
        lambdas.iter().map(fit).collect()
    }

    fn pairs(&self) -> bool {
        true
    }

    fn scale_rounding(&mut self, factor: f64) -> bool {
        self.rounding *= factor;
        self.lambda.is_none() && self.rounding > 0.0
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        positive("scale", self.law.scale())?;
        not_negative("rounding", self.rounding)?;
        at_least_one("order", self.order)?;
        not_negative("lambda", self.lambda.unwrap_or_default())
    }

    fn tunable(&self) -> Tunable {
        let scale = Some(self.law.scale());
        Tunable { features: self.features, order: Some(self.order), lambda: self.lambda, scale, terms: self.terms }
    }

    fn tune(&mut self, Tunable { features, order, lambda, scale, terms }: Tunable) {
        (self.features, self.lambda, self.terms) = (features, lambda, terms);
        self.order = order.unwrap_or(self.order);
        self.law = self.law.with_scale(scale.unwrap_or(self.law.scale()));
    }
}
