//! A path of growing models: waves of one to all inputs side by side, chosen per byte and refined at every size.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::{Dataset, weights};
use crate::features::{Feature, pair_matrix};
use crate::method::common::check::{check_counts, check_features, check_gram, check_inputs, check_lambdas};
use crate::method::common::dependence::dependence;
use crate::method::common::huber::{Clipped, USUAL_FITS, settled};
use crate::method::common::linear_fit::Points;
use crate::method::common::taken::Taken;
use crate::method::compact::dictionary::Dictionary;
use crate::method::compact::extend::extend;
use crate::method::compact::problem::{Problem, Smoothness};
use crate::method::compact::prune::prune;
use crate::method::compact::refine::refine;
use crate::method::compact::selection::{keep_scratch, scratch_matrix, select_pairs_within};
use crate::method::compact::{Compact, importance_beside};
use crate::method::error::MethodError;
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::sampling::{Sampler, SpectralLaw};

/// The smallest size, and the ratio of successive sizes.
const SMALLEST: usize = 3;
const GROWTH: f64 = 1.5;

/// The largest share of the last size that the one before it has.
const CLOSEST: f64 = 0.85;

/// The inputs of waves that are drawn, beside all of them.
const ORDERS: [usize; 6] = [1, 2, 3, 4, 6, 8];

/// The scales that the weights of waves are drawn with.
const SCALES: [f64; 4] = [0.3, 0.6, 1.2, 2.4];

/// The share of the growth that goes to more inputs of waves, before new waves compete for the rest.
const SHARE_OF_INPUTS: f64 = 0.3;

/// The most rows of a batch that waves are selected by, among many more waves than the refinement has.
const SELECTED_ROWS: usize = 1_500;

/// Keeps the rows of a batch, and those of them that waves are selected by, apart from what the path draws.
const BATCH_STREAM: u64 = 4;
const SELECTION_STREAM: u64 = 5;

/// A path of growing models.
///
/// At every size the waves so far get more inputs, those that lower the squared error most. Then the dictionary is
/// drawn anew: waves of one to all inputs side by side, whose inputs are drawn by their importance so far, and at first
/// by the targets' dependence on each. Orthogonal least squares (S. Chen, S. A. Billings and W. Luo, 1989) selects
/// among old and new waves by the decrease of the squared error for every byte; variable projection (G. H. Golub and V.
/// Pereyra, 1973) refines what it selects. A smaller number of features is the beginning of the same path. Where waves
/// exceed the budget of the fit, the path ends: some are pruned, and the rest competes with a few other tries.
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | room, in waves of one input, or of those that `inputs` asks for |
/// | `inputs` | any | inputs of every wave; without the setting from one to all, side by side |
/// | `lambda` | 1e-4 | λ; n λ is added to the Gram matrix, in selection and refinement as well |
/// | `smoothness` | 1 | s, from 0 to 10; λ of a frequency ω is multiplied by (1 + ‖ω‖²)ˢ |
/// | `candidates` | 500 | waves drawn at a size |
/// | `refine` | 20 | most steps of the refinement of 50 waves or more; fewer take up to 20 times as many |
/// | `batch` | 6000 | rows that refinement looks at; selection looks at 1500 of them |
/// | `terms` | linear | intercept and linear terms beside the waves, unpenalised |
/// | `huber` | none | c, such as 1.345; residuals beyond c standard deviations count by their absolute value |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Path {
    /// Room, in waves of one input, or of those that `inputs` asks for.
    pub features: usize,
    /// Inputs of every wave; none for waves of one to all inputs side by side.
    pub inputs: Option<usize>,
    /// Ridge parameter λ.
    pub lambda: f64,
    /// Exponent s of the factor `(1 + ‖ω‖²)^s` of λ, from 0 to 10.
    pub smoothness: f64,
    /// Waves drawn at a size.
    pub candidates: usize,
    /// Most steps of the refinement of 50 waves or more; fewer take up to 20 times as many.
    pub refine: usize,
    /// Rows that refinement looks at. Selection looks at 1500 of them.
    pub batch: usize,
    /// Terms beside the waves.
    pub terms: Terms,
    /// Standard deviations at which residuals are clipped; none for least squares.
    pub huber: Option<f64>,
    /// What waves take of the budget of the fit.
    #[serde(skip)]
    pub taken: Taken,
}

