//! The frequencies that a descent starts from.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::features::{Feature, pair_matrix};
use crate::linalg::{add_gram, product, symmetric_eigen, zeros};
use crate::method::error::MethodError;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::SolveError;
use crate::sums::{InMemory, Rows, Statistic};

/// Where a descent starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Start {
    /// At frequencies of any direction.
    Random,
    /// At frequencies along the directions in which a first fit changes most.
    Leading,
}

/// Draws frequencies of all inputs. The weights are divided by the root of the number of inputs, so that the length has
/// the scale of the law.
pub(super) fn random(count: usize, inputs: &[usize], law: SpectralLaw, sampler: &mut Sampler) -> Vec<Feature> {
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
pub(super) fn leading(
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
        return Ok(random(count, inputs, law, sampler)); // The fit is constant.
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
            let drawn = leading(2, &x, fit, (&inputs, law), &mut sampler).unwrap();
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
