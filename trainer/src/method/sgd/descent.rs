//! The descent over mini-batches.

use std::ops::Range;

use nalgebra::DMatrix;

use crate::features::Feature;
use crate::method::error::MethodError;
use crate::method::sgd::gradient::Gradient;
use crate::method::sgd::parameters::{Coefficients, Lane, Shape, ZERO, set_coefficients, set_weights};
use crate::method::sgd::rows::ShuffledRows;
use crate::method::terms::Terms;
use crate::run::Run;
use crate::sampling::Sampler;
use crate::solve::optimise::adam::Adam;

/// Steps between two reports of progress.
const REPORT: usize = 64;

/// The part of the steps in which weights are pruned, as shares of all, and the rounds of pruning. Each round leaves
/// about the same share of the inputs.
const PRUNING: Range<f64> = 0.2..0.6;
const ROUNDS: usize = 16;

/// The settings of a descent.
#[derive(Clone, Copy)]
pub(super) struct Descent {
    pub shape: Shape,
    /// Rows of a mini-batch.
    pub batch: usize,
    /// The number of steps.
    pub steps: usize,
    /// Inputs per frequency that are left in the end; none for all.
    pub order: Option<usize>,
    /// The full step length of a weight.
    pub weight_length: f64,
    /// The full step length of an amplitude and of the coefficient of a term.
    pub amplitude_length: f64,
    pub terms: Terms,
}

impl Descent {
    /// Moves frequencies and coefficients downhill. Returns the parameters.
    ///
    /// # Errors
    /// [`MethodError::Interrupted`].
    pub fn run(
        &self,
        rows: &ShuffledRows,
        frequencies: &[Feature],
        coefficients: &Coefficients<'_>,
        sampler: &mut Sampler,
        run: &Run<'_>,
    ) -> Result<Vec<Lane>, MethodError> {
        let mut parameters = vec![ZERO; self.shape.lanes()];
        set_weights(&mut parameters, self.shape, frequencies);
        set_coefficients(&mut parameters, self.shape, coefficients);
        let mut lengths = self.lengths(frequencies);
        let mut adam = Adam::new(parameters.as_flattened().len(), self.steps);
        let mut gradient = Gradient::new(self.shape, self.batch);
        let mut order = Vec::new();
        for step in 0..self.steps {
            if step % REPORT == 0 {
                run.progress(step, self.steps);
                if run.interrupted() {
                    return Err(MethodError::Interrupted);
                }
            }
            if let Some(kept) = self.kept_after(step) {
                prune(&mut parameters, &mut lengths, self.shape, kept);
            }
            if order.is_empty() {
                order = sampler.permutation(rows.batches(self.batch));
            }
            let Some(index) = order.pop() else { break };
            let batch = rows.batch(index, self.batch);
            let scale = 2.0 * self.shape.outputs as f32 / batch.y.len() as f32;
            let (_, slopes) = gradient.of(&parameters, batch);
            adam.step(parameters.as_flattened_mut(), slopes.as_flattened(), scale, lengths.as_flattened());
        }
        // A descent of no steps has no round.
        if let Some(order) = self.order.filter(|&order| order < self.shape.inputs) {
            prune(&mut parameters, &mut lengths, self.shape, order);
        }
        Ok(parameters)
    }

    /// Returns the number of inputs per frequency that are left after a number of steps; none where none goes.
    fn kept_after(&self, steps: usize) -> Option<usize> {
        let order = self.order.filter(|&order| order < self.shape.inputs)?;
        let round = (1..=ROUNDS).rev().find(|round| {
            let share = PRUNING.start + (PRUNING.end - PRUNING.start) * *round as f64 / ROUNDS as f64;
            steps == (share * self.steps as f64) as usize
        })?;
        let inputs = self.shape.inputs as f64;
        let kept = inputs * libm::pow(order as f64 / inputs, round as f64 / ROUNDS as f64);
        Some((kept.round() as usize).max(order))
    }

    /// Returns the full step length of every parameter. Places that belong to no frequency, and weights of inputs that
    /// a frequency does not look at, stay at zero.
    fn lengths(&self, frequencies: &[Feature]) -> Vec<Lane> {
        let shape = self.shape;
        let mut lengths = vec![ZERO; shape.lanes()];
        let ones = DMatrix::from_element(2 * shape.frequencies, shape.outputs, self.amplitude_length);
        let of_terms =
            |rows, used| DMatrix::from_element(rows, shape.outputs, if used { self.amplitude_length } else { 0.0 });
        let (linear, intercept) =
            (of_terms(shape.inputs, self.terms == Terms::Linear), of_terms(1, self.terms != Terms::None));
        let coefficients = Coefficients { amplitudes: &ones, linear: &linear, intercept: &intercept };
        set_coefficients(&mut lengths, shape, &coefficients);
        for (frequency, feature) in frequencies.iter().enumerate() {
            for &input in &feature.support {
                let (lane, place) = shape.weight(frequency, input);
                lengths[lane][place] = self.weight_length as f32;
            }
        }
        lengths
    }
}

/// Keeps the `kept` largest weights of every frequency. The others stay at zero from now on.
fn prune(parameters: &mut [Lane], lengths: &mut [Lane], shape: Shape, kept: usize) {
    for frequency in 0..shape.frequencies {
        let mut inputs: Vec<usize> = (0..shape.inputs).collect();
        let size = |input: &usize| {
            let (lane, place) = shape.weight(frequency, *input);
            parameters[lane][place].abs()
        };
        inputs.sort_by(|a, b| size(b).total_cmp(&size(a)));
        for &input in &inputs[kept.min(inputs.len())..] {
            let (lane, place) = shape.weight(frequency, input);
            (parameters[lane][place], lengths[lane][place]) = (0.0, 0.0);
        }
    }
}
