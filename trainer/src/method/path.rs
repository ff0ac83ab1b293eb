//! A path of growing models: waves of one to all inputs side by side, chosen per byte and refined at every size.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::Feature;
use crate::method::common::check::{
    at_least_one, check_counts, check_features, check_gram, check_inputs, check_lambdas, not_negative,
};
use crate::method::compact::dictionary::Dictionary;
use crate::method::compact::problem::{Problem, Smoothness};
use crate::method::compact::refine::refine;
use crate::method::compact::selection::{keep_scratch, scratch_matrix, select_pairs_within};
use crate::method::compact::{Compact, importance_beside};
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::sampling::{Sampler, SpectralLaw};

/// The ratio of successive sizes.
const GROWTH: f64 = 1.5;

/// The smallest size.
const SMALLEST: f64 = 3.0;

/// The inputs of waves that are drawn, beside all of them.
const ORDERS: [usize; 6] = [1, 2, 3, 4, 6, 8];

/// The scales that the weights of waves are drawn with.
const SCALES: [f64; 4] = [0.3, 0.6, 1.2, 2.4];

/// Keeps the rows of a batch apart from what the path draws.
const BATCH_STREAM: u64 = 4;

/// A path of growing models.
///
/// At every size the dictionary is drawn anew: waves of one to all inputs side by side, whose inputs are drawn by their
/// importance so far. Orthogonal least squares (S. Chen, S. A. Billings and W. Luo, 1989) selects among them and those
/// of the size before by the decrease of the squared error for every byte; variable projection (G. H. Golub and V.
/// Pereyra, 1973) refines what it selects.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | room, in waves of one input |
/// | `lambda` | 1e-4 | λ; n λ is added to the Gram matrix, in selection and refinement as well |
/// | `smoothness` | 1 | s, from 0 to 10; λ of a frequency ω is multiplied by (1 + ‖ω‖²)ˢ |
/// | `candidates` | 500 | waves drawn at a size |
/// | `refine` | 20 | most steps of the refinement at a size |
/// | `batch` | 5000 | rows that selection and refinement look at |
/// | `terms` | linear | intercept and linear terms beside the waves, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Path {
    /// Room, in waves of one input.
    pub features: usize,
    /// Ridge parameter λ.
    pub lambda: f64,
    /// Exponent s of the factor `(1 + ‖ω‖²)^s` of λ, from 0 to 10.
    pub smoothness: f64,
    /// Waves drawn at a size.
    pub candidates: usize,
    /// Most steps of the refinement at a size.
    pub refine: usize,
    /// Rows that selection and refinement look at.
    pub batch: usize,
    /// Terms beside the waves.
    pub terms: Terms,
}

impl Default for Path {
    fn default() -> Self {
        Path {
            features: 100,
            lambda: 1e-4,
            smoothness: 1.0,
            candidates: 500,
            refine: 20,
            batch: 5_000,
            terms: Terms::Linear,
        }
    }
}

/// Returns the bytes of a wave in floating point: a weight and an index for each input, a bias, and an amplitude for
/// each output.
pub(super) fn bytes(inputs: usize, outputs: usize) -> usize {
    5 * inputs + 4 + 4 * outputs
}

/// Returns what a wave costs, in waves of one input.
fn cost(wave: &Feature, outputs: usize) -> f64 {
    bytes(wave.support.len(), outputs) as f64 / bytes(1, outputs) as f64
}

impl Path {
    /// Returns the sizes, ascending.
    fn sizes(&self) -> Vec<f64> {
        let room = self.features as f64;
        let smaller = |&size: &f64| Some(size / GROWTH).filter(|&size| size >= SMALLEST);
        let mut sizes: Vec<f64> = std::iter::successors(Some(room), smaller).collect();
        sizes.reverse();
        sizes
    }

    /// Draws waves, with inputs by their importance.
    fn draw(&self, inputs: &[usize], importance: Option<&[f64]>, sampler: &mut Sampler) -> Vec<Feature> {
        let orders: Vec<usize> =
            ORDERS.into_iter().filter(|&order| order < inputs.len()).chain([inputs.len()]).collect();
        let mut drawn = Vec::with_capacity(self.candidates);
        for _ in 0..self.candidates {
            let order = orders[sampler.below(orders.len())];
            let law = SpectralLaw::Normal { scale: SCALES[sampler.below(SCALES.len())] };
            drawn.extend(Dictionary { inputs, order, law }.draw(1, importance, sampler));
        }
        drawn
    }

