//! The descent over mini-batches, and the frequencies that it starts from.

use std::ops::Range;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::features::{Feature, pair_matrix};
use crate::linalg::{add_gram, product, symmetric_eigen, zeros};
use crate::method::error::MethodError;
use crate::method::sgd::gradient::{Gradient, ShuffledRows};
use crate::method::sgd::parameters::{Coefficients, Lane, Shape, ZERO, set_coefficients, set_weights};
use crate::method::terms::Terms;
use crate::run::Run;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::SolveError;
use crate::solve::optimise::adam::Adam;
use crate::sums::{InMemory, Rows, Statistic};

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

/// Where a descent starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// At frequencies of any direction.
    Random,
    /// At frequencies along the directions in which a first fit changes most.
    Leading,
}

/// Draws frequencies of all inputs. The weights are divided by the root of the number of inputs, so that the length has
/// the scale of the law.
pub(super) fn random_frequencies(
    count: usize,
    inputs: &[usize],
    law: SpectralLaw,
    sampler: &mut Sampler,
) -> Vec<Feature> {
    law.with_scale(law.scale() / (inputs.len() as f64).sqrt()).sample(count, inputs, inputs.len(), sampler)
}

/// A fit without its terms.
#[derive(Clone, Copy)]
pub(super) struct Waves<'a> {
    /// The frequencies.
    pub frequencies: &'a [Feature],
    /// Amplitudes of the cosines and then those of the sines, 2K×k.
    pub amplitudes: &'a DMatrix<f64>,
}

/// Draws frequencies of all inputs along the leading directions of a fit: the covariance of their weights is
/// proportional to the fit's average gradient outer product over the rows `x` (n×d).
///
/// A. Radhakrishnan, D. Beaglehole, P. Pandit and M. Belkin, *Mechanism for feature learning in neural networks and
/// backpropagation-free machine learning models*, 2024.
///
/// # Errors
/// [`MethodError::Solve`] where values are not finite.
pub(super) fn leading_frequencies(
    count: usize,
    x: &DMatrix<f64>,
    fit: Waves<'_>,
    (inputs, law): (&[usize], SpectralLaw),
    sampler: &mut Sampler,
) -> Result<Vec<Feature>, MethodError> {
    let mut dense = zeros(fit.frequencies.len(), inputs.len());
    for (k, feature) in fit.frequencies.iter().enumerate() {
        for (input, &weight) in feature.support.iter().zip(&feature.weights) {
            if let Ok(place) = inputs.binary_search(input) {
                dense[(k, place)] = weight;
            }
        }
    }
    let products = GradientProducts { fit, dense };
    let Ok(sum) = InMemory { x, y: &DMatrix::zeros(x.nrows(), 0) }.sum(&products);
    let (values, vectors) = symmetric_eigen(&sum).ok_or(SolveError::NotFinite)?;
    let total: f64 = values.iter().map(|value| value.max(0.0)).sum();
    if total == 0.0 {
        return Ok(random_frequencies(count, inputs, law, sampler)); // The fit is constant.
    }
    let draw = |_| {
        let mut along = DMatrix::zeros(inputs.len(), 1);
        for (place, value) in values.iter().enumerate() {
            along[place] = (value.max(0.0) / total).sqrt() * law.weight(sampler);
        }
        let weights = product(&vectors, &along).as_slice().to_vec();
        Feature { support: inputs.to_vec(), weights, bias: 0.0 }
    };
    Ok((0..count).map(draw).collect())
}

/// The sum of the outer products of the gradients of a fit by its inputs.
struct GradientProducts<'a> {
    fit: Waves<'a>,
    /// The frequencies as a matrix, K×d.
    dense: DMatrix<f64>,
}

impl Statistic for GradientProducts<'_> {
    type Sum = DMatrix<f64>;

    fn zero(&self) -> DMatrix<f64> {
        zeros(self.dense.ncols(), self.dense.ncols())
    }

    fn add(&self, sum: &mut DMatrix<f64>, x: &DMatrix<f64>, _: &DMatrix<f64>) {
        let (rows, count) = (x.nrows(), self.fit.frequencies.len());
        let waves = pair_matrix(x, self.fit.frequencies);
        for amplitudes in self.fit.amplitudes.column_iter() {
            let slope =
                |i: usize, k: usize| amplitudes[count + k] * waves[(i, k)] - amplitudes[k] * waves[(i, count + k)];
            add_gram(sum, &product(&DMatrix::from_fn(rows, count, slope), &self.dense));
        }
    }

    fn merge(&self, sum: &mut DMatrix<f64>, later: DMatrix<f64>) {
        *sum += later;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_start_in_the_plane_of_the_fit() {
        let mut sampler = Sampler::new(1);
        let x = DMatrix::from_fn(5000, 6, |_, _| sampler.normal());
        // Two waves along (0, 1, 2, 0, 0, 0) and (0, 0, 0, 1, 0, 0); input 4 is left out.
        let wave = |weights: [f64; 5]| Feature { support: vec![0, 1, 2, 3, 5], weights: weights.to_vec(), bias: 0.0 };
        let frequencies = [wave([0.0, 1.0, 2.0, 0.0, 0.0]), wave([0.0, 0.0, 0.0, 1.0, 0.0])];
        let amplitudes = DMatrix::from_row_slice(4, 1, &[0.5, 0.0, -1.0, 2.0]);
        let (inputs, law) = ([0, 1, 2, 3, 5], SpectralLaw::Normal { scale: 1.5 });
        let fit = Waves { frequencies: &frequencies, amplitudes: &amplitudes };
        let mut squares = 0.0;
        for _ in 0..200 {
            let drawn = leading_frequencies(2, &x, fit, (&inputs, law), &mut sampler).unwrap();
            for feature in drawn {
                assert_eq!(feature.support, inputs);
                let w = &feature.weights;
                assert!(w[0].abs() < 1e-6 && w[4].abs() < 1e-6 && (w[2] - 2.0 * w[1]).abs() < 1e-6, "{w:?}");
                squares += w.iter().map(|w| w * w).sum::<f64>() / 400.0;
            }
        }
        // The mean square of the length is that of the law, to four standard errors of 400 draws.
        assert!((squares / 2.25 - 1.0).abs() < 4.0 * (2.0_f64 / 400.0).sqrt(), "{squares}");
    }
}
