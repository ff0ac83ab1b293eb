//! Compaction: few features out of many, moved to where they fit best.
//!
//! A feature that is kept costs the device for ever, training happens once. Rounds of random frequencies, each on inputs in
//! proportion to their importance so far; selection by orthogonal least squares (S. Chen, S. A. Billings and W. Luo, 1989);
//! refinement of what is kept by variable projection (G. H. Golub and V. Pereyra, 1973). A last ridge fit over all rows gives
//! the amplitudes.
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `features` | 100 | frequencies kept; each is a wave with a phase of its own |
//! | `order` | all | inputs per frequency |
//! | `lambda` | 1e-3 | λ; n λ is added to the Gram matrix, in selection and refinement as well |
//! | `law` | normal, scale 1 | law of the weights, which are divided by the root of their number |
//! | `candidates` | 1000 | frequencies drawn in a round |
//! | `rounds` | 3 | rounds; the frequencies that one keeps are among the candidates of the next |
//! | `refine` | 100 | most steps of the refinement; 0 for none |
//! | `batch` | 20000 | rows that selection and refinement look at |
//! | `terms` | linear | intercept and linear terms beside the features, unpenalised |

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::check::{at_least_one, check_counts, check_gram, check_inputs, not_negative, positive};
use super::linear_fit::{expansion, normal_equations};
use super::{FitError, Method, Terms, Tunable, interruption};
use crate::compact::dictionary::Dictionary;
use crate::compact::importance::input_importance;
use crate::compact::problem::Problem;
use crate::compact::refine::refine;
use crate::data::Dataset;
use crate::features::{Activation, Feature};
use crate::model::Expansion;
use crate::observer::Observer;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::basis::Basis;
use crate::solve::forward_selection::select_pairs;

/// Keeps the rows of a batch apart from what the rounds draw.
const BATCH_STREAM: u64 = 4;

/// Settings of compaction; the module documentation has the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compact {
    /// Frequencies kept.
    pub features: usize,
    /// Inputs per frequency; none for all.
    pub order: Option<usize>,
    /// Ridge parameter λ.
    pub lambda: f64,
    /// Law of the weights, which are divided by the root of their number.
    pub law: SpectralLaw,
    /// Frequencies drawn in a round.
    pub candidates: usize,
    /// Rounds of drawing and selecting.
    pub rounds: usize,
    /// Most steps of the refinement.
    pub refine: usize,
    /// Rows that selection and refinement look at.
    pub batch: usize,
    /// Terms beside the features.
    pub terms: Terms,
}

impl Default for Compact {
    fn default() -> Self {
        Compact {
            features: 100,
            order: None,
            lambda: 1e-3,
            law: SpectralLaw::Normal { scale: 1.0 },
            candidates: 1000,
            rounds: 3,
            refine: 100,
            batch: 20_000,
            terms: Terms::Linear,
        }
    }
}

impl Compact {
    fn check(&self, data: &Dataset) -> Result<(), FitError> {
        check_counts(data, self.features, self.candidates.max(self.features), 2)?;
        for (setting, value) in [("candidates", self.candidates), ("rounds", self.rounds), ("batch", self.batch)] {
            at_least_one(setting, value)?;
        }
        positive("scale", self.law.scale())?;
        at_least_one("order", self.order.unwrap_or(1))?;
        check_inputs(data, self.order.unwrap_or(1), self.terms)?;
        check_gram(self.features, 2 * self.features + data.inputs())
    }

    /// The frequencies that are kept with this λ.
    fn frequencies(
        &self,
        x: &DMatrix<f64>,
        y: &DMatrix<f64>,
        inputs: &[usize],
        lambda: f64,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Vec<Feature>, FitError> {
        let problem = Problem::new(x, y, &self.terms.columns(x), lambda);
        let dictionary = Dictionary { inputs, order: self.order.unwrap_or(inputs.len()), law: self.law };
        let mut sampler = Sampler::new(seed);
        let mut kept: Vec<Feature> = Vec::new();
        let mut importance: Option<Vec<f64>> = None;
        for round in 0..self.rounds {
            kept.extend(dictionary.draw(self.candidates, importance.as_deref(), &mut sampler));
            let values = problem.values(&kept);
            let order = select_pairs(&values, &problem.y, problem.penalty, self.features, || interruption(observer));
            if observer.interrupted() {
                return Err(FitError::Interrupted);
            }
            kept = order.into_iter().map(|j| kept[j].clone()).collect();
            observer.progress(round + 1, self.rounds + 1);
            if round + 1 < self.rounds {
                importance = Some(importance_beside(&problem, &kept)?);
            }
        }
        refine(&problem, &mut kept, self.refine, || interruption(observer));
        if observer.interrupted() { Err(FitError::Interrupted) } else { Ok(kept) }
    }
}

/// The importance of every input for the waves, without the terms beside them.
fn importance_beside(problem: &Problem<'_>, frequencies: &[Feature]) -> Result<Vec<f64>, FitError> {
    let coefficients = problem.amplitudes(frequencies)?;
    let outputs = coefficients.ncols();
    let waves = Expansion {
        activation: Activation::Sine,
        features: Basis::Pair.features(frequencies),
        coefficients,
        intercept: DMatrix::zeros(1, outputs),
        linear: DMatrix::zeros(problem.x.ncols(), outputs),
    };
    Ok(input_importance(&waves, problem.x).iter().map(|importance| importance.share).collect())
}

impl Method for Compact {
    fn fit_path(
        &self,
        data: &Dataset,
        lambdas: &[f64],
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Vec<Expansion>, FitError> {
        self.check(data)?;
        lambdas.iter().try_for_each(|&lambda| not_negative("lambda", lambda))?;
        let inputs = data.varying_inputs();
        let rows = Sampler::stream(seed, BATCH_STREAM).choose(data.rows(), self.batch);
        let (x, y) = (data.x.select_rows(&rows), data.y.select_rows(&rows));
        let fit = |&lambda: &f64| {
            let frequencies = self.frequencies(&x, &y, &inputs, lambda, seed, observer)?;
            let equations = normal_equations(&data.x, &data.y, self.terms, Basis::Pair, &frequencies).reduce()?;
            Ok(expansion(&equations, lambda, data, self.terms, Basis::Pair, &frequencies)?)
        };
        lambdas.iter().map(fit).collect()
    }

    fn pairs(&self) -> bool {
        true
    }

    fn tunable(&self) -> Tunable {
        let Compact { features, order, lambda, terms, .. } = *self;
        Tunable { features, order, lambda: Some(lambda), scale: Some(self.law.scale()), terms }
    }

    fn tune(&mut self, Tunable { features, order, lambda, scale, terms }: Tunable) {
        (self.features, self.order, self.terms) = (features, order, terms);
        self.lambda = lambda.unwrap_or(self.lambda);
        self.law = self.law.with_scale(scale.unwrap_or(self.law.scale()));
    }
}
