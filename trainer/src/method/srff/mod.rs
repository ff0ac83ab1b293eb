//! SRFF: sparse random Fourier features.

mod input_scales;
#[cfg(test)]
mod tests;

use std::f64::consts::{FRAC_PI_2, SQRT_2};

use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::{Activation, Feature};
use crate::linalg::product;
use crate::method::common::check::{
    at_least_one, check_features, check_gram, check_inputs, check_lambdas, not_negative, positive,
};
use crate::method::common::linear_fit::Points;
use crate::method::error::MethodError;
pub use crate::method::srff::input_scales::ScaleSolver;
use crate::method::srff::input_scales::{Amplitudes, ScaledCosines, Search};
use crate::method::terms::Terms;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::Run;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::optimise::spectral_gradient::{Minimum, Stop};
use crate::sums::row_tiles;

/// Name under which the scales found so far are kept.
const SCALES: &str = "scales";

/// Keeps the rows that the width of the kernel is measured on apart from the directions.
const WIDTH_STREAM: u64 = 1;

/// The λ from which searches for smaller ones begin. Above the first the best model is often a constant.
const LADDER: [f64; 4] = [3.0, 0.3, 0.03, 0.003];

/// Share of the objective by which five steps must lower it.
const TOLERANCE: f64 = 1e-4;

/// SRFF: sparse random Fourier features.
///
/// M. Gregorová, J. Ramapuram, A. Kalousis and S. Marchand-Maillet, *Large-scale nonlinear variable selection via
/// kernel random features*, 2018, equations 9 to 11 and Algorithm 1.
///
/// Fits `√2 cos(⟨ε_j, γ ⊙ x⟩ + b_j)` by ridge regression and learns the scale γ_s of every input. The scales lie on the
/// simplex `{γ ≥ 0, Σγ = d / σ}`. The scale of an irrelevant input becomes exactly zero, and no feature has that input.
/// The kernel's width σ is the median distance between rows and their 20 nearest neighbours. The objective with λ is
/// `‖y − Z a‖² / 2n + λ‖a‖² / 2`. This implementation makes three choices:
///
/// - *Solver.* The paper fits amplitudes and scales in turns. Here variable projection eliminates the amplitudes, which
///   reaches minima as low in a fraction of the time. The paper's alternating solver, from equal scales, is an option.
/// - *Starts.* The objective has many minima. With a small λ the equal scales of the start interpolate and hardly move.
///   The search therefore begins at λ = 3 and descends a fixed ladder of λ. The lower of its minimum and the minimum of
///   a search from equal scales is kept.
/// - *Several targets* share the scales; the objective is the sum over the targets.
///
/// Unpenalised linear terms have all inputs. Irrelevant inputs leave the model only with an intercept alone (the
/// default).
///
/// | setting | default | meaning |
/// |---|---|---|
/// | `features` | 100 | D, the features |
/// | `order` | none | the largest number of inputs; the largest scales are kept and fitted again. None keeps all |
/// | `lambda` | 0.1 | λ; n λ is added to the Gram matrix |
/// | `law` | normal, scale 1 | law of ε, in units of 1/σ: normal, cauchy, laplace or uniform |
/// | `solver` | variable-projection | or `alternating`, as published |
/// | `max_iterations` | 100 | steps of the search for the scales; 0 leaves plain random Fourier features |
/// | `terms` | intercept | intercept and linear terms beside the features, unpenalised |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Srff {
    /// Features, D.
    pub features: usize,
    /// Most inputs that the features look at; none for all.
    pub order: Option<usize>,
    /// Ridge parameter λ.
    pub lambda: f64,
    /// Law of the directions ε, in units of the kernel's reciprocal width.
    pub law: SpectralLaw,
    /// How the scales are found.
    pub solver: ScaleSolver,
    /// Most steps of the search for the scales.
    pub max_iterations: usize,
    /// Terms beside the features.
    pub terms: Terms,
}

impl Default for Srff {
    fn default() -> Self {
        Srff {
            features: 100,
            order: None,
            lambda: 0.1,
            law: SpectralLaw::Normal { scale: 1.0 },
            solver: ScaleSolver::VariableProjection,
            max_iterations: 100,
            terms: Terms::Intercept,
        }
    }
}

/// A fit with one λ.
pub(crate) struct Learned {
    /// The scale γ of every input, zero for those that the features do not look at.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the scales"))]
    pub scales: Vec<f64>,
    /// The fit with these scales.
    pub expansion: Expansion,
}

impl Srff {
    fn check_for(&self, data: &Dataset) -> Result<(), MethodError> {
        self.check()?;
        check_inputs(data, self.order.unwrap_or(1), self.terms)?;
        let terms = if self.terms == Terms::Linear { data.inputs() } else { 0 };
        check_gram(self.features, self.features + 1 + terms)
    }

