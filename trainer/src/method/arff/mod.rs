//! ARFF: adaptive random Fourier features with Metropolis sampling.

mod metropolis;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::Feature;
use crate::linalg::subtract_product;
use crate::method::arff::metropolis::{Chain, Walk};
use crate::method::common::check::{
    at_least_one, check_features, check_gram, check_inputs, check_lambdas, not_negative, part, positive,
};
use crate::method::common::linear_fit::{Basis, Points, expansion, normal_equations};
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::sampling::Sampler;
use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::Reduced;
use crate::sums::row_tiles;

/// Name under which the state of the walk is kept.
const WALK: &str = "walk";

/// ARFF: adaptive random Fourier features with Metropolis sampling.
///
/// A. Kammonen, J. Kiessling, P. Plecháč, M. Sandberg and A. Szepessy, *Adaptive random Fourier features with
/// Metropolis sampling*, 2020, Algorithms 1 and 2. Algorithm 3 of the paper is the scaling that every fit begins with.
///
/// Frequencies take random steps. A step is accepted with probability `min(1, (|β'| / |β|)^γ)`, where β are the
/// amplitudes of a ridge fit. The frequencies therefore gather where the target's Fourier transform is large, with the
/// density `∝ |f̂|^(γ/(γ+1))`. A final ridge fit to all rows gives the model. Several targets share the frequencies,
/// and `|β|` is the norm over the targets. This implementation makes four choices:
///
/// - `Sᵀ` in the paper's normal equations is read as the conjugate transpose. Real pairs (cos, sin) are the default,
///   since their errors are smaller than those of complex amplitudes in all of the paper's experiments.
/// - A step fits a batch of rows. A frequency keeps the amplitude of its last accepted step until all amplitudes are
///   fitted again. The acceptance test compares logarithms.
/// - A frequency may have only `order` inputs. A share of its steps then exchanges one input for another.
/// - The unpenalised terms are fitted to the targets before the walk, and once more together with the features at the
///   end.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | K, the frequencies |
/// | `order` | 2 | q, inputs per frequency; the paper's are dense: all inputs |
/// | `lambda` | 1e-3 | λ of the last fit; n λ is added to the Gram matrix |
/// | `steps` | 1000 | M, the steps of the walk; 0 leaves plain random Fourier features |
/// | `batch` | 2000 | rows of a step's fit |
/// | `step_length` | 2.4²/(10 q) | δ, standard deviation of a proposal; the paper's Case 1, a step, takes 2.4² |
/// | `exponent` | 3q − 2, at least 2 | γ |
/// | `walk_lambda` | 0.1 | λ of the steps' fits |
/// | `exchange` | 0.2 | share of the proposals that exchange an input, where q is below the number of inputs |
/// | `burn_in` | none | t₀: steps until proposals take the shape of the covariance (Algorithm 2; dense frequencies) |
/// | `max_frequency` | 1000 | ω_max: longer frequencies are not accepted; Algorithm 2 can diverge without |
/// | `refit` | 50 | m: steps after which all amplitudes are fitted anew, 0 for never; below 10 it harms |
/// | `start` | 0 | standard deviation of the first frequencies' weights; the paper starts at zero |
/// | `basis` | pair | `pair`, `complex` amplitudes, or `sigmoid` with a bias that walks as well |
/// | `terms` | linear | intercept and linear terms beside the features, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Arff {
    /// Frequencies, K.
    pub features: usize,
    /// Inputs per frequency, q.
    pub order: usize,
    /// Ridge parameter λ of the last fit.
    pub lambda: f64,
    /// Steps of the walk, M.
    pub steps: usize,
    /// Rows of a step's fit.
    pub batch: usize,
    /// Standard deviation δ of a proposal, in radians per unit of the input; none for the default.
    pub step_length: Option<f64>,
    /// Exponent γ of the Metropolis test; none for the default.
    pub exponent: Option<f64>,
    /// Ridge parameter λ of the steps' fits.
    pub walk_lambda: f64,
    /// Share of the proposals that exchange an input.
    pub exchange: f64,
    /// Steps t₀ after which proposals take the shape of the frequencies' covariance; none for never.
    pub burn_in: Option<usize>,
    /// Length ω_max of the frequencies that are not accepted any more, in radians per unit of the input.
    pub max_frequency: f64,
    /// Steps m after which all amplitudes are fitted anew; 0 for never.
    pub refit: usize,
    /// Standard deviation of the first frequencies' weights.
    pub start: f64,
    /// Functions of a frequency.
    pub basis: Basis,
    /// Terms beside the features.
    pub terms: Terms,
}

/// Operations of a step of the walk for each row and feature, from times of fits.
const OF_A_STEP: f64 = 90.0;

impl Default for Arff {
    fn default() -> Self {
        Arff {
            features: 100,
            order: 2,
            lambda: 1e-3,
            steps: 1000,
            batch: 2000,
            step_length: None,
            exponent: None,
            walk_lambda: 0.1,
            exchange: 0.2,
            burn_in: None,
            max_frequency: 1000.0,
            refit: 50,
            start: 0.0,
            basis: Basis::Pair,
            terms: Terms::Linear,
        }
    }
}

