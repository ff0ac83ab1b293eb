//! Sigmoid features: `y += a / (1 + e^-(⟨w, z⟩ + b))`.
//!
//! | in `f32` | |
//! |---|---|
//! | range | every `f32`: beyond ±44 the result stays at 5.4e-20 and 1, also for infinities |
//! | largest error of [`SCALE`]` * `[`scaled_sigmoid`] | 7.1e-7 (6.5e-7 of the polynomial, the rest rounding) |
//! | operations of [`scaled_sigmoid`] | 14 additions, subtractions, multiplications; a division, two selections |
//! | instructions a feature of two inputs, Cortex-M4F | 42 with one output, 46 with three |
//!
//! Counted by hand a feature takes 37 and 2 an output: 3 loads of bias and weights, 7 for the two inputs, 2
//! multiply-adds, 1 to change the base, 8 for the limits, 3 to round, 7 for the polynomial, 3 for the power of two, 2
//! for the denominator, 1 division; for an output a load and a multiply-add. An IEEE 754 division has the same bits
//! everywhere.
//!
//! | in integers | |
//! |---|---|
//! | range | arguments whose worst case over all inputs fits 32 bits, which the writer ensures |
//! | largest error of [`sigmoid`], over `ONE` | 2.9e-4; 5e-4 beyond ±8, where the value is constant |
//! | table | 1 KB |

use core::f32::consts::LOG2_E;

use super::KernelEvaluator;
use super::segments::{Segments, entry, line};
use crate::format::{ARGUMENT_BITS, Kernel};
use crate::warp::NoWarps;

/// Adding and subtracting this number rounds an `f32` below 2²² to the nearest whole number (ties to even). The lowest
/// bits of the sum are those of an `f32` exponent.
const ROUND: f32 = 12_582_912.0 + 127.0; // 1.5 · 2²³ and the bias of the exponent

/// Exponents of two beyond this size change nothing that an `f32` could show.
const LARGEST: f32 = 64.0;

/// The scale of the stored amplitudes: one over the leading coefficient of the polynomial.
pub(super) const SCALE: f64 = Kernel::Sigmoid.scales()[0];

/// [`SCALE`] in the denominator.
const DENOMINATOR: f32 = SCALE as f32;

/// Coefficients, times [`SCALE`], of the minimax polynomial of degree four of `2^f` on `abs(f) ≤ 1/2`, found by the
/// Remez exchange for the relative error and rounded so that the error of the sigmoid in `f32` is least. The
/// coefficient of `f⁴` is one.
const C: [f32; 4] = [104.492_004, 72.425_766, 25.103_954, 5.842_825];

/// Returns `1 / (1 + e^-t) / SCALE`: the sigmoid, scaled.
///
/// The largest error after multiplication with [`SCALE`] is 7.1e-7, for every `t`. NaN stays NaN.
#[inline(always)]
pub(super) fn scaled_sigmoid(t: f32) -> f32 {
    1.0 / (DENOMINATOR + scaled_power(t))
}

/// Returns `1 / (1 + e^-t)`. The largest error is 7.1e-7, for every `t`. NaN stays NaN.
pub(crate) fn logistic(t: f32) -> f32 {
    DENOMINATOR / (DENOMINATOR + scaled_power(t))
}

/// Returns `e^-t * SCALE`, with a relative error of at most 5e-6. Beyond ±44 the result stays as it is there.
#[inline(always)]
pub(crate) fn scaled_power(t: f32) -> f32 {
    let p = (t * -LOG2_E).clamp(-LARGEST, LARGEST); // e^-t = 2^p
    let rounded = p + ROUND;
    let f = p - (rounded - ROUND); // -1/2 ..= 1/2
    let power = f32::from_bits(rounded.to_bits() << 23);
    let scaled = C[0] + f * (C[1] + f * (C[2] + f * (C[3] + f)));
    scaled * power
}

/// The evaluator of [`Kernel::Sigmoid`].
#[derive(Clone, Copy, Debug)]
pub struct Sigmoid;

impl KernelEvaluator for Sigmoid {
    const KERNEL: Kernel = Kernel::Sigmoid;
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
        [sigmoid((t as i32).wrapping_shr(shift.into()))]
    }
}

/// Beyond this argument the sigmoid in integers is constant.
const END: i32 = 8 << ARGUMENT_BITS;

pub(super) static SIGMOID: Segments = {
    let mut segments = [0; 256];
    let mut segment = 0;
    while segment < 256 {
        let part = (segment + 128) % 256;
        segments[segment] = entry(segment, sigmoid_of_part(part), sigmoid_of_part(part + 1));
        segment += 1;
    }
    segments
};

/// Returns `1 / (1 + e^-t)` at `t = part / 16 - 8`.
const fn sigmoid_of_part(part: usize) -> f64 {
    // e^-t as the 1024th power of e^(-t / 1024), which is a series.
    let small = (8.0 - part as f64 / 16.0) / 1024.0;
    let mut power = 1.0 + small * (1.0 + small / 2.0 * (1.0 + small / 3.0 * (1.0 + small / 4.0 * (1.0 + small / 5.0))));
    let mut squarings = 0;
    while squarings < 10 {
        power *= power;
        squarings += 1;
    }
    1.0 / (1.0 + power)
}

/// Returns `1 / (1 + e^-t)` in units of `1 / `[`ONE`](super::segments::ONE); `argument` is `t` times
/// `2^`[`ARGUMENT_BITS`].
#[inline(always)]
pub(super) fn sigmoid(argument: i32) -> i32 {
    line(&SIGMOID, (argument.clamp(-END, END - 1) as u32) << (31 - END.trailing_zeros()))
}
