//! Merges sines of one frequency: on the device they are one feature.
//!
//! A sum `Σ c_i sin(θ + b_i)` over features with the same support and weights is `|z| sin(θ + arg z)` with the phasor
//! `z = Σ c_i e^{i b_i}`. So a pair (cos, sin) costs one amplitude and one phase. With several outputs the phasors differ;
//! two features, a sine and a cosine, then serve all outputs.

use std::collections::HashMap;
use std::f64::consts::FRAC_PI_2;

use nalgebra::DMatrix;

use crate::features::Feature;

/// The features and coefficients (s×k) with those of equal frequency merged, in order of first appearance.
pub fn merge(features: &[Feature], coefficients: &DMatrix<f64>) -> (Vec<Feature>, DMatrix<f64>) {
    let outputs = coefficients.ncols();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<(&[usize], Vec<u64>), usize> = HashMap::new();
    for (j, feature) in features.iter().enumerate() {
        let bits = feature.weights.iter().map(|w| w.to_bits()).collect();
        let group = *known.entry((&feature.support, bits)).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(j);
    }

    let mut merged = Vec::new();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for group in groups {
        let first = &features[group[0]];
        if group.len() <= outputs.min(2) {
            // Merging would save nothing.
            for j in group {
                merged.push(features[j].clone());
                rows.push(coefficients.row(j).iter().copied().collect());
            }
            continue;
        }
        let phasor = |output: usize, of: fn(f64) -> f64| -> f64 {
            group.iter().map(|&j| coefficients[(j, output)] * of(features[j].bias)).sum()
        };
        let sines: Vec<f64> = (0..outputs).map(|o| phasor(o, libm::cos)).collect();
        let cosines: Vec<f64> = (0..outputs).map(|o| phasor(o, libm::sin)).collect();
        if outputs == 1 {
            merged.push(Feature { bias: libm::atan2(cosines[0], sines[0]), ..first.clone() });
            rows.push(vec![libm::hypot(cosines[0], sines[0])]);
        } else {
            merged.push(Feature { bias: 0.0, ..first.clone() });
            rows.push(sines);
            merged.push(Feature { bias: FRAC_PI_2, ..first.clone() });
            rows.push(cosines);
        }
    }
    let coefficients = DMatrix::from_fn(rows.len(), outputs, |j, o| rows[j][o]);
    (merged, coefficients)
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
            // One frequency three times over.
            features.push(Feature { bias: 0.1, ..features[4].clone() });
            let coefficients = DMatrix::from_fn(features.len(), outputs, |_, _| sampler.normal());
            let x = DMatrix::from_fn(50, 3, |_, _| sampler.normal());
            let (merged, merged_coefficients) = merge(&features, &coefficients);
            assert_eq!(merged.len(), expected);
            let before = feature_matrix(&x, &features, Activation::Sine) * coefficients;
            let after = feature_matrix(&x, &merged, Activation::Sine) * merged_coefficients;
            assert!((before - after).amax() < 1e-13);
        }
    }
}
