//! Ridge regression on random Fourier features, dense or sparse, and its limit without penalty.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::{Activation, Feature, feature_matrix};
use crate::linalg::{product, scale_rows};
use crate::method::common::check::{
    DEVICE_ROUNDING, at_least_one, check_counts, check_features, check_gram, check_lambdas, not_negative, positive,
};
use crate::method::common::linear_fit::{Basis, Points, expansion, normal_equations};
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::least_squares::min_norm::stable_ridge;
use crate::solve::least_squares::ridge::{Unpenalised, ridge};

/// The largest number of rows whose feature values are in memory together. More rows are summed to normal equations.
const AT_ONCE: usize = 4096;

/// The least ridge parameter per row with normal equations, which square the condition number.
const LEAST_LAMBDA: f64 = 1e-11;

/// Ridge regression on random Fourier features, dense or sparse, and its limit without penalty.
///
/// A. Rahimi and B. Recht, *Random features for large-scale kernel machines*, 2007. With q inputs per feature, the
/// features are those of SRFE (A. Hashemi et al., *Generalization bounds for sparse random feature expansions*, 2021).
/// All pairs `[cos⟨ω, x⟩, sin⟨ω, x⟩]` are kept; nothing is selected. The method is the baseline of the other methods;
/// with an order of d it is the classic one.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | frequencies |
/// | `order` | 2 | q, inputs per feature |
/// | `lambda` | 1e-3 | ridge parameter; none gives the interpolant of least norm (`min-norm`) |
/// | `rounding` | 1e-5 | without λ: device error of a feature; n·`rounding`² takes the place of λ; 0 interpolates |
/// | `law` | normal, scale 1 | law of the frequencies: normal, cauchy, laplace or uniform |
/// | `terms` | linear | intercept and linear terms beside the features, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fourier {
    /// Frequencies.
    pub features: usize,
    /// Inputs per feature, q.
    pub order: usize,
    /// Ridge parameter; none for the interpolant of least norm.
    pub lambda: Option<f64>,
    /// Error of a feature on the device that takes the place of λ where there is none; 0 interpolates.
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
    pub fn min_norm() -> Fourier {
        Fourier { lambda: None, ..Fourier::default() }
    }
}

impl Method for Fourier {
    fn name(&self) -> &'static str {
        if self.lambda.is_some() { "fourier" } else { "min-norm" }
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        check_lambdas(lambdas)?;
        let columns = 2 * self.features + self.terms.count(data.inputs());
        let summed = self.lambda.is_some() && data.rows() > AT_ONCE.max(columns);
        if summed {
            check_gram(self.features, columns)?;
        } else {
            check_counts(data.rows(), self.features, self.features, 2)?;
        }
        if self.order > data.inputs() {
            return Err(MethodError::OrderBeyondInputs { order: self.order, inputs: data.inputs() });
        }
        self.terms.check(data)?;
        let inputs = data.varying_inputs();
        if inputs.is_empty() {
            return Err(MethodError::ConstantInputs);
        }
        let drawn = self.law.sample(self.features, &inputs, self.order, &mut Sampler::new(run.seed()));
        let roots = data.root_weights();
        if summed {
            let points = Points { x: &data.x, y: &data.y, roots: &roots };
            let equations = normal_equations(points, self.terms, Basis::Pair, &drawn).reduce()?;
            let fit = |&lambda: &f64| {
                let per_row = (lambda / data.rows() as f64).max(LEAST_LAMBDA);
                Ok(expansion(&equations, per_row, data, self.terms, Basis::Pair, &drawn)?)
            };
            return lambdas.iter().map(fit).collect();
        }
        let features: Vec<Feature> = drawn.into_iter().flat_map(|f| Feature::pair(f.support, f.weights)).collect();
        let values = feature_matrix(&data.x, &features, Activation::Sine);
        let mut columns = self.terms.columns(&data.x);
        let (mut a, mut y) = (values.clone(), data.y.clone());
        [&mut a, &mut y, &mut columns].into_iter().for_each(|m| scale_rows(m, &roots));
        let beside = Unpenalised::new(&columns);
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
            let mut rest = &data.y - product(&values, &coefficients);
            scale_rows(&mut rest, &roots);
            let (intercept, linear) = self.terms.divide(&beside.coefficients(&rest)?, data);
            let features = features.clone();
            Ok(Expansion { activation: Activation::Sine, features, coefficients, intercept, linear, trees: Vec::new() })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::common::testing::rows;

    #[test]
    fn rows_that_are_summed_give_ridge_regression() {
        let data = rows(5000, 3, 1, |x| (x[0] + x[1]).sin() + x[2]);
        let fourier = Fourier { features: 20, terms: Terms::Linear, ..Fourier::default() };
        let lambdas = [1e-2, 10.0];
        for (lambda, summed) in lambdas.iter().zip(fourier.fit_path(&data, &lambdas, &Run::new(1)).unwrap()) {
            let mut a = feature_matrix(&data.x, &summed.features, Activation::Sine);
            let (block, mut y) = (Unpenalised::new(&Terms::Linear.columns(&data.x)), data.y.clone());
            block.project_out(&mut a);
            block.project_out(&mut y);
            let direct = ridge(&a, &y, *lambda).unwrap();
            // Condition number 1e6 at most.
            assert!((summed.coefficients - &direct).amax() < 1e-8 * direct.amax());
        }
    }
}
