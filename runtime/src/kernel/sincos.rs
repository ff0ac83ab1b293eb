//! Pairs of a sine and a cosine of one frequency: `y += a sin(2π⟨w, z⟩) + b cos(2π⟨w, z⟩)`, angles in turns.
//!
//! A pair has no phase: the phase of its frequency goes into the two amplitudes of every output.
//!
//! | in `f32` | |
//! |---|---|
//! | range | `abs(⟨w, z⟩)` below 2²¹ turns; beyond it the result is meaningless, though nothing faults |
//! | largest error of [`scaled_sincos_turns`], times the scales | sine 7.4e-7, cosine 1.7e-7 |
//! | operations of [`scaled_sincos_turns`] | 18 additions, subtractions, multiplications; two signs; no branch |
//! | instructions a pair of two inputs, Cortex-M4F | 41 with one output, 50 with three |
//!
//! Counted by hand a pair takes 32 and 4 an output: 2 loads of weights, 7 for the two inputs, 2 multiply-adds, 3 to
//! round, 2 for the powers, 5 for the sine, 6 for the cosine, 5 for the signs; for an output two loads and two
//! multiply-adds.
//!
//! In integers range, error and table are those of the [cosine](super::Cosine).

use super::KernelEvaluator;
use super::cosine::{D, cos};
use crate::format::Kernel;
use crate::warp::NoWarps;

/// Adding and subtracting this number rounds an `f32` below 2²¹ to the nearest half (ties to even). The lowest bit of
/// the sum tells whether the result is an odd number of halves.
const ROUND: f32 = 6_291_456.0; // 1.5 · 2²²: the unit in the last place is one half

/// Coefficients of the minimax polynomial of degree eight of `cos(2πr)` on the quarter turn `abs(r) ≤ 1/4`, `scale
/// (E[0] + E[1] r² + E[2] r⁴ + E[3] r⁶ + r⁸)`, found by the Remez exchange and rounded so that the error in `f32` is
/// least. The second scale of the kernel is its leading coefficient. The sine has the polynomial of the cosine kernel,
/// whose leading coefficient is the first scale.
const E: [f32; 4] = [0.017_780_185, -0.350_966_13, 1.154_549_1, -1.515_592];

/// Returns sine and cosine of an angle in turns, over the scales of the kernel.
///
/// The largest errors after multiplication with the scales are 7.4e-7 and 1.7e-7 for `abs(t) ≤ 1/4`. Beyond that the
/// distance to the nearest half turn is exact in `f32`, so that only the rounding of `t` itself matters. Valid up to
/// 2²¹ turns.
#[inline(always)]
pub(super) fn scaled_sincos_turns(t: f32) -> [f32; 2] {
    let rounded = t + ROUND;
    let r = t - (rounded - ROUND); // -1/4 ..= 1/4
    let (u, odd) = (r * r, rounded.to_bits() & 1 == 1);
    let w = u * u; // in two halves, the polynomials take an operation less each
    let sin = r * ((D[0] + u * D[1]) + w * (D[2] + u));
    let cos = (E[0] + u * E[1]) + w * ((E[2] + u * E[3]) + w);
    if odd { [-sin, -cos] } else { [sin, cos] }
}

/// Returns sine and cosine of `phase` 2⁻³² turns, in units of `1 / `[`ONE`](super::segments::ONE).
#[inline(always)]
pub(super) fn sincos(phase: u32) -> [i32; 2] {
    [cos(phase.wrapping_sub(1 << 30)), cos(phase)]
}

/// The evaluator of [`Kernel::Sincos`].
#[derive(Clone, Copy, Debug)]
pub struct Sincos;

impl KernelEvaluator for Sincos {
    const KERNEL: Kernel = Kernel::Sincos;
    const INSTRUCTIONS: usize = 21;
    type Warps = NoWarps;
    type Values = [f32; 2];

    #[inline(always)]
    fn values(t: f32) -> [f32; 2] {
        scaled_sincos_turns(t)
    }

    type Integers = [i32; 2];

    #[inline(always)]
    fn integers(t: u32, _: u8) -> [i32; 2] {
        sincos(t)
    }
}
