//! Frequencies by stochastic gradient descent over mini-batches of all rows.

mod descent;
mod gradient;
mod parameters;
#[cfg(test)]
mod tests;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::Feature;
use crate::method::common::check::{
    at_least_one, check_features, check_gram, check_inputs, check_lambdas, not_negative, positive,
};
use crate::method::common::linear_fit::{Basis, Points, expansion, normal_equations};
use crate::method::error::MethodError;
pub use crate::method::sgd::descent::Start;
use crate::method::sgd::descent::{Descent, Waves, leading_frequencies, random_frequencies};
use crate::method::sgd::gradient::ShuffledRows;
use crate::method::sgd::parameters::{Coefficients, Shape, frequencies};
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::{Parts, Run};
use crate::sampling::{Sampler, SpectralLaw};

/// Separates the order of the rows from the draws of frequencies.
const ROWS_STREAM: u64 = 7;

/// Rows of the fit that gives the first amplitudes.
const SAMPLE: usize = 8192;

/// The share of the steps, as its inverse, of the first fit that others start from.
const FIRST_SHARE: usize = 4;

/// The ratio of the frequencies of the first fit and of the features.
const EXCESS: usize = 2;

/// λ of the first amplitudes.
const FIRST_LAMBDA: f64 = 1e-3;

/// The longest step of an amplitude, in standard deviations of the target.
const AMPLITUDE_LENGTH: f64 = 0.01;

/// Frequencies by stochastic gradient descent over mini-batches of all rows.
///
/// Adam (D. P. Kingma and J. Ba, 2015) moves frequencies, amplitudes and terms together in single precision. A fit in
/// closed form over all rows then gives the amplitudes. Training takes time in proportion to steps, features and
/// inputs, whatever the number of rows.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | K, the frequencies; each is a wave with a phase of its own |
/// | `order` | all | inputs per frequency: those of the largest weights, which the descent reduces step by step |
/// | `lambda` | 1e-6 | λ of the last fit; n λ is added to the Gram matrix |
/// | `law` | normal, scale 1 | law of the first weights, which are divided by the root of their number |
/// | `start` | leading | first directions: `random`, or `leading`: those in which a first, shorter fit changes most |
/// | `steps` | 10000 | steps of the descent, one mini-batch each |
/// | `batch` | 512 | rows of a mini-batch |
/// | `step_length` | 0.05 | longest step of a weight, in units of the first weights' scale |
/// | `terms` | linear | intercept and linear terms beside the features, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sgd {
    /// Frequencies, K.
    pub features: usize,
    /// Inputs per frequency; none for all.
    pub order: Option<usize>,
    /// λ of the last fit.
    pub lambda: f64,
    /// Law of the first weights.
    pub law: SpectralLaw,
    /// Where the descent starts.
    pub start: Start,
    /// Steps of the descent.
    pub steps: usize,
    /// Rows of a mini-batch.
    pub batch: usize,
    /// The longest step of a weight, in units of the first weights' scale.
    pub step_length: f64,
    /// Terms beside the features.
    pub terms: Terms,
}

impl Default for Sgd {
    fn default() -> Self {
        Sgd {
            features: 100,
            order: None,
            lambda: 1e-6,
            law: SpectralLaw::Normal { scale: 1.0 },
            start: Start::Leading,
            steps: 10_000,
            batch: 512,
            step_length: 0.05,
            terms: Terms::Linear,
        }
    }
}

/// The rows and inputs of a fit.
struct Problem<'a> {
    /// Rows of the fit that gives the first amplitudes.
    sample: Dataset,
    rows: ShuffledRows,
    /// Numbers of the inputs that vary.
    inputs: &'a [usize],
}

impl Sgd {
    /// Returns the frequencies that the descent finds.
    fn trained(&self, data: &Dataset, inputs: &[usize], run: &Run<'_>) -> Result<Vec<Feature>, MethodError> {
        let mut sampler = Sampler::stream(run.seed(), ROWS_STREAM);
        let order = sampler.permutation(data.rows());
        let sample = data.select(&order[..order.len().min(SAMPLE)]);
        let problem = Problem { sample, rows: ShuffledRows::new(data, &order, inputs), inputs };
        drop(order);

        let mut draws = Sampler::new(run.seed());
        let first = random_frequencies(self.first_count(), inputs, self.law, &mut draws);
        if self.start == Start::Random {
            return self.descended(&problem, &first, (self.steps, true), &mut sampler, run);
        }
        let before = self.steps / FIRST_SHARE;
        let steps = self.steps - before;
        let parts = Parts::new(run, vec![before, steps]);
        let found = self.descended(&problem, &first, (before, false), &mut sampler, &parts.part(0))?;
        let amplitudes = self.fitted(&problem.sample, &found)?.coefficients;
        let fit = Waves { frequencies: &found, amplitudes: &amplitudes };
        let second = leading_frequencies(self.features, &problem.sample.x, fit, (inputs, self.law), &mut draws)?;
        self.descended(&problem, &second, (steps, true), &mut sampler, &parts.part(1))
    }

