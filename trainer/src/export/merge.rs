//! Merges sines of one frequency: on the device they are one feature, or two.
//!
//! A sum `Σ c_i sin(θ + b_i)` over features with the same support and weights is `|z| sin(θ + arg z)` with the phasor
//! `z = Σ c_i e^{i b_i}`. So a pair (cos, sin) costs one amplitude and one phase. With several outputs the phasors
//! differ; a sine and a cosine then serve all outputs.

use std::collections::HashMap;
use std::f64::consts::FRAC_PI_2;

use nalgebra::DMatrix;

use crate::features::Feature;

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