impl Default for Path {
    fn default() -> Self {
        Path {
            features: 100,
            inputs: None,
            lambda: 1e-4,
            smoothness: 1.0,
            candidates: 500,
            refine: 20,
            batch: 6_000,
            terms: Terms::Linear,
            huber: None,
            taken: Taken::default(),
        }
    }
}

/// Returns the bytes of a wave in floating point: a weight and an index for each input, a bias, and an amplitude for
/// each output.
pub(super) fn bytes(inputs: usize, outputs: usize) -> usize {
    BYTES_OF_INPUT * inputs + 4 + 4 * outputs
}

/// The bytes of a weight and of the index of its input.
const BYTES_OF_INPUT: usize = 5;

/// Returns the sizes of a path up to a room, ascending. Those of a room that is itself a size of a larger one are the
/// first of that one's.
pub(crate) fn sizes(room: usize) -> Vec<usize> {
    let next = |&size: &usize| Some((GROWTH * size as f64).round() as usize);
    let smaller = std::iter::successors(Some(SMALLEST), next).take_while(|&size| (size as f64) < CLOSEST * room as f64);
    smaller.chain([room]).collect()
}

/// The waves of a path at one of its sizes.
pub(super) struct Grown {
    size: usize,
    pub waves: Vec<Feature>,
}

/// Waves of a model whose refinement takes `refine` steps at most. Fewer waves take more steps of the same work, up to
/// a multiple of them.
const WAVES_OF_STEPS: usize = 50;
const MOST_STEPS: usize = 20;

/// The most tries to fill a budget. With one of them, models within some hundred bytes had a fifth more error, in the
/// geometric mean over nine tasks of generated functions and five seeds.
const MOST_TRIES: usize = 4;

impl Path {
    /// Returns what a wave costs, in waves of the inputs that are asked for, or of one.
    fn cost(&self, wave: &Feature, outputs: usize) -> f64 {
        bytes(wave.support.len(), outputs) as f64 / bytes(self.inputs.unwrap_or(1), outputs) as f64
    }

    /// Returns the most steps that refine so many waves.
    fn steps(&self, waves: usize) -> usize {
        self.refine * (WAVES_OF_STEPS / waves.max(1)).clamp(1, MOST_STEPS)
    }

    /// Draws waves, with inputs by their importance.
    fn draw(&self, inputs: &[usize], importance: &[f64], sampler: &mut Sampler) -> Vec<Feature> {
        let orders: Vec<usize> = match self.inputs {
            Some(order) => vec![order.min(inputs.len())],
            None => ORDERS.into_iter().filter(|&order| order < inputs.len()).chain([inputs.len()]).collect(),
        };
        let mut drawn = Vec::with_capacity(self.candidates);
        for _ in 0..self.candidates {
            let order = orders[sampler.below(orders.len())];
            let law = SpectralLaw::Normal { scale: SCALES[sampler.below(SCALES.len())] };
            drawn.extend(Dictionary { inputs, order, law }.draw(1, Some(importance), sampler));
        }
        drawn
    }

