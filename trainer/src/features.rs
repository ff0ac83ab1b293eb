//! Random features and the matrix of their values.

use std::f64::consts::FRAC_PI_2;

use nalgebra::DMatrix;
use pulp::Arch;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::linalg::zeros;
use crate::trig;

/// One feature `φ(⟨ω, x⟩ + b)` on a few inputs.
#[derive(Clone, Debug, PartialEq)]
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
}

/// The values of every feature at every row of `x` (n×d): an n×N matrix.
///
/// Columns are independent of each other, so the result does not depend on the number of threads.
pub fn feature_matrix(x: &DMatrix<f64>, features: &[Feature], activation: Activation) -> DMatrix<f64> {
    let rows = x.nrows();
    let mut matrix = zeros(rows, features.len());
    if rows == 0 {
        return matrix;
    }
    matrix.as_mut_slice().par_chunks_mut(rows).zip(features).for_each(|(column, feature)| {
        // A cosine is taken as such: adding a quarter turn to a small angle would round it.
        let cosine = activation == Activation::Sine && feature.bias == FRAC_PI_2;
        Arch::new().dispatch(|| {
            column.fill(if cosine { 0.0 } else { feature.bias });
            for (&input, &weight) in feature.support.iter().zip(&feature.weights) {
                for (t, &x) in column.iter_mut().zip(x.column(input).as_slice()) {
                    *t += weight * x;
                }
            }
        });
        match activation {
            Activation::Sine if cosine => trig::cos(column),
            Activation::Sine => trig::sin(column),
            Activation::Sigmoid => column.iter_mut().for_each(|t| *t = 1.0 / (1.0 + libm::exp(-*t))),
            Activation::Relu => column.iter_mut().for_each(|t| *t = t.max(0.0)),
        }
    });
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

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