impl Arff {
    fn check_for(&self, data: &Dataset) -> Result<(), MethodError> {
        self.check()?;
        check_inputs(data, self.order, self.terms)?;
        if self.burn_in.is_some() && self.order < data.varying_inputs().len() {
            let range = "the number of inputs where burn_in is set";
            return Err(MethodError::Setting { setting: "order", range, value: self.order as f64 });
        }
        let terms = if self.terms == Terms::Linear { data.inputs() } else { 0 };
        check_gram(self.features, self.features * self.basis.width() + terms)
    }

    /// Walks to the end, and returns the state of the walk.
    fn walk(&self, data: &Dataset, run: &Run<'_>) -> Result<Chain, MethodError> {
        let inputs = data.varying_inputs();
        let order = self.order.min(inputs.len());
        let targets = self.without_terms(data)?;
        let walk = Walk {
            x: &data.x,
            y: &targets,
            inputs: &inputs,
            basis: self.basis,
            lambda: self.walk_lambda,
            batch: self.batch,
            step_length: self.step_length.unwrap_or_else(|| usual_step_length(order)),
            exponent: self.exponent.unwrap_or_else(|| usual_exponent(order)),
            max_frequency: self.max_frequency,
            exchange: self.exchange,
            refit: self.refit,
            burn_in: self.burn_in,
        };
        let mut chain = match run.resume(WALK) {
            Some(chain) => chain,
            None => {
                let mut sampler = Sampler::new(run.seed());
                let first = self.first_frequencies(&inputs, &mut sampler);
                walk.start(first, sampler)?
            }
        };
        while chain.step < self.steps {
            run.keep(WALK, &chain);
            if run.interrupted() {
                return Err(MethodError::Interrupted);
            }
            walk.step(&mut chain)?;
            run.progress(chain.step, self.steps);
        }
        Ok(chain)
    }

    fn first_frequencies(&self, inputs: &[usize], sampler: &mut Sampler) -> Vec<Feature> {
        let order = self.order.min(inputs.len());
        let first = |_| Feature {
            support: sampler.subset(inputs, order),
            weights: (0..order).map(|_| self.start * sampler.normal()).collect(),
            bias: 0.0,
        };
        (0..self.features).map(first).collect()
    }

    /// The residuals of the targets after a fit of the unpenalised terms alone.
    fn without_terms<'a>(&self, data: &'a Dataset) -> Result<Cow<'a, DMatrix<f64>>, MethodError> {
        if self.terms == Terms::None {
            return Ok(Cow::Borrowed(&data.y));
        }
        let (coefficients, _) = self.equations(data, &[])?.solve(0.0)?;
        let mut rest = data.y.clone();
        for (first, x) in row_tiles(&data.x) {
            let mut block = rest.rows(first, x.nrows()).into_owned();
            subtract_product(&mut block, &self.terms.columns(&x), &coefficients);
            rest.rows_mut(first, x.nrows()).copy_from(&block);
        }
        Ok(Cow::Owned(rest))
    }

    /// The normal equations of terms and features over all rows.
    fn equations(&self, data: &Dataset, frequencies: &[Feature]) -> Result<Reduced, SolveError> {
        let points = Points { x: &data.x, y: &data.y, roots: &data.root_weights() };
        normal_equations(points, self.terms, self.basis, frequencies).reduce()
    }
}

/// δ for q inputs per frequency, as in the paper's Case 2.
fn usual_step_length(order: usize) -> f64 {
    2.4 * 2.4 / (10.0 * order as f64)
}

/// γ for q inputs per frequency: 3q − 2 (Remark 3.2), which in one dimension is too little to tell amplitudes apart.
fn usual_exponent(order: usize) -> f64 {
    (3.0 * order as f64 - 2.0).max(2.0)
}

impl Method for Arff {
    fn name(&self) -> &'static str {
        "arff"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        check_lambdas(lambdas)?;
        self.check_for(data)?;
        let frequencies = self.walk(data, run)?.frequencies;
        let equations = self.equations(data, &frequencies)?;
        let expansion = |&lambda: &f64| Ok(expansion(&equations, lambda, data, self.terms, self.basis, &frequencies)?);
        lambdas.iter().map(expansion).collect()
    }

    fn pairs(&self) -> bool {
        self.basis != Basis::Sigmoid
    }

    fn operations(&self, rows: usize, _: usize) -> (f64, f64) {
        let (batch, features) = (rows.min(self.batch) as f64, self.features as f64);
        (OF_A_STEP * self.steps as f64 * batch * features, (2.0 * features).powi(3))
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        at_least_one("order", self.order)?;
        at_least_one("batch", self.batch)?;
        not_negative("lambda", self.lambda)?;
        not_negative("walk_lambda", self.walk_lambda)?;
        not_negative("start", self.start)?;
        part("exchange", self.exchange)?;
        positive("step_length", self.step_length.unwrap_or(1.0))?;
        positive("exponent", self.exponent.unwrap_or(1.0))?;
        positive("max_frequency", self.max_frequency)
    }

    fn tunable(&self) -> Tunable {
        let Arff { features, order, lambda, terms, .. } = *self;
        Tunable { features, order: Some(order), lambda: Some(lambda), scale: None, terms }
    }

    fn tune(&mut self, Tunable { features, order, lambda, terms, .. }: Tunable) {
        (self.features, self.terms) = (features, terms);
        self.order = order.unwrap_or(self.order);
        self.lambda = lambda.unwrap_or(self.lambda);
    }
}
