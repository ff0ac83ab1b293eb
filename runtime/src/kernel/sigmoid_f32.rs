//! Sigmoid features in `f32`: `y += a / (1 + e^-(⟨w, z⟩ + b))`.
//!
//! | | |
//! |---|---|
//! | range | every `f32`: beyond ±44 the result stays at 5.4e-20 and 1, also for infinities |
//! | largest error of [`SCALE`]` * `[`scaled_sigmoid`] | 7.1e-7 (6.5e-7 of the polynomial, the rest rounding) |
//! | operations of [`scaled_sigmoid`] | 14 additions, subtractions and multiplications, a division, two selections; no branch |
//! | instructions a feature of two inputs, Cortex-M4F | 37 and 2 an output by hand; 42 measured for one output, 46 for three |
//!
//! By hand: 3 loads of bias and weights, 7 for the two inputs, 2 multiply-adds, 1 to change the base, 8 for the limits, 3 to
//! round, 7 for the polynomial, 3 for the power of two, 2 for the denominator, 1 division; for an output a load and a
//! multiply-add. An IEEE 754 division has the same bits everywhere.

use core::f32::consts::LOG2_E;

use super::{NoWarps, Nonlinearity, activation_int};
use crate::format;

/// Adding and subtracting this rounds an `f32` below 2²² to the nearest whole number (ties to even); the lowest bits of the
/// sum are those of an `f32` exponent.
const ROUND: f32 = 12_582_912.0 + 127.0; // 1.5 · 2²³ and the bias of the exponent

/// Exponents of two beyond this size change nothing that an `f32` could show.
const LARGEST: f32 = 64.0;

/// What a model stores its amplitudes times: one over the leading coefficient of the polynomial.
pub const SCALE: f64 = DENOMINATOR as f64;

/// [`SCALE`] in the denominator.
const DENOMINATOR: f32 = 104.492_08;

/// Coefficients, times [`SCALE`], of the minimax polynomial of degree four of `2^f` on `abs(f) ≤ 1/2`, found by the Remez
/// exchange for the relative error and rounded so that the error of the sigmoid in `f32` is least. That of `f⁴` is one.
const C: [f32; 4] = [104.492_004, 72.425_766, 25.103_954, 5.842_825];

/// `1 / (1 + e^-t) / SCALE`: the sigmoid, scaled.
///
/// Largest error 7.1e-7 after multiplication with [`SCALE`], for every `t`. What is not a number stays so.
///
/// ```
/// use srfm_runtime::kernel::sigmoid_f32::{SCALE, scaled_sigmoid};
/// let sigmoid = |t| SCALE * f64::from(scaled_sigmoid(t));
/// assert!((sigmoid(0.0) - 0.5).abs() < 1e-6);
/// assert!((sigmoid(1.0) - 1.0 / (1.0 + (-1.0_f64).exp())).abs() < 1e-6);
/// assert!((sigmoid(1e30) - 1.0).abs() < 1e-6);
/// ```
#[inline(always)]
pub fn scaled_sigmoid(t: f32) -> f32 {
    let p = (t * -LOG2_E).clamp(-LARGEST, LARGEST); // e^-t = 2^p
    let rounded = p + ROUND;
    let f = p - (rounded - ROUND); // -1/2 ..= 1/2
    let power = f32::from_bits(rounded.to_bits() << 23);
    let scaled = C[0] + f * (C[1] + f * (C[2] + f * (C[3] + f)));
    1.0 / (DENOMINATOR + scaled * power)
}

/// The kernel of [`scaled_sigmoid`].
#[derive(Clone, Copy, Debug)]
pub struct Sigmoid;

impl Nonlinearity for Sigmoid {
    const KERNEL: format::Kernel = format::Kernel::Sigmoid;
    const INSTRUCTIONS: usize = 25;
    type Warps = NoWarps;
    type Values = [f32; 1];

    #[inline(always)]
    fn values(t: f32) -> [f32; 1] {
        [scaled_sigmoid(t)]
    }

    type Integers = [i32; 1];

    #[inline(always)]
    fn integers(t: u32, shift: u8) -> [i32; 1] {
        [activation_int::sigmoid((t as i32).wrapping_shr(shift.into()))]
    }
}
