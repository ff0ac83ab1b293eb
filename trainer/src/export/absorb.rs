//! Absorbs all scaling into the parameters: a model of raw readings, in `f64` and in the form of the device's kernels.
//!
//! With inputs `(x − m) / s` of warped readings `x` and frequencies ω in radians, the cosine kernel computes
//! `cos(2π(⟨w, x⟩ + p))` with `w = ω / (2π s)` and `p = (b − ⟨ω, m / s⟩) / 2π − 1/4` (the quarter turn makes a sine of
//! it). The kernel of pairs has the phases in the amplitudes of its sine and cosine. Other features have `w = ω / s`
//! and `b − ⟨ω, m / s⟩`.

use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::DMatrix;
use srfm_runtime::format::{Kernel, Number};

use crate::features::{Activation, Feature};
use crate::model::Model;

/// A feature as a kernel takes it.
pub(crate) struct Absorbed {
    pub support: Vec<usize>,
    /// Per unit of the reading: turns, or units of the activation's argument.
    pub weights: Vec<f64>,
    /// The same unit; turns in −1/2 ..= 1/2. None with the kernel of pairs.
    pub bias: Option<f64>,
    /// For every output as many as the kernel has values, in units of the target.
    pub amplitudes: Vec<f64>,
}

/// A model of readings less a shift.
pub(crate) struct AbsorbedModel {
    pub kernel: Kernel,
    pub features: Vec<Absorbed>,
    /// One per output.
    pub intercepts: Vec<f64>,
    /// The input of each linear term.
    pub linear_inputs: Vec<usize>,
    /// A row of one weight per output for each linear term.
    pub linear_weights: Vec<f64>,
}

/// The inputs that the outputs depend on, ascending.
pub(crate) fn active_inputs(model: &Model) -> Vec<usize> {
    let used = |i: usize| features_use(model, i) || model.expansion.trees.iter().any(|tree| tree.uses(i));
    varying_inputs(model).filter(|&i| used(i)).collect()
}

/// The inputs that features and linear terms look at, ascending. In floating point trees look at readings themselves.
pub(crate) fn feature_inputs(model: &Model) -> Vec<usize> {
    varying_inputs(model).filter(|&i| features_use(model, i)).collect()
}

/// Returns whether features or linear terms look at the input.
fn features_use(model: &Model, input: usize) -> bool {
    let expansion = &model.expansion;
    let linear = expansion.linear.row(input).iter().any(|&w| w != 0.0);
    linear || expansion.features.iter().any(|f| f.support.contains(&input))
}

/// The inputs that vary, ascending.
fn varying_inputs(model: &Model) -> impl Iterator<Item = usize> {
    (0..model.input_names.len()).filter(|&i| model.scaling.x.scale[i].is_finite())
}

/// Folds the scaling of `model` into its parameters, for warped readings from which the device subtracts the mean less
/// `shift(input)`.
///
/// Inputs that do not vary are left out; a feature without an input is a constant and goes into the intercepts.
pub(crate) fn absorb(model: &Model, number: Number, active: &[usize], shift: impl Fn(usize) -> f64) -> AbsorbedModel {
    let expansion = &model.expansion;
    let mut absorption =
        Absorption { model, shift: &shift, features: Vec::new(), constants: vec![0.0; outputs(model)] };
    let kernel = match expansion.activation {
        Activation::Sine => absorption.waves(number),
        Activation::Sigmoid => absorption.activations(Kernel::Sigmoid, |t| 1.0 / (1.0 + libm::exp(-t))),
        Activation::Relu => absorption.activations(Kernel::Relu, |t| t.max(0.0)),
        Activation::Square => absorption.activations(Kernel::Square, |t| t * t),
    };
    let Absorption { features, constants, .. } = absorption;

    let x = &model.scaling.x;
    let y = &model.scaling.y;
    let weight = |input: usize, output: usize| expansion.linear[(input, output)] * y.scale[output] / x.scale[input];
    let outputs = 0..outputs(model);
    let linear = |i: &usize| outputs.clone().any(|o| weight(*i, o) != 0.0);
    let linear_inputs: Vec<usize> = active.iter().copied().filter(linear).collect();
    let intercept = |o: usize| {
        let shifted: f64 = linear_inputs.iter().map(|&i| weight(i, o) * shift(i)).sum();
        y.mean[o] + y.scale[o] * expansion.intercept[o] + constants[o] - shifted
    };
    let intercepts = outputs.clone().map(intercept).collect();
    let row = |&i: &usize| outputs.clone().map(move |o| weight(i, o));
    let linear_weights = linear_inputs.iter().flat_map(row).collect();
    AbsorbedModel { kernel, features, intercepts, linear_inputs, linear_weights }
}

