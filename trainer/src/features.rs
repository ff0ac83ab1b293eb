//! Random features and the matrix of their values.

use std::f64::consts::FRAC_PI_2;

use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::linalg::{product, vectorised, zeros};
use crate::trig;

/// One feature `φ(⟨ω, x⟩ + b)` on a few inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// The inputs that it looks at, ascending.
    pub support: Vec<usize>,
    /// The non-zero entries of ω, in radians per unit of the (scaled) input, in the order of `support`.
    pub weights: Vec<f64>,
    /// The bias b, in radians.
    pub bias: f64,
}

impl Feature {
    /// The pair `cos⟨ω, x⟩` and `sin⟨ω, x⟩` of a frequency; the cosine is a sine a quarter turn on.
    pub fn pair(support: Vec<usize>, weights: Vec<f64>) -> [Feature; 2] {
        let sine = Feature { support, weights, bias: 0.0 };
        [Feature { bias: FRAC_PI_2, ..sine.clone() }, sine]
    }
}

/// The nonlinearity φ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// `φ(t) = sin t`.
    Sine,
    /// `φ(t) = 1 / (1 + e^{−t})`.
    Sigmoid,
    /// `φ(t) = max(t, 0)`.
    Relu,
    /// `φ(t) = t²`.
    Square,
}

/// From this many inputs on, weights that are mostly there are multiplied as a matrix.
const MANY_INPUTS: usize = 32;

/// The values of every feature at every row of `x` (n×d): an n×N matrix.
///
/// Columns are independent of each other, so the result does not depend on the number of threads.
pub(crate) fn feature_matrix(x: &DMatrix<f64>, features: &[Feature], activation: Activation) -> DMatrix<f64> {
    let values = |column: &mut [f64], feature: &Feature| activate(column, feature, activation);
    matrix_of_columns(x, features, activation, values)
}

/// The arguments of φ of every feature at every row of `x` (n×d), which [`activate`] turns into values: an n×N matrix.
pub(crate) fn argument_matrix(x: &DMatrix<f64>, features: &[Feature], activation: Activation) -> DMatrix<f64> {
    matrix_of_columns(x, features, activation, |_, _| ())
}

/// Turns a column of the [`argument_matrix`] into the values of its feature.
pub(crate) fn activate(arguments: &mut [f64], feature: &Feature, activation: Activation) {
    match activation {
        Activation::Sine if is_cosine(feature, activation) => trig::cos(arguments),
        Activation::Sine => trig::sin(arguments),
        Activation::Sigmoid => arguments.iter_mut().for_each(|t| *t = 1.0 / (1.0 + libm::exp(-*t))),
        Activation::Relu => arguments.iter_mut().for_each(|t| *t = t.max(0.0)),
        Activation::Square => arguments.iter_mut().for_each(|t| *t *= *t),
    }
}

/// Returns whether a feature is the cosine of its projection. A cosine is taken as such: adding a quarter turn to a
/// small angle would round it.
fn is_cosine(feature: &Feature, activation: Activation) -> bool {
    activation == Activation::Sine && feature.bias == FRAC_PI_2
}

/// Returns the matrix whose columns are the arguments of φ after `finish`.
fn matrix_of_columns(
    x: &DMatrix<f64>,
    features: &[Feature],
    activation: Activation,
    finish: impl Fn(&mut [f64], &Feature) + Sync,
) -> DMatrix<f64> {
    let rows = x.nrows();
    let projections = dense_projections(x, features);
    let known = projections.is_some();
    let mut matrix = projections.unwrap_or_else(|| zeros(rows, features.len()));
    if rows == 0 {
        return matrix;
    }
    matrix.as_mut_slice().par_chunks_mut(rows).zip(features).for_each(|(column, feature)| {
        let start = if is_cosine(feature, activation) { 0.0 } else { feature.bias };
        if known {
            column.iter_mut().for_each(|t| *t += start);
        } else {
            column.fill(start);
            add_projection(column, x, feature);
        }
        finish(column, feature);
    });
    matrix
}

/// The values `[cos⟨ω_k, x⟩ | sin⟨ω_k, x⟩]` of the pairs of K frequencies at every row of `x` (n×d): an n×2K matrix,
/// all cosines before all sines. Biases are not looked at.
pub(crate) fn pair_matrix(x: &DMatrix<f64>, frequencies: &[Feature]) -> DMatrix<f64> {
    let mut matrix = zeros(x.nrows(), 2 * frequencies.len());
    write_pairs(x, frequencies, &mut matrix);
    matrix
}

