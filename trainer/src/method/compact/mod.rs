//! Compaction: few features, selected from many and refined.

pub(in crate::method) mod dictionary;
pub(in crate::method) mod extend;
mod objective;
pub(in crate::method) mod problem;
pub(in crate::method) mod prune;
pub(in crate::method) mod refine;
pub(in crate::method) mod selection;
#[cfg(test)]
mod tests;

use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::{Activation, Feature};
use crate::importance::term_importance;
use crate::method::common::check::{
    at_least_one, check_counts, check_features, check_gram, check_inputs, check_lambdas, not_negative, positive,
};
use crate::method::common::huber::{Clipped, USUAL_CLIP, USUAL_FITS, settled};
use crate::method::common::linear_fit::{Basis, Points, expansion, normal_equations};
use crate::method::compact::dictionary::Dictionary;
use crate::method::compact::problem::{Problem, Smoothness};
use crate::method::compact::refine::{USUAL_STEPS, entries_of_curvature, refine, sparsify};
pub use crate::method::compact::selection::Selection;
use crate::method::config::MethodConfig;
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::sampling::{Sampler, SpectralLaw};

/// Largest `excess`.
const MOST_EXCESS: f64 = 100.0;

/// Largest `smoothness`.
const MOST_SMOOTHNESS: f64 = 10.0;

/// Compaction: few features, selected from many and refined.
///
/// Every feature costs flash and time on the device; training cost is paid once. Compaction therefore draws many random
/// frequencies in rounds, each on inputs in proportion to their importance so far. Orthogonal least squares selects few
/// of them (S. Chen, S. A. Billings and W. Luo, 1989), and variable projection refines the selected frequencies
/// (G. H. Golub and V. Pereyra, 1973): by linearised residuals (L. Kaufman, 1975; D. W. Marquardt, 1963) where each has
/// at most three weights, and by L-BFGS (J. Nocedal, 1980) where one has more. Weights that are hardly missed may go,
/// by the curvature of the objective (B. Hassibi and D. G. Stork, 1993). A final fit to all rows gives the amplitudes.
/// Every step has the same penalty: that of ridge regression, or a penalty that grows with the frequency.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | frequencies kept; each is a wave with a phase of its own |
/// | `order` | all | inputs per frequency |
/// | `lambda` | 1e-3 | λ; n λ is added to the Gram matrix, in selection and refinement as well |
/// | `smoothness` | 0 | s, from 0 to 10; λ of a frequency ω is multiplied by (1 + ‖ω‖²)ˢ; 2 penalises curvature |
/// | `law` | normal, scale 1 | law of the weights, which are divided by the root of their number |
/// | `candidates` | 1000 | frequencies drawn in a round, at least as many as it keeps |
/// | `rounds` | 3 | rounds; the frequencies that one keeps are among the candidates of the next |
/// | `selection` | forward | `forward` selection, or `backward` elimination, which noise-free targets prefer |
/// | `excess` | 1 | frequencies that a selection keeps, in multiples of `features`; elimination removes the excess |
/// | `refine` | 100 | most steps of the refinement by L-BFGS, or fewer other steps of the same work; 0 for none |
/// | `sparsify` | none | weights are pruned while the objective rises by no more than this share |
/// | `pool` | none | another method, with its settings, whose frequencies are the candidates in place of rounds |
/// | `batch` | 20000 | rows that selection and refinement look at |
/// | `terms` | linear | intercept and linear terms beside the features, unpenalised |
/// | `huber` | none | c, such as 1.345; residuals beyond c standard deviations count by their absolute value |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compact {
    /// Frequencies kept.
    pub features: usize,
    /// Inputs per frequency; none for all.
    pub order: Option<usize>,
    /// Ridge parameter λ.
    pub lambda: f64,
    /// Exponent s of the factor `(1 + ‖ω‖²)^s` of λ, from 0 to 10.
    pub smoothness: f64,
    /// Law of the weights, which are divided by the root of their number.
    pub law: SpectralLaw,
    /// Frequencies drawn in a round.
    pub candidates: usize,
    /// Rounds of drawing and selecting.
    pub rounds: usize,
    /// How a round chooses.
    pub selection: Selection,
    /// Frequencies that the rounds keep, as a multiple of `features`; at least 1.
    pub excess: f64,
    /// Most steps of the refinement by L-BFGS, or fewer by linearised residuals of the same work.
    pub refine: usize,
    /// Relative rise of the objective for which weights are taken out; none for leaving them.
    pub sparsify: Option<f64>,
    /// Method whose frequencies are the candidates.
    pub pool: Option<Box<MethodConfig>>,
    /// Rows that selection and refinement look at.
    pub batch: usize,
    /// Terms beside the features.
    pub terms: Terms,
    /// Standard deviations at which residuals are clipped; none for least squares.
    pub huber: Option<f64>,
}

