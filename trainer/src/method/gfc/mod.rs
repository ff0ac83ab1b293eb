//! GFC: greedy feature construction.
//!
//! D. Oglic and T. Gärtner, *Greedy feature construction*, 2016, Algorithm 2; each of its descents is Algorithm 1.
//!
//! Independent descents add one frequency after another. Each new frequency is the one whose wave fits the residual
//! best. A ridge fit of all waves gives the amplitudes, and waves of negligible amplitude are dropped. Further passes
//! start at that fit. This implementation differs from the paper, or reads it, as follows:
//!
//! - The penalty is `‖c‖²`, as in the paper's experiments. Amplitudes are fitted to four folds and validated on one,
//!   and every fold validates once. The paper fits one fold and validates on the others (`training_folds = 1`).
//! - A descent ends after `steps` steps. The paper's ε = 0.01 often ends a descent after two or three steps;
//!   `precision` and `patience` restore that rule.
//! - A step starts at the best of several random weights; the paper takes the first. After each step all amplitudes of
//!   the descent are fitted again; the paper only re-scales the estimate (`refit = false`).
//! - A frequency may have only `order` inputs. The step then first finds a dense frequency, keeps the inputs that move
//!   its angle most, and continues with these. Dense frequencies overfit where most inputs are irrelevant.
//! - Several targets share the frequencies, which minimise the sum of the errors.
//!
//! | setting | default | meaning |
//! |---|---|---|
//! | `features` | 100 | n, the frequencies |
//! | `order` | 2 | q, inputs per frequency; the paper's are dense: all inputs |
//! | `lambda` | 1e-3 | ν of the last fit; n ν is added to the Gram matrix |
//! | `steps` | 20 | p, most steps of a descent; the number of descents M follows from n |
//! | `passes` | 1 | T, the passes over the data |
//! | `law` | normal, scale 1 | law of the first weights, which are divided by the root of their number |
//! | `candidates` | 100 | first weights of which a step takes the best |
//! | `iterations` | 100 | most steps of L-BFGS |
//! | `folds` | 5 | folds of the rows of a descent |
//! | `training_folds` | 4 | folds that amplitudes are fitted to |
//! | `batch` | all | rows of a descent, drawn anew for each |
//! | `refit` | true | whether all amplitudes of a descent are fitted again after a step |
//! | `precision` | 0 | ε: relative decrease of the error below which a step is idle |
//! | `patience` | 1 | idle steps in a row after which a descent ends |
//! | `cut_off` | 1e-6 | η: waves of smaller amplitude, in ranges of the target, are dropped |
//! | `terms` | linear | intercept and linear terms beside the features, unpenalised |

mod greedy_descent;
mod settings;
#[cfg(test)]
mod tests;
mod wave;

use nalgebra::DMatrix;
use rayon::prelude::*;

pub(crate) use self::settings::Gfc;
use crate::data::Dataset;
use crate::features::Feature;
use crate::method::common::basis::Basis;
use crate::method::common::check::check_lambdas;
use crate::method::common::linear_fit::{expansion, fit_pairs, normal_equations};
use crate::method::error::MethodError;
use crate::method::gfc::greedy_descent::Descent;
use crate::method::traits::{Method, Tunable};
use crate::model::Expansion;
use crate::run::{Parts, Run};
use crate::sampling::Sampler;

/// Keeps the descents apart from each other and from the folds of the fits between passes.
const DESCENT_STREAM: u64 = 100;
const FIT_STREAM: u64 = 10;