/// Writes the values of [`pair_matrix`] to a matrix of their size.
pub(crate) fn write_pairs(x: &DMatrix<f64>, frequencies: &[Feature], matrix: &mut DMatrix<f64>) {
    let rows = x.nrows();
    let count = frequencies.len();
    if rows == 0 {
        return;
    }
    let projections = dense_projections(x, frequencies);
    if let Some(angles) = &projections {
        matrix.columns_mut(0, count).copy_from(angles);
    }
    let (cosines, sines) = matrix.as_mut_slice().split_at_mut(rows * count);
    let columns = cosines.par_chunks_mut(rows).zip(sines.par_chunks_mut(rows));
    columns.zip(frequencies).for_each(|((angles, sines), frequency)| {
        if projections.is_none() {
            angles.fill(0.0);
            add_projection(angles, x, frequency);
        }
        trig::cos_sin(angles, sines);
    });
}

/// Adds `⟨ω, x⟩` to every row's entry of `column`.
fn add_projection(column: &mut [f64], x: &DMatrix<f64>, feature: &Feature) {
    vectorised!({
        for (&input, &weight) in feature.support.iter().zip(&feature.weights) {
            for (t, &x) in column.iter_mut().zip(x.column(input).as_slice()) {
                *t += weight * x;
            }
        }
    });
}

/// `⟨ω, x⟩` for every row and feature as a matrix product; none where there are too few weights for that to pay.
fn dense_projections(x: &DMatrix<f64>, features: &[Feature]) -> Option<DMatrix<f64>> {
    let weights: usize = features.iter().map(|feature| feature.support.len()).sum();
    if x.ncols() < MANY_INPUTS || 2 * weights < x.ncols() * features.len() {
        return None;
    }
    let mut dense = zeros(x.ncols(), features.len());
    for (mut column, feature) in dense.column_iter_mut().zip(features) {
        feature.support.iter().zip(&feature.weights).for_each(|(&input, &weight)| column[input] = weight);
    }
    Some(product(x, &dense))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{Sampler, SpectralLaw};

    #[test]
    fn pairs_of_sparse_and_dense_frequencies_are_their_features() {
        let mut sampler = Sampler::new(2);
        let x = DMatrix::from_fn(50, 40, |_, _| sampler.normal());
        for order in [1, 2, 19, 20, 40] {
            let inputs: Vec<usize> = (0..40).collect();
            let frequencies = SpectralLaw::Normal { scale: 1.0 }.sample(7, &inputs, order, &mut sampler);
            let pairs = pair_matrix(&x, &frequencies);
            for (k, frequency) in frequencies.iter().enumerate() {
                let features = Feature::pair(frequency.support.clone(), frequency.weights.clone());
                let values = feature_matrix(&x, &features, Activation::Sine);
                for row in 0..50 {
                    let angle = |(&input, weight): (&usize, &f64)| weight * x[(row, input)];
                    let angle: f64 = frequency.support.iter().zip(&frequency.weights).map(angle).sum();
                    // Sums of 40 products of size ten at most, in several orders.
                    for (column, exact) in [(k, angle.cos()), (7 + k, angle.sin())] {
                        assert!((pairs[(row, column)] - exact).abs() < 1e-13);
                        assert!((values[(row, column / 7)] - exact).abs() < 1e-13);
                    }
                }
            }
        }
    }

    #[test]
    fn the_matrix_holds_the_formula() {
        let x = DMatrix::from_row_slice(2, 3, &[1.0, 2.0, 3.0, -1.0, 0.5, 0.0]);
        let features = [
            Feature { support: vec![0, 2], weights: vec![0.5, -2.0], bias: 0.25 },
            Feature { support: vec![1], weights: vec![3.0], bias: -1.0 },
        ];
        let matrix = feature_matrix(&x, &features, Activation::Sine);
        let expected =
            [[(0.5 - 6.0 + 0.25_f64).sin(), (6.0 - 1.0_f64).sin()], [(-0.5 + 0.25_f64).sin(), (1.5 - 1.0_f64).sin()]];
        for (row, expected) in expected.iter().enumerate() {
            for (column, expected) in expected.iter().enumerate() {
                assert!((matrix[(row, column)] - expected).abs() < 1e-15);
            }
        }
        let sigmoid = feature_matrix(&x, &features, Activation::Sigmoid);
        assert!((sigmoid[(0, 0)] - 1.0 / (1.0 + 5.25_f64.exp())).abs() < 1e-15);
        let relu = feature_matrix(&x, &features, Activation::Relu);
        assert_eq!(relu.as_slice(), [0.0, 0.0, 5.0, 0.5]);
    }
}
