//! A penalty that grows with the frequency: fast waves must explain more than slow ones.
//!
//! Frequencies that are moved to where they fit follow the noise with fast waves if those cost no more than slow ones.
//! The weight `w(ω) = (1 + ‖ω‖²)^s` of a frequency's penalty is that of a Sobolev norm of order s (G. Wahba, *Spline
//! Models for Observational Data*, 1990, has such penalties).

use nalgebra::DMatrix;

use crate::features::Feature;

/// The exponent s: 0 is ridge regression, 2 keeps squared second derivatives small.
#[derive(Clone, Copy, Debug)]
pub struct Smoothness(pub f64);

impl Smoothness {
    /// The weight of a frequency's penalty.
    pub fn weight(self, frequency: &Feature) -> f64 {
        libm::pow(1.0 + norm_squared(frequency), self.0)
    }

    /// The derivative of the weight by an entry of the frequency, as a multiple of the entry.
    pub fn slope(self, frequency: &Feature) -> f64 {
        2.0 * self.0 * libm::pow(1.0 + norm_squared(frequency), self.0 - 1.0)
    }

    /// What the columns `[cos | sin]` of frequencies are multiplied by so that all have the same penalty: `1/√w`, 2N of
    /// them.
    pub fn scales(self, frequencies: &[Feature]) -> Vec<f64> {
        let scales = frequencies.iter().map(|frequency| 1.0 / self.weight(frequency).sqrt());
        scales.clone().chain(scales).collect()
    }

    /// The amplitudes (2N×k) of columns, given those of the columns times their scales.
    pub fn unscaled(self, mut amplitudes: DMatrix<f64>, frequencies: &[Feature]) -> DMatrix<f64> {
        amplitudes.row_iter_mut().zip(self.scales(frequencies)).for_each(|(mut row, scale)| row *= scale);
        amplitudes
    }
}

fn norm_squared(frequency: &Feature) -> f64 {
    frequency.weights.iter().map(|weight| weight * weight).sum()
}