impl Default for Compact {
    fn default() -> Self {
        Compact {
            features: 100,
            order: None,
            lambda: 1e-3,
            smoothness: 0.0,
            law: SpectralLaw::Normal { scale: 1.0 },
            candidates: 1000,
            rounds: 3,
            selection: Selection::Forward,
            excess: 1.0,
            refine: 100,
            sparsify: None,
            pool: None,
            batch: 20_000,
            terms: Terms::Linear,
            huber: None,
        }
    }
}

impl Compact {
    /// Checks that every setting is in its range.
    pub(crate) fn check_settings(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        for (setting, value) in [("candidates", self.candidates), ("rounds", self.rounds), ("batch", self.batch)] {
            at_least_one(setting, value)?;
        }
        if !(1.0..=MOST_EXCESS).contains(&self.excess) {
            return Err(MethodError::Setting { setting: "excess", range: "from 1 to 100", value: self.excess });
        }
        if !(0.0..=MOST_SMOOTHNESS).contains(&self.smoothness) {
            return Err(MethodError::Setting { setting: "smoothness", range: "from 0 to 10", value: self.smoothness });
        }
        not_negative("sparsify", self.sparsify.unwrap_or(0.0))?;
        positive("scale", self.law.scale())?;
        positive("huber", self.huber.unwrap_or(USUAL_CLIP))?;
        at_least_one("order", self.order.unwrap_or(1))
    }
}

/// Keeps the rows of a batch apart from what the rounds draw.
const BATCH_STREAM: u64 = 4;

/// λ above which normal equations, which process the rows in blocks, are accurate enough.
const SAFE_LAMBDA: f64 = 1e-10;

impl Compact {
    fn check_for(&self, data: &Dataset) -> Result<(), MethodError> {
        self.check()?;
        let candidates = self.candidates.max(self.selected());
        check_counts(data.rows().min(self.batch), self.features, candidates.saturating_add(self.selected()), 2)?;
        check_inputs(data, self.order.unwrap_or(1), self.terms)?;
        check_gram(self.features, 2 * self.selected() + data.inputs())?;
        let weights = self.order.unwrap_or(data.inputs()).min(data.inputs());
        let entries = if self.sparsify.is_some() { entries_of_curvature(self.features, weights) } else { 0 };
        check_gram(self.features, entries.isqrt())
    }

    /// Frequencies that a round keeps.
    fn selected(&self) -> usize {
        (self.excess * self.features as f64).round() as usize
    }

    /// Selects and refines frequencies, from a pool or from rounds of drawing.
    fn frequencies(
        &self,
        problem: &Problem<'_>,
        inputs: &[usize],
        pool: Option<&[Feature]>,
        run: &Run<'_>,
    ) -> Result<Vec<Feature>, MethodError> {
        let count = self.selected();
        let mut kept = match pool {
            Some(pool) => self.selection.choose(problem, pool.to_vec(), count, run)?,
            None => self.rounds(problem, inputs, count, run)?,
        };
        let interrupt = || run.interruption();
        if count > self.features {
            refine(problem, &mut kept, self.refine, interrupt);
            kept = Selection::Backward.choose(problem, kept, self.features, run)?;
        }
        refine(problem, &mut kept, self.refine, interrupt);
        if let Some(tolerance) = self.sparsify {
            sparsify(problem, &mut kept, tolerance, self.refine, interrupt);
        }
        if run.interrupted() { Err(MethodError::Interrupted) } else { Ok(kept) }
    }

    /// Fits the amplitudes of the selected frequencies to all rows, with targets `y` (n×k) in place of those of `data`.
    pub(in crate::method) fn final_fit(
        &self,
        data: &Dataset,
        y: &DMatrix<f64>,
        lambda: f64,
        frequencies: &[Feature],
    ) -> Result<Expansion, MethodError> {
        let (terms, basis, smoothness) = (self.terms, Basis::Pair, Smoothness(self.smoothness));
        let points = Points { x: &data.x, y, roots: &data.root_weights() };
        if lambda > SAFE_LAMBDA {
            let equations = normal_equations(points, terms, basis, frequencies).reduce()?;
            let equations = equations.scaled(&smoothness.scales(frequencies));
            let scaled = expansion(&equations, lambda, data, terms, basis, frequencies)?;
            return Ok(Expansion { coefficients: smoothness.unscaled(scaled.coefficients, frequencies), ..scaled });
        }
        let problem = Problem::new(points, &terms.columns(&data.x), lambda, smoothness);
        let (coefficients, beside) = problem.solve(frequencies, y)?;
        let (intercept, linear) = terms.divide(&beside, data);
        let (activation, features) = (basis.activation(), basis.features(frequencies));
        Ok(Expansion { activation, features, coefficients, intercept, linear, trees: Vec::new() })
    }

    /// Draws frequencies on inputs by their importance and selects, round after round.
    fn rounds(
        &self,
        problem: &Problem<'_>,
        inputs: &[usize],
        count: usize,
        run: &Run<'_>,
    ) -> Result<Vec<Feature>, MethodError> {
        let dictionary = Dictionary { inputs, order: self.order.unwrap_or(inputs.len()), law: self.law };
        let mut sampler = Sampler::new(run.seed());
        let mut kept: Vec<Feature> = Vec::new();
        for round in 0..self.rounds {
            let importance = if round == 0 { None } else { Some(importance_beside(problem, &kept)?) };
            kept.extend(dictionary.draw(self.candidates.max(count), importance.as_deref(), &mut sampler));
            kept = self.selection.choose(problem, kept, count, run)?;
            run.progress(round + 1, self.rounds + 1);
        }
        Ok(kept)
    }
}