    /// Returns the number of frequencies that are drawn first.
    fn first_count(&self) -> usize {
        if self.start == Start::Leading { EXCESS * self.features } else { self.features }
    }

    /// Moves frequencies downhill. `steps` says how many steps there are and whether weights are pruned.
    fn descended(
        &self,
        problem: &Problem<'_>,
        first: &[Feature],
        (steps, prune): (usize, bool),
        sampler: &mut Sampler,
        run: &Run<'_>,
    ) -> Result<Vec<Feature>, MethodError> {
        let Problem { sample, rows, inputs } = problem;
        let fitted = self.fitted(sample, first)?;
        let linear = fitted.linear.select_rows(*inputs);
        let coefficients =
            Coefficients { amplitudes: &fitted.coefficients, linear: &linear, intercept: &fitted.intercept };
        let shape = Shape { inputs: inputs.len(), frequencies: first.len(), outputs: sample.outputs() };
        let place = |feature: &Feature| Feature {
            support: feature.support.iter().filter_map(|input| inputs.binary_search(input).ok()).collect(),
            ..feature.clone()
        };
        let placed: Vec<Feature> = first.iter().map(place).collect();
        let descent = Descent {
            shape,
            batch: self.batch.min(rows.rows()),
            steps,
            order: self.order.filter(|_| prune),
            weight_length: self.step_length * self.law.scale() / (inputs.len() as f64).sqrt(),
            amplitude_length: AMPLITUDE_LENGTH * spread(&sample.y),
            terms: self.terms,
        };
        let parameters = descent.run(rows, &placed, &coefficients, sampler, run)?;
        Ok(frequencies(&parameters, shape, inputs))
    }

    /// Fits the amplitudes of frequencies to some rows.
    fn fitted(&self, sample: &Dataset, frequencies: &[Feature]) -> Result<Expansion, MethodError> {
        let points = Points { x: &sample.x, y: &sample.y, roots: &sample.root_weights() };
        let equations = normal_equations(points, self.terms, Basis::Pair, frequencies).reduce()?;
        Ok(expansion(&equations, FIRST_LAMBDA, sample, self.terms, Basis::Pair, frequencies)?)
    }
}

/// Returns the largest standard deviation of a column.
fn spread(y: &DMatrix<f64>) -> f64 {
    y.column_iter().map(|column| column.variance().sqrt()).fold(0.0, f64::max)
}

impl Method for Sgd {
    fn name(&self) -> &'static str {
        "sgd"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        check_lambdas(lambdas)?;
        check_inputs(data, self.order.unwrap_or(1), self.terms)?;
        check_gram(self.features, 2 * self.first_count() + self.terms.count(data.inputs()))?;
        let frequencies = self.trained(data, &data.varying_inputs(), run)?;
        let points = Points { x: &data.x, y: &data.y, roots: &data.root_weights() };
        let equations = normal_equations(points, self.terms, Basis::Pair, &frequencies).reduce()?;
        let fit = |&lambda: &f64| Ok(expansion(&equations, lambda, data, self.terms, Basis::Pair, &frequencies)?);
        lambdas.iter().map(fit).collect()
    }

    fn pairs(&self) -> bool {
        true
    }

    fn operations(&self, rows: usize, inputs: usize) -> (f64, f64) {
        let (batch, rows, features) = (rows.min(self.batch) as f64, rows as f64, self.features as f64);
        let order = self.order.unwrap_or(inputs).min(inputs) as f64;
        let steps = 6.0 * batch * features * order * self.steps as f64;
        (steps + rows * features * features, features.powi(3))
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        at_least_one("order", self.order.unwrap_or(1))?;
        at_least_one("batch", self.batch)?;
        positive("scale", self.law.scale())?;
        positive("step_length", self.step_length)?;
        not_negative("lambda", self.lambda)
    }

    fn tunable(&self) -> Tunable {
        let Sgd { features, order, lambda, terms, .. } = *self;
        Tunable { features, order, lambda: Some(lambda), scale: Some(self.law.scale()), terms }
    }

    fn tune(&mut self, Tunable { features, order, lambda, scale, terms }: Tunable) {
        (self.features, self.order, self.terms) = (features, order, terms);
        self.lambda = lambda.unwrap_or(self.lambda);
        self.law = self.law.with_scale(scale.unwrap_or(self.law.scale()));
    }
}