    /// Fits as [`Method::fit_path`] does, and returns the scales as well.
    fn learn(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Learned>, MethodError> {
        check_lambdas(lambdas)?;
        self.check_for(data)?;
        let inputs = data.varying_inputs();
        let x = data.x.select_columns(&inputs);
        let all: Vec<usize> = (0..inputs.len()).collect();
        let drawn = self.law.sample(self.features, &all, all.len(), &mut Sampler::new(run.seed()));
        let directions = DMatrix::from_fn(all.len(), drawn.len(), |s, j| drawn[j].weights[s]);
        let biases = drawn.iter().map(|feature| feature.bias).collect();
        let roots = data.root_weights();
        let points = Points { x: &x, y: &data.y, roots: &roots };
        let path = Path {
            problem: &ScaledCosines::new(points, &self.terms.columns(&data.x), directions, biases)?,
            start: vec![1.0 / median_distance(&x, &mut Sampler::stream(run.seed(), WIDTH_STREAM)); inputs.len()],
            srff: self,
            run,
        };
        let of_path = |(&lambda, scales)| path.within_order(scales, lambda);
        let scales: Vec<Vec<f64>> = lambdas.iter().zip(path.scales(lambdas)?).map(of_path).collect::<Result<_, _>>()?;
        let mut amplitudes = Vec::with_capacity(lambdas.len());
        // Equal scales for all λ, as without a search, have one Gram matrix.
        for equal in scales.chunk_by(|a, b| a == b) {
            if run.interrupted() {
                return Err(MethodError::Interrupted);
            }
            let first = amplitudes.len();
            amplitudes.extend(path.problem.amplitudes(&equal[0], &lambdas[first..first + equal.len()])?);
        }
        let expansion = |(scales, amplitudes): (Vec<f64>, Amplitudes)| {
            let (intercept, linear) = self.terms.divide(&amplitudes.terms, data);
            let active: Vec<usize> = (0..scales.len()).filter(|&s| scales[s] != 0.0).collect();
            // A cosine is a sine a quarter turn on.
            let feature = |drawn: &Feature| Feature {
                support: active.iter().map(|&s| inputs[s]).collect(),
                weights: active.iter().map(|&s| scales[s] * drawn.weights[s]).collect(),
                bias: drawn.bias + FRAC_PI_2,
            };
            let (features, coefficients) = (drawn.iter().map(feature).collect(), amplitudes.cosines * SQRT_2);
            let expansion = Expansion {
                activation: Activation::Sine,
                features,
                coefficients,
                intercept,
                linear,
                trees: Vec::new(),
            };
            let mut of_all = vec![0.0; data.inputs()];
            inputs.iter().zip(scales).for_each(|(&input, scale)| of_all[input] = scale);
            Learned { scales: of_all, expansion }
        };
        Ok(scales.into_iter().zip(amplitudes).map(expansion).collect())
    }
}

/// The searches for the scales of several λ.
struct Path<'a> {
    problem: &'a ScaledCosines,
    /// Equal scales.
    start: Vec<f64>,
    srff: &'a Srff,
    run: &'a Run<'a>,
}

impl Path<'_> {
    /// The scales for every λ.
    fn scales(&self, lambdas: &[f64]) -> Result<Vec<Vec<f64>>, MethodError> {
        if self.srff.max_iterations == 0 {
            return Ok(vec![self.start.clone(); lambdas.len()]);
        }
        let climbs = self.srff.solver == ScaleSolver::VariableProjection;
        let on_the_way = LADDER.iter().filter(|&rung| climbs && lambdas.iter().any(|lambda| lambda < rung));
        let mut needed: Vec<f64> = lambdas.iter().chain(on_the_way).copied().collect();
        needed.sort_unstable_by(|a, b| b.total_cmp(a));
        needed.dedup();
        let mut found: Vec<Vec<f64>> = self.run.resume(SCALES).unwrap_or_default();
        let place = |lambda: f64| needed.iter().position(|&other| other == lambda);
        while let Some(&lambda) = needed.get(found.len()) {
            let above = LADDER.iter().rev().find(|&&rung| climbs && rung > lambda);
            let warm = above.and_then(|&rung| place(rung)).map(|place| found[place].clone());
            let steps = needed.len() * self.srff.max_iterations;
            let mut done = found.len() * self.srff.max_iterations;
            let mut progress = || {
                done += 1;
                self.run.progress(done.min((found.len() + 1) * self.srff.max_iterations), steps);
            };
            let mut best: Option<Minimum> = None;
            for start in [Some(self.start.clone()), warm].into_iter().flatten() {
                let next = self.search(self.problem, lambda, start, &mut progress);
                if self.run.interrupted() {
                    self.run.keep(SCALES, &found);
                    return Err(MethodError::Interrupted);
                }
                let next = next?;
                if best.as_ref().is_none_or(|best| next.value < best.value) {
                    best = Some(next);
                }
            }
            found.extend(best.map(|best| best.point));
            self.run.keep(SCALES, &found);
        }
        Ok(lambdas.iter().filter_map(|&lambda| place(lambda)).map(|place| found[place].clone()).collect())
    }

    /// The scales with no more than `order` inputs left: the largest stay and are searched for again by themselves,
    /// with what they sum up to. The rest of the total is what the others need not have.
    fn within_order(&self, scales: Vec<f64>, lambda: f64) -> Result<Vec<f64>, MethodError> {
        let mut largest: Vec<usize> = (0..scales.len()).filter(|&s| scales[s] != 0.0).collect();
        let Some(order) = self.srff.order.filter(|&order| order < largest.len()) else { return Ok(scales) };
        largest.sort_by(|&s, &t| scales[t].total_cmp(&scales[s]));
        largest.truncate(order);
        largest.sort_unstable();
        let start: Vec<f64> = largest.iter().map(|&s| scales[s]).collect();
        let found = self.search(&self.problem.select(&largest), lambda, start, &mut || ())?;
        let mut scales = vec![0.0; scales.len()];
        largest.iter().zip(found.point).for_each(|(&s, scale)| scales[s] = scale);
        Ok(scales)
    }

    fn search(
        &self,
        problem: &ScaledCosines,
        lambda: f64,
        start: Vec<f64>,
        progress: &mut dyn FnMut(),
    ) -> Result<Minimum, MethodError> {
        let stop = Stop { iterations: self.srff.max_iterations, tolerance: TOLERANCE };
        let search = Search { problem, lambda, total: start.iter().sum(), solver: self.srff.solver, stop };
        let minimum = search.run(start, || {
            progress();
            self.run.interruption()
        });
        Ok(minimum?)
    }
}