fn outputs(model: &Model) -> usize {
    model.expansion.intercept.ncols()
}

/// Features on their way to the device.
struct Absorption<'a, Shift> {
    model: &'a Model,
    shift: &'a Shift,
    features: Vec<Absorbed>,
    /// What constant features add to the intercepts.
    constants: Vec<f64>,
}

impl<Shift: Fn(usize) -> f64> Absorption<'_, Shift> {
    /// Folds sines, with the kernel that takes fewer words; of equal ones the cosine, which is quicker.
    fn waves(&mut self, number: Number) -> Kernel {
        let expansion = &self.model.expansion;
        let waves = merge(&expansion.features, &expansion.coefficients);
        let k = outputs(self.model);
        let words = |kernel: Kernel, features: fn(&Wave<'_>) -> usize| -> usize {
            let of_feature = |wave: &Wave<'_>| number.weight_words(wave.support.len()) + number.other_words(kernel, k);
            waves.iter().map(|wave| features(wave) * of_feature(wave)).sum()
        };
        let pairs = words(Kernel::Sincos, |_| 1) < words(Kernel::Cosine, |wave| wave.sines.len());
        for wave in &waves {
            let (support, weights, shift) = self.inputs(wave.support, wave.weights, TAU);
            if support.is_empty() {
                for (bias, coefficients) in &wave.sines {
                    self.add_constant(coefficients, libm::sin(*bias));
                }
            } else if pairs {
                let phase = |&(bias, ref c): &(f64, Vec<f64>)| (bias - TAU * shift, self.in_units(c));
                let (of_sine, of_cosine) = quadrature(&wave.sines.iter().map(phase).collect::<Vec<_>>());
                let amplitudes = of_sine.into_iter().zip(of_cosine).flat_map(|(sine, cosine)| [sine, cosine]).collect();
                self.features.push(Absorbed { support, weights, bias: None, amplitudes });
            } else {
                for (bias, coefficients) in &wave.sines {
                    let phase = bias / TAU - 0.25 - shift;
                    let bias = Some(phase - phase.round());
                    let amplitudes = self.in_units(coefficients);
                    let support = support.clone();
                    let weights = weights.clone();
                    self.features.push(Absorbed { support, weights, bias, amplitudes });
                }
            }
        }
        match (pairs, number) {
            (true, _) => Kernel::Sincos,
            (false, Number::I32 | Number::I16) if self.model.polynomial => Kernel::Polynomial,
            (false, _) => Kernel::Cosine,
        }
    }

    /// Folds features of another activation.
    fn activations(&mut self, kernel: Kernel, activation: fn(f64) -> f64) -> Kernel {
        let expansion = &self.model.expansion;
        for (feature, coefficients) in expansion.features.iter().zip(expansion.coefficients.row_iter()) {
            let coefficients: Vec<f64> = coefficients.iter().copied().collect();
            if coefficients.iter().all(|&c| c == 0.0) {
                continue;
            }
            let (support, weights, shift) = self.inputs(&feature.support, &feature.weights, 1.0);
            if support.is_empty() {
                self.add_constant(&coefficients, activation(feature.bias));
            } else {
                let bias = Some(feature.bias - shift);
                let amplitudes = self.in_units(&coefficients);
                self.features.push(Absorbed { support, weights, bias, amplitudes });
            }
        }
        kernel
    }

    /// Support, weights in units of `unit` per unit of the reading, and what the shift of the readings adds to their
    /// sum.
    fn inputs(&self, support: &[usize], weights: &[f64], unit: f64) -> (Vec<usize>, Vec<f64>, f64) {
        let scale = &self.model.scaling.x.scale;
        let absorbed = support.iter().zip(weights).map(|(&input, weight)| (input, weight / (unit * scale[input])));
        let (support, weights): (Vec<usize>, Vec<f64>) = absorbed.filter(|&(_, weight)| weight != 0.0).unzip();
        let shift = support.iter().zip(&weights).map(|(&input, weight)| weight * (self.shift)(input)).sum();
        (support, weights, shift)
    }

    /// Coefficients in units of the target.
    fn in_units(&self, coefficients: &[f64]) -> Vec<f64> {
        coefficients.iter().zip(&self.model.scaling.y.scale).map(|(c, scale)| c * scale).collect()
    }

    fn add_constant(&mut self, coefficients: &[f64], value: f64) {
        let amplitudes = self.in_units(coefficients);
        self.constants.iter_mut().zip(amplitudes).for_each(|(constant, amplitude)| *constant += amplitude * value);
    }
}

