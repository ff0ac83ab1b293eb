//! The columns of values that a frequency contributes to a fit, and the amplitude of its coefficients.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::features::{Activation, Feature, feature_matrix, pair_matrix};
use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::NormalEquations;

/// The functions of a frequency ω.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Basis {
    /// `a cos⟨ω, x⟩ + b sin⟨ω, x⟩` with real a and b.
    Pair,
    /// `β e^{i⟨ω, x⟩}` with complex β, fitted to the real target and to zero in its imaginary part; the real part is
    /// kept.
    Complex,
    /// `c / (1 + e^{−⟨ω, x⟩ − b})`; the bias b belongs to the frequency, as the weight of an input that is always one.
    Sigmoid,
}

impl Basis {
    /// Columns per frequency.
    pub fn width(self) -> usize {
        if self == Basis::Sigmoid { 1 } else { 2 }
    }

    /// Nonlinearity of the features.
    pub fn activation(self) -> Activation {
        if self == Basis::Sigmoid { Activation::Sigmoid } else { Activation::Sine }
    }

    /// The features of K frequencies, in the order of the columns of [`Basis::values`].
    pub fn features(self, frequencies: &[Feature]) -> Vec<Feature> {
        if self == Basis::Sigmoid {
            return frequencies.to_vec();
        }
        let pair = |f: &Feature| Feature::pair(f.support.clone(), f.weights.clone());
        let pairs: Vec<[Feature; 2]> = frequencies.iter().map(pair).collect();
        [0, 1].iter().flat_map(|&of| pairs.iter().map(move |pair| pair[of].clone())).collect()
    }

    /// Their values at the rows of `x` (n×d); n×(K·width).
    pub fn values(self, x: &DMatrix<f64>, frequencies: &[Feature]) -> DMatrix<f64> {
        match self {
            Basis::Pair | Basis::Complex => pair_matrix(x, frequencies),
            Basis::Sigmoid => feature_matrix(x, frequencies, Activation::Sigmoid),
        }
    }

    /// Adds the equations that the basis needs beside the targets to the normal equations of its columns.
    pub fn complete(self, equations: &mut NormalEquations) {
        if self == Basis::Complex {
            equations.add_quadrature();
        }
    }

    /// The amplitude of every frequency: the Euclidean norm of its coefficients (K·width × k) over all outputs.
    pub fn amplitudes(self, coefficients: &DMatrix<f64>) -> Vec<f64> {
        let count = coefficients.nrows() / self.width();
        let square = |row: usize| coefficients.row(row).norm_squared();
        (0..count).map(|k| (0..self.width()).map(|part| square(k + part * count)).sum::<f64>().sqrt()).collect()
    }

    /// The amplitudes of the ridge fit to rows `x` (n×d) and targets `y` (n×k), with n λ added to the Gram matrix.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] where values or targets are not finite.
    pub fn fitted_amplitudes(
        self,
        x: &DMatrix<f64>,
        y: &DMatrix<f64>,
        frequencies: &[Feature],
        lambda: f64,
    ) -> Result<Vec<f64>, SolveError> {
        let mut equations = NormalEquations::from_values(&self.values(x, frequencies), y);
        self.complete(&mut equations);
        let (_, coefficients) = equations.reduce()?.solve(lambda * x.nrows() as f64)?;
        Ok(self.amplitudes(&coefficients))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Complex;

    use super::*;
    use crate::sampling::{Sampler, SpectralLaw};

    #[test]
    fn the_complex_reading_is_the_complex_ridge_regression() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            let x = DMatrix::from_fn(80, 3, |_, _| sampler.normal());
            let y = DMatrix::from_fn(80, 2, |_, _| sampler.normal());
            let frequencies = SpectralLaw::Normal { scale: 1.0 }.sample(9, &[0, 1, 2], 3, &mut sampler);
            let lambda = 0.03;
            // (Sᴴ S + nλ) β = Sᴴ y with S = e^{i⟨ω, x⟩}, in complex arithmetic.
            let s = DMatrix::from_fn(80, 9, |row, k| {
                let weights = &frequencies[k].weights;
                let angle: f64 = (0..3).map(|i| x[(row, i)] * weights[i]).sum();
                Complex::new(angle.cos(), angle.sin())
            });
            let mut normal = s.adjoint() * &s;
            (0..9).for_each(|i| normal[(i, i)] += Complex::new(80.0 * lambda, 0.0));
            let beta = normal.lu().solve(&(s.adjoint() * y.map(|v| Complex::new(v, 0.0)))).unwrap();

            let mut equations = NormalEquations::from_values(&Basis::Complex.values(&x, &frequencies), &y);
            Basis::Complex.complete(&mut equations);
            let (_, ours) = equations.reduce().unwrap().solve(80.0 * lambda).unwrap();
            for (k, output) in (0..9).flat_map(|k| [(k, 0), (k, 1)]) {
                let difference = beta[(k, output)] - Complex::new(ours[(k, output)], -ours[(9 + k, output)]);
                assert!(difference.norm_sqr().sqrt() < 1e-13, "{difference}");
            }
            let amplitudes = Basis::Complex.fitted_amplitudes(&x, &y, &frequencies, lambda).unwrap();
            for (row, amplitude) in beta.row_iter().zip(amplitudes) {
                assert!((row.norm() - amplitude).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn features_come_in_the_order_of_the_columns() {
        let mut sampler = Sampler::new(1);
        let x = DMatrix::from_fn(10, 4, |_, _| sampler.normal());
        let frequencies = SpectralLaw::Normal { scale: 1.0 }.sample(5, &[0, 1, 2, 3], 2, &mut sampler);
        for basis in [Basis::Pair, Basis::Complex, Basis::Sigmoid] {
            let features = basis.features(&frequencies);
            assert_eq!(features.len(), 5 * basis.width());
            let difference = feature_matrix(&x, &features, basis.activation()) - basis.values(&x, &frequencies);
            assert!(difference.amax() < 1e-15);
        }
    }
}
