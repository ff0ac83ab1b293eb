//! GFC: greedy feature construction.

mod greedy_descent;
mod settings;
#[cfg(test)]
mod tests;
mod wave;

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::data::Dataset;
use crate::features::Feature;
use crate::method::common::check::check_lambdas;
use crate::method::common::linear_fit::{Basis, Points, expansion, fit_pairs, normal_equations};
use crate::method::error::MethodError;
use crate::method::gfc::greedy_descent::Descent;
pub use crate::method::gfc::settings::Gfc;
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
    fn name(&self) -> &'static str {
        "gfc"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        check_lambdas(lambdas)?;
        let frequencies = self.extend(data, &[], run)?;
        let points = Points { x: &data.x, y: &data.y, roots: &data.root_weights() };
        let equations = normal_equations(points, self.terms, Basis::Pair, &frequencies).reduce()?;
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