    /// Grows waves for targets `y` (n×k) in place of those of `data`. Returns those of every size.
    pub(super) fn grow(
        &self,
        data: &Dataset,
        y: &DMatrix<f64>,
        lambda: f64,
        run: &Run<'_>,
    ) -> Result<Vec<Grown>, MethodError> {
        check_counts(data.rows().min(self.batch), self.features, self.candidates + self.features, 2)?;
        check_inputs(data, self.inputs.unwrap_or(1), self.terms)?;
        check_gram(self.features, 2 * self.features + data.inputs())?;
        let rows = Sampler::stream(run.seed(), BATCH_STREAM).choose(data.rows(), self.batch);
        let part = Dataset { y: y.select_rows(&rows), ..data.select(&rows) };
        let (x, y, roots) = (&part.x, &part.y, part.root_weights());
        let terms = self.terms.columns(x);
        let few = Sampler::stream(run.seed(), SELECTION_STREAM).choose(x.nrows(), SELECTED_ROWS);
        let (few_part, few_terms) = (part.select(&few), terms.select_rows(&few));
        let smoothness = Smoothness(self.smoothness);
        let few_roots = weights::select(&roots, &few);
        let few_points = Points { x: &few_part.x, y: &few_part.y, roots: &few_roots };
        let mut growth = Growth {
            path: self,
            inputs: data.varying_inputs(),
            problem: Problem::new(Points { x, y, roots: &roots }, &terms, lambda, smoothness),
            selection: Problem::new(few_points, &few_terms, lambda, smoothness),
            sampler: Sampler::new(run.seed()),
            run,
        };
        let mut path: Vec<Grown> = Vec::new();
        let sizes = sizes(self.features);
        for (done, &size) in sizes.iter().enumerate() {
            let (mut waves, _) = growth.grown(path.last(), size)?;
            // The path ends where waves exceed the budget: the last ones fill it.
            let is_full = self.taken.by(&waves) > 1.0;
            if is_full {
                waves = growth.filling(path.last(), size, waves)?;
            }
            if run.interrupted() {
                return Err(MethodError::Interrupted);
            }
            run.progress(done + 1, sizes.len() + 1);
            if let Some(huber) = self.huber {
                // The next size has the targets that are clipped by this one.
                let (amplitudes, beside) = growth.problem.solve(&waves, y)?;
                let predicted = pair_matrix(x, &waves) * amplitudes + &terms * beside;
                let clipped = Clipped::new(y, &predicted, &part.weights, huber).y;
                growth.problem.set_targets(&clipped);
                growth.selection.set_targets(&clipped.select_rows(&few));
            }
            path.push(Grown { size, waves });
            if is_full {
                break;
            }
        }
        Ok(path)
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

    /// Fits the amplitudes of waves to all rows with the loss of the settings.
    fn model(&self, data: &Dataset, lambda: f64, waves: &[Feature], run: &Run<'_>) -> Result<Expansion, MethodError> {
        let again = |y: &DMatrix<f64>| self.last_fit(data, y, lambda, waves);
        let model = again(&data.y)?;
        match self.huber {
            None => Ok(model),
            Some(huber) => settled(data, huber, model, run, again),
        }
    }
}

/// Waves that grow from one size to the next.
struct Growth<'a> {
    path: &'a Path,
    inputs: Vec<usize>,
    /// The rows that waves are refined by, and those of them that they are selected by.
    problem: Problem<'a>,
    selection: Problem<'a>,
    sampler: Sampler,
    run: &'a Run<'a>,
}

impl Growth<'_> {
    /// Returns the waves of a size, and the share of the squared error that they leave.
    fn grown(&mut self, before: Option<&Grown>, size: usize) -> Result<(Vec<Feature>, f64), MethodError> {
        let Growth { path, ref inputs, ref problem, ref selection, .. } = *self;
        let outputs = problem.y.ncols();
        let mut waves = before.map_or_else(Vec::new, |before| before.waves.clone());
        if let (None, Some(before)) = (path.inputs, before) {
            let room = SHARE_OF_INPUTS * (size - before.size) as f64 * bytes(1, outputs) as f64;
            extend(problem, &mut waves, inputs, room as usize / BYTES_OF_INPUT);
        }
        let importance = match waves.is_empty() {
            true => dependence(problem.x, &problem.targets()),
            false => importance_beside(problem, &waves)?,
        };
        waves.extend(path.draw(inputs, &importance, &mut self.sampler));
        let values = selection.values_in(scratch_matrix(selection.x.nrows(), 2 * waves.len()), &waves);
        let costs: Vec<f64> = waves.iter().map(|wave| path.cost(wave, outputs)).collect();
        let interrupt = || self.run.interruption();
        let chosen = select_pairs_within(&values, &selection.y, selection.penalty, &costs, size as f64, interrupt);
        keep_scratch(values);
        waves = chosen.into_iter().map(|place| waves[place].clone()).collect();
        let left = self.refine(&mut waves);
        Ok((waves, left))
    }

    fn refine(&self, waves: &mut [Feature]) -> f64 {
        let steps = self.path.steps(waves.len());
        refine(&self.problem, waves, steps, || self.run.interruption())
    }

    /// Takes waves out until the others keep the budget. Returns the share of the squared error that they leave.
    fn prune(&self, waves: &mut Vec<Feature>) -> f64 {
        prune(&self.problem, waves, &self.path.taken);
        self.refine(waves)
    }

    /// Returns the best of some waves that keep the budget: those that are left of waves that exceed it, and others
    /// that are drawn anew, up to smaller sizes. Few waves take little time, and chance counts for much among them.
    fn filling(
        &mut self,
        before: Option<&Grown>,
        size: usize,
        mut waves: Vec<Feature>,
    ) -> Result<Vec<Feature>, MethodError> {
        let tries = (WAVES_OF_STEPS / waves.len().max(1)).clamp(1, MOST_TRIES);
        let left = self.prune(&mut waves);
        let mut all = vec![(waves, left)];
        let smallest = before.map_or(0, |before| before.size);
        for place in 1..tries {
            let (mut waves, mut left) = self.grown(before, size - (size - smallest) * place / tries)?;
            if self.path.taken.by(&waves) > 1.0 {
                left = self.prune(&mut waves);
            }
            all.push((waves, left));
        }
        if let Some(before) = before {
            let mut waves = before.waves.clone();
            let left = self.refine(&mut waves);
            all.push((waves, left));
        }
        let best = all.into_iter().reduce(|best, next| if next.1 < best.1 { next } else { best });
        Ok(best.map_or_else(Vec::new, |(waves, _)| waves))
    }
}