    /// Fits targets `y` (n×k) in place of those of `data`; returns the waves, too.
    pub(super) fn fit_with_waves(
        &self,
        data: &Dataset,
        y: &DMatrix<f64>,
        lambda: f64,
        run: &Run<'_>,
    ) -> Result<(Expansion, Vec<Feature>), MethodError> {
        check_counts(data.rows().min(self.batch), self.features, self.candidates + self.features, 2)?;
        check_inputs(data, 1, self.terms)?;
        check_gram(self.features, 2 * self.features + data.inputs())?;
        let inputs = data.varying_inputs();
        let rows = Sampler::stream(run.seed(), BATCH_STREAM).choose(data.rows(), self.batch);
        let x = data.x.select_rows(&rows);
        let terms = self.terms.columns(&x);
        let problem = Problem::new(&x, &y.select_rows(&rows), &terms, lambda, Smoothness(self.smoothness));
        let waves = self.grow(&problem, &inputs, run)?;
        Ok((self.last_fit(data, y, lambda, &waves)?, waves))
    }

    /// Fits the amplitudes of waves to all rows.
    pub(super) fn last_fit(
        &self,
        data: &Dataset,
        y: &DMatrix<f64>,
        lambda: f64,
        waves: &[Feature],
    ) -> Result<Expansion, MethodError> {
        let last = Compact { smoothness: self.smoothness, terms: self.terms, ..Compact::default() };
        last.final_fit(data, y, lambda, waves)
    }

    /// Grows waves to the last size.
    fn grow(&self, problem: &Problem<'_>, inputs: &[usize], run: &Run<'_>) -> Result<Vec<Feature>, MethodError> {
        let mut sampler = Sampler::new(run.seed());
        let mut kept: Vec<Feature> = Vec::new();
        let sizes = self.sizes();
        for (done, &size) in sizes.iter().enumerate() {
            let importance = if kept.is_empty() { None } else { Some(importance_beside(problem, &kept)?) };
            kept.extend(self.draw(inputs, importance.as_deref(), &mut sampler));
            let values = problem.values_in(scratch_matrix(problem.x.nrows(), 2 * kept.len()), &kept);
            let costs: Vec<f64> = kept.iter().map(|wave| cost(wave, problem.y.ncols())).collect();
            let interrupt = || run.interruption();
            let chosen = select_pairs_within(&values, &problem.y, problem.penalty, &costs, size, interrupt);
            keep_scratch(values);
            kept = chosen.into_iter().map(|place| kept[place].clone()).collect();
            refine(problem, &mut kept, self.refine, interrupt);
            if run.interrupted() {
                return Err(MethodError::Interrupted);
            }
            run.progress(done + 1, sizes.len() + 1);
        }
        Ok(kept)
    }
}

impl Method for Path {
    fn name(&self) -> &'static str {
        "path"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        check_lambdas(lambdas)?;
        lambdas.iter().map(|&lambda| Ok(self.fit_with_waves(data, &data.y, lambda, run)?.0)).collect()
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        not_negative("lambda", self.lambda)?;
        let settings = Compact { smoothness: self.smoothness, candidates: self.candidates, ..Compact::default() };
        settings.check_settings()?;
        at_least_one("batch", self.batch)
    }

    fn pairs(&self) -> bool {
        true
    }

    fn tunable(&self) -> Tunable {
        let lambda = Some(self.lambda);
        Tunable { features: self.features, order: Some(1), lambda, scale: None, terms: self.terms }
    }

    fn tune(&mut self, Tunable { features, lambda, terms, .. }: Tunable) {
        self.features = features;
        self.terms = terms;
        self.lambda = lambda.unwrap_or(self.lambda);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wave of one input and a wave of three, beside two inputs that do not matter.
    fn waves(rows: usize, seed: u64) -> Dataset {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(rows, 6, |_, _| sampler.normal());
        let y = DMatrix::from_fn(rows, 1, |row, _| {
            let of = |input: usize| x[(row, input)];
            libm::cos(1.7 * of(0) + 0.4) + libm::sin(0.8 * of(1) - 0.9 * of(2) + 0.7 * of(3))
        });
        Dataset::new(x, y).unwrap()
    }

    #[test]
    fn waves_of_one_and_of_three_inputs_are_found_side_by_side() {
        for seed in 0..4 {
            let (train, test) = (waves(1500, seed), waves(1000, seed + 20));
            let path = Path { features: 12, lambda: 1e-7, ..Path::default() };
            let model = path.fit_expansion(&train, &Run::new(seed)).unwrap();
            let error = (model.predict(&test.x) - &test.y).norm_squared() / 1000.0;
            assert!(error < 0.02, "seed {seed}: {error}");
            // A pair is one wave.
            let waves = &model.features[..model.features.len() / 2];
            assert!(waves.iter().map(|wave| cost(wave, 1)).sum::<f64>() <= 12.0, "seed {seed}");
            assert!(waves.iter().any(|wave| wave.support.len() == 1), "seed {seed}");
            assert!(waves.iter().any(|wave| wave.support.len() >= 3), "seed {seed}");
        }
    }

    #[test]
    fn sizes_grow_by_half_up_to_the_room() {
        let sizes = |features: usize| Path { features, ..Path::default() }.sizes();
        let twelve: Vec<f64> = sizes(12).iter().map(|size| (10.0 * size).round()).collect();
        assert_eq!(twelve, [36.0, 53.0, 80.0, 120.0]);
        assert_eq!(sizes(2), [2.0]);
    }
}