impl Method for Srff {
    fn name(&self) -> &'static str {
        "srff"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        Ok(self.learn(data, lambdas, run)?.into_iter().map(|learned| learned.expansion).collect())
    }

    fn check(&self) -> Result<(), MethodError> {
        check_features(self.features)?;
        positive("scale", self.law.scale())?;
        not_negative("lambda", self.lambda)?;
        at_least_one("order", self.order.unwrap_or(1))
    }

    fn operations(&self, rows: usize, inputs: usize) -> (f64, f64) {
        let order = self.order.unwrap_or(inputs).min(inputs) as f64;
        (0.0, 4.0 * self.max_iterations as f64 * rows as f64 * self.features as f64 * (order + 3.0))
    }

    fn tunable(&self) -> Tunable {
        let Srff { features, order, lambda, law, terms, .. } = *self;
        Tunable { features, order, lambda: Some(lambda), scale: Some(law.scale()), terms }
    }

    fn tune(&mut self, Tunable { features, order, lambda, scale, terms }: Tunable) {
        (self.features, self.order, self.terms) = (features, order, terms);
        self.lambda = lambda.unwrap_or(self.lambda);
        self.law = self.law.with_scale(scale.unwrap_or(self.law.scale()));
    }
}

/// Neighbours of a row that are looked at.
const NEIGHBOURS: usize = 20;

/// Rows whose neighbours are looked for, among all rows.
const SAMPLE: usize = 500;

/// Squared distances below this share of the squared norms are rounding: copies of one row.
const COPY: f64 = 1e-13;

/// The median of the Euclidean distances between rows of `x` (n×d) and their 20 nearest neighbours. The rows are 500,
/// drawn at random, where there are more; their neighbours are looked for among all. Copies of a row do not count.
///
/// Where all neighbours are copies it is the root mean square of the distances between any rows. Zero where all rows
/// are one.
pub fn median_distance(x: &DMatrix<f64>, sampler: &mut Sampler) -> f64 {
    let chosen = sampler.choose(x.nrows(), SAMPLE);
    let sample = x.select_rows(&chosen);
    let squares = |m: &DMatrix<f64>| m.row_iter().map(|row| row.norm_squared()).collect::<Vec<f64>>();
    let of_sample = squares(&sample);
    let mut nearest: Vec<Vec<f64>> = vec![Vec::new(); chosen.len()];
    for (first, block) in row_tiles(x) {
        let of_block = squares(&block);
        let products = product(&block, &sample.transpose());
        nearest.par_iter_mut().enumerate().for_each(|(row, nearest)| {
            let products = products.column(row);
            let distances = products.iter().zip(&of_block).enumerate().map(|(other, (product, square))| {
                let norms = square + of_sample[row];
                let distance = norms - 2.0 * product;
                let copy = first + other == chosen[row] || distance <= COPY * norms;
                if copy { f64::INFINITY } else { distance }
            });
            nearest.extend(distances.filter(|distance| distance.is_finite()));
            if nearest.len() > NEIGHBOURS {
                nearest.select_nth_unstable_by(NEIGHBOURS - 1, f64::total_cmp);
                nearest.truncate(NEIGHBOURS);
            }
        });
    }
    let mut distances: Vec<f64> = nearest.into_iter().flatten().collect();
    if distances.is_empty() {
        return (2.0 * x.column_iter().map(|column| column.variance()).sum::<f64>()).sqrt();
    }
    let middle = distances.len() / 2;
    let (_, median, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
    median.sqrt()
}
