//! Rectified linear features in `f32`: `y += a max(⟨w, z⟩ + b, 0)`.
//!
//! | | |
//! |---|---|
//! | range | `abs(⟨w, z⟩ + b)` below 2¹²⁷; beyond it the result is infinite or not a number |
//! | largest error of [`SCALE`]` * `[`scaled_relu`] | none |
//! | operations of [`scaled_relu`] | an absolute value and an addition; no branch |
//! | instructions a feature of two inputs, Cortex-M4F | 14 and 2 an output by hand; 19 measured for one output, 23 for three |
//!
//! By hand: 3 loads of bias and weights, 7 for the two inputs, 2 multiply-adds, 2 to rectify; for an output a load and a
//! multiply-add.

use super::{NoWarps, Nonlinearity, activation_int};
use crate::format;

/// What a model stores its amplitudes times.
pub const SCALE: f64 = 0.5;

/// `max(t, 0) / SCALE`: the positive part, twice.
///
/// ```
/// use srfm_runtime::kernel::relu_f32::scaled_relu;
/// assert_eq!([3.0, 0.0, -3.0].map(scaled_relu), [6.0, 0.0, 0.0]);
/// ```
#[inline(always)]
pub fn scaled_relu(t: f32) -> f32 {
    t + t.abs() // a comparison would take twice the instructions
}

/// The kernel of [`scaled_relu`].
#[derive(Clone, Copy, Debug)]
pub struct Relu;

impl Nonlinearity for Relu {
    const KERNEL: format::Kernel = format::Kernel::Relu;
    const INSTRUCTIONS: usize = 2;
    type Warps = NoWarps;
    type Values = [f32; 1];

    #[inline(always)]
    fn values(t: f32) -> [f32; 1] {
        [scaled_relu(t)]
    }

    type Integers = [i32; 1];

    #[inline(always)]
    fn integers(t: u32, _: u8) -> [i32; 1] {
        [activation_int::relu(t as i32)]
    }
}
