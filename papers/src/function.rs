//! Noise-free test functions of the SHRIMP paper.

use std::f64::consts::PI;

use nalgebra::DMatrix;
use srfm_trainer::data::Dataset;
use srfm_trainer::sampling::Sampler;

/// A noise-free test function of the paper.
#[derive(Clone, Copy)]
pub struct Function {
    /// The name in the paper.
    pub name: &'static str,
    /// The largest number of inputs that interact.
    pub order: usize,
    /// The inputs are uniform on [−half_width, half_width].
    pub half_width: f64,
    /// The function.
    pub value: fn(&[f64]) -> f64,
}

impl Function {
    /// Samples rows of the function in `inputs` inputs.
    pub fn data(&self, rows: usize, inputs: usize, sampler: &mut Sampler) -> Dataset {
        let x = DMatrix::from_fn(rows, inputs, |_, _| sampler.uniform(-self.half_width, self.half_width));
        let point = |row: usize| x.row(row).iter().copied().collect::<Vec<f64>>();
        let y = DMatrix::from_fn(rows, 1, |row, _| (self.value)(&point(row)));
        Dataset::new(x, y).expect("values of functions are finite")
    }
}

/// sin(πt) / (πt).
fn sinc(t: f64) -> f64 {
    if t == 0.0 { 1.0 } else { libm::sin(PI * t) / (PI * t) }
}

/// 2t − 1.
fn stretched(t: f64) -> f64 {
    2.0 * t - 1.0
}

fn pairs(x: &[f64]) -> f64 {
    let [a, b, c] = [0, 1, 2].map(|i| stretched(x[i]));
    a * b + a * c + b * c
}

fn ishigami(x: &[f64]) -> f64 {
    let (s, t) = (libm::sin(x[0]), libm::sin(x[1]));
    s + 7.0 * t * t + 0.1 * x[2] * x[2] * x[2] * x[2] * s
}

/// The functions f₁ to f₇ of SHRIMP, Table 2: name, order, half-width, value.
#[rustfmt::skip]
pub const FUNCTIONS: [Function; 7] = [
    function("f1", 1, 1.0, |x| x[..x.len() - 1].iter().sum::<f64>() + libm::exp(-x[x.len() - 1])),
    function("f2", 1, 1.0, |x| libm::cos(x[0]) + libm::sin(x[1])),
    function("f3", 2, 1.0, |x| stretched(x[0]) * stretched(x[1])),
    function("f4", 2, 1.0, pairs),
    function("f5", 3, 1.0, |x| sinc(x[0]) * sinc(x[2]) * sinc(x[2]) * sinc(x[2]) + sinc(x[1])),
    function("f6", 2, PI, ishigami),
    function("f7", 2, 1.0, |x| libm::cos(x[0]) * x[2] + x[1] * x[1] * x[3] + x[2..].iter().sum::<f64>()),
];

const fn function(name: &'static str, order: usize, half_width: f64, value: fn(&[f64]) -> f64) -> Function {
    Function { name, order, half_width, value }
}