impl Method for Path {
    fn name(&self) -> &'static str {
        "path"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        check_lambdas(lambdas)?;
        let fit = |&lambda: &f64| {
            let path = self.grow(data, &data.y, lambda, run)?;
            self.model(data, lambda, path.last().map_or(&[], |last| &last.waves), run)
        };
        lambdas.iter().map(fit).collect()
    }

    fn grows(&self) -> bool {
        true
    }

    fn sizes(&self) -> Vec<usize> {
        sizes(self.features)
    }

    fn fit_growing(&self, data: &Dataset, wanted: &[usize], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        let path = self.grow(data, &data.y, self.lambda, run)?;
        let model = |&size: &usize| {
            let place = path.partition_point(|grown| grown.size < size).min(path.len() - 1);
            self.model(data, self.lambda, &path[place].waves, run)
        };
        wanted.iter().map(model).collect()
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        check_lambdas(&[self.lambda])?;
        let Path { smoothness, candidates, batch, huber, .. } = *self;
        Compact { order: self.inputs, smoothness, candidates, batch, huber, ..Compact::default() }.check_settings()
    }

    fn pairs(&self) -> bool {
        true
    }

    fn room(&self) -> Option<&'static str> {
        self.inputs.is_none().then_some("waves of one input")
    }

    fn taken(&mut self) -> Option<&mut Taken> {
        Some(&mut self.taken)
    }

    fn operations(&self, rows: usize, inputs: usize) -> (f64, f64) {
        let (batch, rows) = (rows.min(self.batch) as f64, rows as f64);
        let order = self.inputs.unwrap_or(MEAN_ORDER).min(inputs);
        let of_wave = bytes(order, 1) as f64 / bytes(self.inputs.unwrap_or(1), 1) as f64;
        let order = order as f64;
        let of_size = |size: usize| {
            let waves = size as f64 / of_wave;
            let selected = batch.min(SELECTED_ROWS as f64);
            let chosen = 4.0 * selected * self.candidates as f64 * (order + WORK_OF_VALUES + waves);
            let refined = 4.0 * batch * waves * (waves + order + WORK_OF_VALUES) * self.steps(waves as usize) as f64;
            chosen + refined
        };
        let grown: f64 = sizes(self.features).into_iter().map(of_size).sum();
        let waves = self.features as f64 / of_wave;
        let last_fits = if self.huber.is_some() { USUAL_FITS } else { 1.0 };
        (0.0, grown + last_fits * 4.0 * rows * waves * waves)
    }

    fn tunable(&self) -> Tunable {
        let lambda = Some(self.lambda);
        Tunable {
            features: self.features,
            order: Some(self.inputs.unwrap_or(1)),
            lambda,
            scale: None,
            terms: self.terms,
        }
    }

    fn tune(&mut self, Tunable { features, lambda, terms, .. }: Tunable) {
        self.features = features;
        self.terms = terms;
        self.lambda = lambda.unwrap_or(self.lambda);
    }
}