/// The frequencies of an expansion, each once.
fn frequencies_of(expansion: Expansion) -> Vec<Feature> {
    let mut frequencies: Vec<Feature> = Vec::new();
    for feature in expansion.features {
        let feature = Feature { bias: 0.0, ..feature };
        if !frequencies.contains(&feature) {
            frequencies.push(feature);
        }
    }
    frequencies
}

/// The importance of every input for the waves, without the terms beside them.
pub(in crate::method) fn importance_beside(
    problem: &Problem<'_>,
    frequencies: &[Feature],
) -> Result<Vec<f64>, MethodError> {
    let coefficients = problem.amplitudes(frequencies)?;
    let outputs = coefficients.ncols();
    let waves = Expansion {
        activation: Activation::Sine,
        features: Basis::Pair.features(frequencies),
        coefficients,
        intercept: DMatrix::zeros(1, outputs),
        linear: DMatrix::zeros(problem.x.ncols(), outputs),
        trees: Vec::new(),
    };
    Ok(term_importance(&waves, problem.x))
}

impl Method for Compact {
    fn name(&self) -> &'static str {
        "compact"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check_for(data)?;
        check_lambdas(lambdas)?;
        let inputs = data.varying_inputs();
        let rows = Sampler::stream(run.seed(), BATCH_STREAM).choose(data.rows(), self.batch);
        let part = data.select(&rows);
        let of_pool = |pool: &MethodConfig| match pool.method().fit_expansion(&part, &run.quiet())? {
            waves if waves.activation == Activation::Sine => Ok(frequencies_of(waves)),
            _ => Err(MethodError::Pool { method: pool.name() }),
        };
        let pool = self.pool.as_deref().map(of_pool).transpose()?;
        let terms = self.terms.columns(&part.x);
        let roots = part.root_weights();
        let least_squares = |y: &DMatrix<f64>, lambda: f64| {
            let points = Points { x: &part.x, y: &y.select_rows(&rows), roots: &roots };
            let problem = Problem::new(points, &terms, lambda, Smoothness(self.smoothness));
            let frequencies = self.frequencies(&problem, &inputs, pool.as_deref(), run)?;
            Ok::<_, MethodError>((self.final_fit(data, y, lambda, &frequencies)?, frequencies))
        };
        let fit = |&lambda: &f64| {
            let (model, _) = least_squares(&data.y, lambda)?;
            let Some(huber) = self.huber else { return Ok(model) };
            // Frequencies are selected again for clipped targets. Then amplitudes are fitted until predictions settle.
            let clipped = Clipped::new(&data.y, &model.predict(&data.x), &data.weights, huber).y;
            let (model, frequencies) = least_squares(&clipped, lambda)?;
            let again = |y: &DMatrix<f64>| self.final_fit(data, y, lambda, &frequencies);
            settled(data, huber, model, run, again)
        };
        // The first error, whichever thread ends first.
        lambdas.par_iter().map(fit).collect::<Vec<_>>().into_iter().collect()
    }

    fn pairs(&self) -> bool {
        true
    }

    fn operations(&self, rows: usize, inputs: usize) -> (f64, f64) {
        let order = self.order.unwrap_or(inputs).min(inputs) as f64;
        let (batch, rows) = (rows.min(self.batch) as f64, rows as f64);
        let considered = self.features as f64 * self.excess;
        let chosen = 4.0 * rows * self.candidates as f64 * (order + considered * self.rounds as f64);
        let steps = self.refine + self.sparsify.map_or(0, |_| USUAL_STEPS + self.refine);
        let refined = 4.0 * batch * considered * (considered + order) * steps as f64;
        let (fits, last_fits) = if self.huber.is_some() { (2.0, USUAL_FITS) } else { (1.0, 1.0) };
        (0.0, fits * (chosen + refined) + last_fits * rows * considered * considered)
    }

    fn check(&self) -> Result<(), MethodError> {
        self.check_settings()
    }

    fn tunable(&self) -> Tunable {
        let Compact { features, lambda, terms, .. } = *self;
        let order = self.pool.as_ref().map_or(self.order, |pool| pool.tunable().order);
        Tunable { features, order, lambda: Some(lambda), scale: Some(self.law.scale()), terms }
    }

    fn tune(&mut self, Tunable { features, order, lambda, scale, terms }: Tunable) {
        (self.features, self.order, self.terms) = (features, order, terms);
        self.pool = self.pool.take().map(|pool| Box::new(pool.tuned(|t| t.order = order)));
        self.lambda = lambda.unwrap_or(self.lambda);
        self.law = self.law.with_scale(scale.unwrap_or(self.law.scale()));
    }
}
