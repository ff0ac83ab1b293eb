//! Adam: stochastic gradient descent with steps in proportion to the signal-to-noise ratio of each derivative.
//!
//! D. P. Kingma and J. Ba, *Adam: a method for stochastic optimization*, 2015, Algorithm 1.

use std::f64::consts::PI;

use crate::linalg::vectorised;

/// Decay rates of the mean and of the mean square of a derivative.
const MEAN_DECAY: f64 = 0.9;
const SQUARE_DECAY: f64 = 0.999;

/// Keeps derivatives that are zero from a division by zero.
const LEAST: f32 = 1e-8;

/// The share of the steps in which the step length rises to its full size.
const WARM_UP: f64 = 0.05;

/// The state of a descent of a given number of steps. The step length rises at first and then falls to zero along a
/// cosine.
pub struct Adam {
    means: Vec<f32>,
    squares: Vec<f32>,
    step: usize,
    steps: usize,
}

impl Adam {
    /// Creates the state of a descent of `steps` steps over `parameters` parameters.
    pub fn new(parameters: usize, steps: usize) -> Adam {
        Adam { means: vec![0.0; parameters], squares: vec![0.0; parameters], step: 0, steps }
    }

    /// Takes a step against a gradient, which `scale` multiplies. `lengths` holds the full step length of each
    /// parameter; a parameter of length zero stays.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], scale: f32, lengths: &[f32]) {
        self.step += 1;
        let corrected = |decay: f64| 1.0 - libm::pow(decay, self.step as f64);
        // Both means start at zero; the corrections of the two are one factor of the step.
        let factor = (self.schedule() / corrected(MEAN_DECAY)) as f32;
        let root = (1.0 / corrected(SQUARE_DECAY)) as f32;
        let mean_decay = MEAN_DECAY as f32;
        let square_decay = SQUARE_DECAY as f32;
        let mean_share = (1.0 - MEAN_DECAY) as f32;
        let square_share = (1.0 - SQUARE_DECAY) as f32;
        let means = &mut self.means;
        let squares = &mut self.squares;
        vectorised!({
            let state = means.iter_mut().zip(squares.iter_mut());
            for (((parameter, gradient), length), (mean, square)) in
                parameters.iter_mut().zip(gradient).zip(lengths).zip(state)
            {
                let slope = scale * gradient;
                *mean = mean_decay * *mean + mean_share * slope;
                *square = square_decay * *square + square_share * slope * slope;
                *parameter -= factor * length * *mean / ((root * *square).sqrt() + LEAST);
            }
        });
    }

    /// Returns the length of the present step as a share of the full length.
    fn schedule(&self) -> f64 {
        let done = (self.step as f64 - 0.5) / self.steps as f64;
        let rising = (done / WARM_UP).min(1.0);
        rising * 0.5 * (1.0 + libm::cos(PI * done.min(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_steps_are_those_of_the_algorithm() {
        let mut adam = Adam::new(3, 10);
        let mut parameters = [1.0, -2.0, 0.5];
        let lengths = [0.1, 0.2, 0.0];
        let gradients = [[0.5, -3.0, 1.0], [1.5, 1.0, 1.0]];
        let mut means = [0.0; 3];
        let mut squares = [0.0; 3];
        let mut expected = [1.0, -2.0, 0.5];
        for (step, gradient) in gradients.iter().enumerate() {
            adam.step(&mut parameters, gradient, 2.0, &lengths);
            let time = step as i32 + 1;
            // The warm-up of half a step is over in the first.
            let share = 0.5 * (1.0 + (PI * (step as f64 + 0.5) / 10.0).cos());
            for i in 0..3 {
                let slope = 2.0 * f64::from(gradient[i]);
                means[i] = 0.9 * means[i] + 0.1 * slope;
                squares[i] = 0.999 * squares[i] + 0.001 * slope * slope;
                let mean = means[i] / (1.0 - 0.9_f64.powi(time));
                let square = squares[i] / (1.0 - 0.999_f64.powi(time));
                expected[i] -= share * f64::from(lengths[i]) * mean / (square.sqrt() + 1e-8);
            }
        }
        for (parameter, expected) in parameters.iter().zip(expected) {
            assert!((f64::from(*parameter) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn a_quadratic_is_minimised() {
        let mut adam = Adam::new(2, 500);
        let mut parameters = [3.0_f32, -1.0];
        for _ in 0..500 {
            let gradient = [parameters[0] - 1.0, 100.0 * (parameters[1] - 2.0)];
            adam.step(&mut parameters, &gradient, 1.0, &[0.05, 0.05]);
        }
        assert!((parameters[0] - 1.0).abs() < 1e-3 && (parameters[1] - 2.0).abs() < 1e-3);
    }
}