/// The inputs that a wave of any number of them usually has, and the operations of its sine and cosine, in products.
const MEAN_ORDER: usize = 4;
const WORK_OF_VALUES: f64 = 10.0;

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
            assert!(waves.iter().map(|wave| path.cost(wave, 1)).sum::<f64>() <= 12.0, "seed {seed}");
            assert!(waves.iter().any(|wave| wave.support.len() == 1), "seed {seed}");
            assert!(waves.iter().any(|wave| wave.support.len() >= 3), "seed {seed}");
        }
    }

    #[test]
    fn sizes_grow_by_half_up_to_the_room() {
        assert_eq!(sizes(2), [2]);
        assert_eq!(sizes(30), [3, 5, 8, 12, 18, 30]);
        assert_eq!(sizes(32), [3, 5, 8, 12, 18, 27, 32]);
        assert_eq!(sizes(27), sizes(32)[..6]);
    }

    #[test]
    fn smaller_models_are_the_beginning_of_a_path() {
        let data = waves(300, 1);
        for huber in [None, Some(1.345)] {
            let path = Path { features: 30, huber, ..Path::default() };
            let together = path.fit_growing(&data, &[5, 12, 30], &Run::new(3)).unwrap();
            for (features, model) in [5, 12, 30].into_iter().zip(together) {
                let alone = Path { features, ..path.clone() }.fit_expansion(&data, &Run::new(3)).unwrap();
                assert_eq!(alone, model, "{features} {huber:?}");
            }
        }
    }

    /// Waves of the same number of inputs take 20 together, and 10 each; all of them 100 at most.
    fn taken() -> Taken {
        Taken::new(|waves| {
            let mut orders: Vec<usize> = waves.iter().map(|wave| wave.support.len()).collect();
            orders.sort_unstable();
            orders.dedup();
            (10 * waves.len() + 20 * orders.len()) as f64 / 100.0
        })
    }

    #[test]
    fn a_path_ends_where_its_waves_fill_the_budget() {
        for seed in 0..4 {
            let data = waves(300, seed);
            let free = Path { features: 30, ..Path::default() };
            let limited = Path { taken: taken(), ..free.clone() };
            let of = |path: &Path| path.grow(&data, &data.y, 1e-4, &Run::new(seed)).unwrap();
            let (free, limited) = (of(&free), of(&limited));
            let (last, before) = limited.split_last().unwrap();
            assert!(limited.len() < free.len(), "{seed}");
            for (ours, plain) in before.iter().zip(&free) {
                assert_eq!((ours.size, &ours.waves), (plain.size, &plain.waves), "{seed}");
            }
            assert!(taken().by(&free[before.len()].waves) > 1.0, "{seed}");
            // There is no room for another wave of the same number of inputs.
            let share = taken().by(&last.waves);
            assert!((0.7..=1.0).contains(&share), "{seed}: {share}");
        }
    }

    #[test]
    fn all_waves_have_the_inputs_that_are_asked_for() {
        let path = Path { features: 40, inputs: Some(3), ..Path::default() };
        let model = path.fit_expansion(&waves(300, 2), &Run::new(1)).unwrap();
        assert!(!model.features.is_empty() && model.features.iter().all(|wave| wave.support.len() == 3));
    }

    #[test]
    fn a_few_rows_far_off_do_not_draw_a_robust_path_away() {
        for seed in 0..3 {
            let (mut data, clean) = (waves(400, seed), waves(1000, seed + 9));
            (0..400).step_by(20).for_each(|row| data.y[row] += 15.0);
            let error = |huber: Option<f64>| {
                let path = Path { features: 12, huber, ..Path::default() };
                let model = path.fit_expansion(&data, &Run::new(seed)).unwrap();
                (model.predict(&clean.x) - &clean.y).norm_squared()
            };
            let (squares, robust) = (error(None), error(Some(1.345)));
            assert!(robust < 0.3 * squares, "seed {seed}: {robust} {squares}");
        }
    }
}
