//! The baseline of the ARFF paper: stochastic gradient descent on frequencies and amplitudes, one row per step.

use nalgebra::DMatrix;

use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::data::Dataset;
use srfm_trainer::model::Expansion;
use srfm_trainer::model::{Activation, Feature};
use srfm_trainer::sampling::Sampler;

/// The number of steps between two checks for an interruption.
const LOOK: usize = 10_000;

/// Settings.
#[derive(Clone, Copy, Debug)]
pub struct GradientDescent {
    /// The number of frequencies, K.
    pub features: usize,
    /// The standard deviation of the initial weights; the initial amplitudes are zero.
    pub start: f64,
    /// The number of steps; each step uses one row drawn at random.
    pub steps: usize,
    /// The length Δt of a step.
    pub rate: f64,
}

impl GradientDescent {
    /// Minimises `(Σ a_k cos⟨ω_k, x⟩ + b_k sin⟨ω_k, x⟩ − y)²` on `data`, which has one target.
    pub fn fit(&self, data: &Dataset, run: &Run<'_>) -> Result<Expansion, FitError> {
        let (count, inputs) = (self.features, data.inputs());
        let mut sampler = Sampler::new(run.seed());
        let mut weights: Vec<f64> = (0..count * inputs).map(|_| self.start * sampler.normal()).collect();
        let (mut a, mut b) = (vec![0.0; count], vec![0.0; count]);
        let (mut cosines, mut sines) = (vec![0.0; count], vec![0.0; count]);
        let rows = data.x.transpose();
        for step in 0..self.steps {
            if step % LOOK == 0 && run.interrupted() {
                return Err(FitError::Interrupted);
            }
            let row = sampler.below(data.rows());
            let x = rows.column(row);
            for (angle, weights) in cosines.iter_mut().zip(weights.chunks_exact(inputs)) {
                *angle = weights.iter().zip(x.iter()).map(|(w, x)| w * x).sum();
            }
            for (angle, sine) in cosines.iter_mut().zip(&mut sines) {
                (*sine, *angle) = libm::sincos(*angle);
            }
            let value: f64 = (0..count).map(|k| a[k] * cosines[k] + b[k] * sines[k]).sum();
            let slope = 2.0 * self.rate * (value - data.y[row]);
            for (k, weights) in weights.chunks_exact_mut(inputs).enumerate() {
                let turn = slope * (b[k] * cosines[k] - a[k] * sines[k]);
                weights.iter_mut().zip(x.iter()).for_each(|(w, x)| *w -= turn * x);
                a[k] -= slope * cosines[k];
                b[k] -= slope * sines[k];
            }
        }
        let pairs = weights.chunks_exact(inputs).map(|w| Feature::pair((0..inputs).collect(), w.to_vec()));
        let features: Vec<Feature> = pairs.flatten().collect();
        let amplitudes: Vec<f64> = a.into_iter().zip(b).flat_map(|(a, b)| [a, b]).collect();
        Ok(Expansion {
            activation: Activation::Sine,
            features,
            coefficients: DMatrix::from_vec(2 * count, 1, amplitudes),
            intercept: DMatrix::zeros(1, 1),
            linear: DMatrix::zeros(inputs, 1),
            trees: Vec::new(),
        })
    }
}
