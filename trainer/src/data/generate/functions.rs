//! Test functions from the literature.

use std::f64::consts::PI;

use crate::data::Dataset;
use crate::data::generate::rows::filled;
use crate::sampling::Sampler;

/// A function of inputs that are drawn at random.
pub struct Function {
    /// The number of inputs.
    inputs: usize,
    /// Draws the inputs.
    draw: fn(&mut [f64], &mut Sampler),
    /// Returns the noise-free value.
    value: fn(&[f64]) -> f64,
    /// The standard deviation of the noise of the inputs.
    input_noise: f64,
}

impl Function {
    /// Draws `rows` rows with noise of standard deviation `noise` on the value.
    pub fn generate(&self, rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
        let names: Vec<String> = (1..=self.inputs).map(|i| format!("x{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        filled(rows, &names, &["y"], |x, y| {
            (self.draw)(x, sampler);
            y[0] = (self.value)(x) + noise * sampler.normal();
            if self.input_noise > 0.0 {
                x.iter_mut().for_each(|value| *value += self.input_noise * sampler.normal());
            }
        })
    }
}

/// J. H. Friedman, *Multivariate adaptive regression splines*, 1991, equation 61.
pub const FRIEDMAN1: Function = Function {
    inputs: 10,
    draw: uniform,
    value: |x| 10.0 * libm::sin(PI * x[0] * x[1]) + 20.0 * (x[2] - 0.5) * (x[2] - 0.5) + 10.0 * x[3] + 5.0 * x[4],
    input_noise: 0.0,
};

/// Friedman 1991, impedance.
pub const FRIEDMAN2: Function = Function {
    inputs: 4,
    draw: uniform,
    value: |x| {
        let (r, w) = circuit(x);
        libm::sqrt(r * r + w * w)
    },
    input_noise: 0.0,
};

/// Friedman 1991, phase.
pub const FRIEDMAN3: Function = Function {
    inputs: 4,
    draw: uniform,
    value: |x| {
        let (r, w) = circuit(x);
        libm::atan(w / r)
    },
    input_noise: 0.0,
};

/// T. Ishigami, T. Homma, *An importance quantification technique in uncertainty analysis*, 1990.
pub const ISHIGAMI: Function = Function {
    inputs: 3,
    draw: |x, sampler| x.fill_with(|| sampler.uniform(-PI, PI)),
    value: |x| {
        let s1 = libm::sin(x[0]);
        let s2 = libm::sin(x[1]);
        s1 + 7.0 * s2 * s2 + 0.1 * x[2] * x[2] * x[2] * x[2] * s1
    },
    input_noise: 0.0,
};

/// M. Gregorová et al., *Large-scale nonlinear variable selection via kernel random features*, 2018, SE1.
pub const SE1: Function = Function {
    inputs: 18,
    draw: normal,
    value: |x| {
        let sum = x[0] + x[2];
        libm::sin(sum * sum) * libm::sin(x[6] * x[7] * x[8])
    },
    input_noise: 0.0,
};

/// Gregorová et al. 2018, SE2.
pub const SE2: Function = Function {
    inputs: 100,
    draw: normal,
    value: |x| {
        let sum: f64 = x[10..15].iter().sum();
        libm::log(sum * sum)
    },
    input_noise: 0.0,
};

/// Gregorová et al. 2018, SE3.
pub const SE3: Function = Function {
    inputs: COPIES * 200,
    draw: |x, sampler| x.chunks_mut(COPIES).for_each(|copies| copies.fill(sampler.normal())),
    value: |x| {
        let squares = x[0] * x[0] + x[COPIES] * x[COPIES];
        10.0 * squares * libm::exp(-2.0 * squares)
    },
    input_noise: 0.1,
};

/// The number of inputs of each variable in [`SE3`].
const COPIES: usize = 5;

fn uniform(x: &mut [f64], sampler: &mut Sampler) {
    x.fill_with(|| sampler.uniform(0.0, 1.0));
}

fn normal(x: &mut [f64], sampler: &mut Sampler) {
    x.fill_with(|| sampler.normal());
}

/// Returns the resistance and the reactance of Friedman's circuit.
fn circuit(x: &[f64]) -> (f64, f64) {
    let frequency = 520.0 * PI * x[1] + 40.0 * PI;
    (100.0 * x[0], x[2] * frequency - 1.0 / (frequency * (10.0 * x[3] + 1.0)))
}