/// What a model has of one frequency.
pub(crate) struct Wave<'a> {
    pub support: &'a [usize],
    pub weights: &'a [f64],
    /// `Σ_i c_i sin(θ + b_i)`: the phase `b_i` in radians and the coefficients `c_i`, one per output.
    pub sines: Vec<(f64, Vec<f64>)>,
}

/// The features and coefficients (s×k) by frequency, in order of first appearance. Features that no output uses are
/// left out.
pub(crate) fn merge<'a>(features: &'a [Feature], coefficients: &DMatrix<f64>) -> Vec<Wave<'a>> {
    let mut waves: Vec<Wave<'a>> = Vec::new();
    let mut known: HashMap<(&[usize], Vec<u64>), usize> = HashMap::new();
    for (feature, coefficients) in features.iter().zip(coefficients.row_iter()) {
        if coefficients.iter().all(|&c| c == 0.0) {
            continue;
        }
        let Feature { support, weights, bias } = feature;
        let bits = weights.iter().map(|w| w.to_bits()).collect();
        let wave = *known.entry((support, bits)).or_insert(waves.len());
        if wave == waves.len() {
            waves.push(Wave { support, weights, sines: Vec::new() });
        }
        waves[wave].sines.push((*bias, coefficients.iter().copied().collect()));
    }
    waves.iter_mut().for_each(|wave| wave.sines = merged(std::mem::take(&mut wave.sines)));
    waves
}

/// As few sines as give the same sum: one for one output, two for several.
fn merged(sines: Vec<(f64, Vec<f64>)>) -> Vec<(f64, Vec<f64>)> {
    let outputs = sines[0].1.len();
    if sines.len() <= outputs.min(2) {
        return sines;
    }
    let (of_sine, of_cosine) = quadrature(&sines);
    if outputs == 1 {
        let sine = of_sine[0];
        let cosine = of_cosine[0];
        vec![(libm::atan2(cosine, sine), vec![libm::hypot(cosine, sine)])]
    } else {
        vec![(0.0, of_sine), (FRAC_PI_2, of_cosine)]
    }
}

/// The coefficients of `sin θ` and of `cos θ`, one per output, that the sum of `sines` has.
pub(crate) fn quadrature(sines: &[(f64, Vec<f64>)]) -> (Vec<f64>, Vec<f64>) {
    let outputs = 0..sines[0].1.len();
    let sum = |output: usize, of: fn(f64) -> f64| sines.iter().map(|(bias, c)| c[output] * of(*bias)).sum();
    (outputs.clone().map(|o| sum(o, libm::cos)).collect(), outputs.map(|o| sum(o, libm::sin)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Activation, feature_matrix};
    use crate::sampling::{Sampler, SpectralLaw};

    #[test]
    fn merging_changes_no_value_and_halves_the_pairs() {
        for (outputs, expected) in [(1, 6), (3, 11)] {
            let mut sampler = Sampler::new(outputs as u64);
            let mut features = SpectralLaw::Normal { scale: 1.0 }.sample(6, &[0, 1, 2], 2, &mut sampler);
            for j in 0..5 {
                features.push(Feature { bias: sampler.uniform(0.0, 6.0), ..features[j].clone() });
            }
            // One frequency three times over, and a feature that is not used.
            features.push(Feature { bias: 0.1, ..features[4].clone() });
            features.push(Feature { support: vec![2], weights: vec![1.0], bias: 0.0 });
            let mut coefficients = DMatrix::from_fn(features.len(), outputs, |_, _| sampler.normal());
            coefficients.row_mut(features.len() - 1).fill(0.0);
            let x = DMatrix::from_fn(50, 3, |_, _| sampler.normal());
            let waves = merge(&features, &coefficients);
            assert_eq!(waves.iter().map(|wave| wave.sines.len()).sum::<usize>(), expected);
            let mut after = DMatrix::zeros(50, outputs);
            for wave in &waves {
                for (bias, c) in &wave.sines {
                    let support = wave.support.to_vec();
                    let weights = wave.weights.to_vec();
                    let feature = Feature { support, weights, bias: *bias };
                    after += feature_matrix(&x, &[feature], Activation::Sine) * DMatrix::from_row_slice(1, outputs, c);
                }
                let (of_sine, of_cosine) = quadrature(&wave.sines);
                let sum = quadrature(&[(0.0, of_sine.clone()), (FRAC_PI_2, of_cosine.clone())]);
                let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15);
                assert!(difference(&sum.0, &of_sine) && difference(&sum.1, &of_cosine));
            }
            let before = feature_matrix(&x, &features, Activation::Sine) * coefficients;
            assert!((before - after).amax() < 1e-13);
        }
    }
}