impl Gfc {
    /// The frequencies that Algorithm 2 constructs beside `known` ones, which come first; `features` new ones at most.
    fn extend(&self, data: &Dataset, known: &[Feature], run: &Run<'_>) -> Result<Vec<Feature>, MethodError> {
        self.check_for(data)?;
        let inputs = data.varying_inputs();
        let share = |whole: usize, parts: usize, part: usize| (part + 1) * whole / parts - part * whole / parts;
        let per_pass: Vec<usize> = (0..self.passes).map(|pass| share(self.features, self.passes, pass)).collect();
        let descents = per_pass.iter().map(|steps| steps.div_ceil(self.steps)).max().unwrap_or(1);
        let parts = Parts::new(run, vec![1; self.passes * descents]);
        let mut frequencies = known.to_vec();
        for (pass, &count) in per_pass.iter().enumerate() {
            let estimate = self.prune(data, &mut frequencies, known.len(), pass, run.seed())?;
            let descend = |part: usize| -> Result<Vec<Feature>, MethodError> {
                let part_of_all = pass * descents + part;
                if let Some(found) = parts.result(part_of_all) {
                    return Ok(found);
                }
                let steps = share(count, descents, part);
                let sampler = Sampler::stream(run.seed(), DESCENT_STREAM + part_of_all as u64);
                let descent = Descent::new(self, data, &estimate, &inputs, steps, sampler);
                let found = descent.run(&parts.part(part_of_all))?;
                parts.finish(part_of_all, &found);
                Ok(found)
            };
            let found: Vec<_> = (0..descents).into_par_iter().map(descend).collect();
            let found: Vec<Vec<Feature>> = found.into_iter().collect::<Result<_, _>>()?;
            frequencies.extend(found.into_iter().flatten());
        }
        self.prune(data, &mut frequencies, known.len(), self.passes, run.seed())?;
        Ok(frequencies)
    }

    /// Lines 6 and 7 of Algorithm 2: drops the frequencies after the first `kept` whose waves hardly count, and returns
    /// the estimates (n×k) of the fit.
    fn prune(
        &self,
        data: &Dataset,
        frequencies: &mut Vec<Feature>,
        kept: usize,
        pass: usize,
        seed: u64,
    ) -> Result<DMatrix<f64>, MethodError> {
        let mut sampler = Sampler::stream(seed, FIT_STREAM + pass as u64);
        let (fit, _) = fit_pairs(data, frequencies, self.terms, self.folds, &mut sampler)?;
        let ranges: Vec<f64> = data.y.column_iter().map(|y| y.max() - y.min()).collect();
        let c = &fit.coefficients;
        let count = frequencies.len();
        let counts = |k: usize| {
            let amplitude = |output: usize| libm::hypot(c[(k, output)], c[(k + count, output)]);
            ranges.iter().enumerate().any(|(output, range)| amplitude(output) >= self.cut_off * range)
        };
        let stays: Vec<bool> = (0..count).map(|k| k < kept || counts(k)).collect();
        let mut stays = stays.iter();
        frequencies.retain(|_| *stays.next().expect("one for each"));
        Ok(fit.predict(&data.x))
    }
}

/// Operations of a wave's value and gradient for a row, from times of fits.
const OF_A_WAVE: f64 = 20.0;

impl Method for Gfc {
    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        check_lambdas(lambdas)?;
        let frequencies = self.extend(data, &[], run)?;
        let equations = normal_equations(&data.x, &data.y, self.terms, Basis::Pair, &frequencies).reduce()?;
        let expansion = |&lambda: &f64| Ok(expansion(&equations, lambda, data, self.terms, Basis::Pair, &frequencies)?);
        lambdas.iter().map(expansion).collect()
    }

    fn pairs(&self) -> bool {
        true
    }

    fn operations(&self, rows: usize, _: usize) -> (f64, f64) {
        let features = self.features as f64;
        let evaluations = (self.candidates + self.iterations + self.steps) as f64;
        (OF_A_WAVE * evaluations * rows as f64 * features, (2.0 * features).powi(3))
    }

    fn check(&self) -> Result<(), MethodError> {
        self.check_ranges()
    }

    fn tunable(&self) -> Tunable {
        let Gfc { features, order, lambda, terms, .. } = *self;
        Tunable { features, order: Some(order), lambda: Some(lambda), scale: Some(self.law.scale()), terms }
    }

    fn tune(&mut self, Tunable { features, order, lambda, scale, terms }: Tunable) {
        (self.features, self.terms) = (features, terms);
        self.order = order.unwrap_or(self.order);
        self.lambda = lambda.unwrap_or(self.lambda);
        self.law = self.law.with_scale(scale.unwrap_or(self.law.scale()));
    }
}
