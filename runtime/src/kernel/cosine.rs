//! Cosine features: `y += a cos(2π(⟨w, z⟩ + p))`, phases in turns.
//!
//! | in `f32` | |
//! |---|---|
//! | range | `abs(⟨w, z⟩ + p)` below 2²² turns; beyond it the result is meaningless |
//! | largest error of [`scaled_cos_turns`], times the scale | 7.2e-7 (6.0e-7 of the polynomial, the rest rounding) |
//! | operations of [`scaled_cos_turns`] | 11 additions, subtractions, multiplications, an absolute value; no branch |
//! | instructions a feature of two inputs, Cortex-M4F | 26.75 with one output, 33 with three |
//!
//! Counted by hand a feature takes 24 and 2 an output: 3 loads of phase and weights, 7 for the two inputs, 2
//! multiply-adds, 3 to round, 2 for the distance to the quarter turn, 7 for the polynomial; for an output a load and a
//! multiply-add.
//!
//! | in integers | |
//! |---|---|
//! | range | every phase: sums wrap around as angles do |
//! | largest error of [`cos`], over `ONE` | 3.3e-4, of which 4.8e-5 because the lower half of a phase is dropped |
//! | table | 1 KB |

use super::KernelEvaluator;
use super::segments::{Segments, entry, line};
use crate::format::Kernel;
use crate::warp::NoWarps;

/// Adding and subtracting this number rounds an `f32` below 2²² to the nearest whole number (ties to even).
const ROUND: f32 = 12_582_912.0; // 1.5 · 2²³: the unit in the last place is one

/// Coefficients of the minimax polynomial of degree seven of `sin(2πs)` on the quarter turn `abs(s) ≤ 1/4`, `scale s
/// (D[0] + D[1] s² + D[2] s⁴ + s⁶)`, found by the Remez exchange and rounded so that the error in `f32` is least. The
/// scale of the kernel is the leading coefficient. A model stores its amplitudes times the scale: with a leading
/// coefficient of one, the polynomial takes an operation less a feature.
pub(super) const D: [f32; 3] = [-0.088_503_45, 0.582_267_1, -1.145_750_3];

/// Returns the cosine of an angle in turns, over the scale of the kernel.
///
/// The largest error after multiplication with the scale is 7.2e-7 for `abs(t) ≤ 1/2`. Beyond that the distance to the
/// nearest whole number is exact in `f32`, so that only the rounding of `t` itself matters. Valid up to 2²² turns.
#[inline(always)]
pub(super) fn scaled_cos_turns(t: f32) -> f32 {
    let r = t - ((t + ROUND) - ROUND); // -1/2 ..= 1/2
    let s = 0.25 - r.abs(); // cos(2πr) = sin(2π(1/4 - |r|))
    let u = s * s;
    s * (D[0] + u * (D[1] + u * (D[2] + u)))
}

/// The evaluator of [`Kernel::Cosine`].
#[derive(Clone, Copy, Debug)]
pub struct Cosine;

impl KernelEvaluator for Cosine {
    const KERNEL: Kernel = Kernel::Cosine;
    const INSTRUCTIONS: usize = 12;
    const UNROLLED: bool = true;
    type Warps = NoWarps;
    type Values = [f32; 1];

    #[inline(always)]
    fn values(t: f32) -> [f32; 1] {
        [scaled_cos_turns(t)]
    }

    type Integers = [i32; 1];

    #[inline(always)]
    fn integers(t: u32, _: u8) -> [i32; 1] {
        [cos(t)]
    }
}

/// Chords between points of a curve lie inside of it: a circle larger by half their largest distance halves the error.
const WIDER: f64 = 1.0 + TURN * TURN / (256.0 * 256.0 * 16.0);

const TURN: f64 = core::f64::consts::TAU;

pub(super) static COSINE: Segments = {
    let mut segments = [0; 256];
    let mut segment = 0;
    while segment < 256 {
        segments[segment] = entry(segment, WIDER * cos_of_part(segment), WIDER * cos_of_part(segment + 1));
        segment += 1;
    }
    segments
};

/// Returns `cos(2π part / 256)`.
const fn cos_of_part(part: usize) -> f64 {
    // The series is exact to the last bits within a quarter turn.
    let part = part % 256;
    let (part, sign) = if part > 64 && part < 192 { (part as f64 - 128.0, -1.0) } else { (part as f64, 1.0) };
    let part = if part > 128.0 { part - 256.0 } else { part };
    let angle = TURN * part / 256.0;
    let (mut sum, mut term, mut n) = (1.0, 1.0, 1.0);
    while n < 24.0 {
        term *= -angle * angle / (n * (n + 1.0));
        sum += term;
        n += 2.0;
    }
    sign * sum
}

/// Returns the cosine of `phase` 2⁻³² turns, in units of `1 / `[`ONE`](super::segments::ONE).
#[inline(always)]
pub(super) fn cos(phase: u32) -> i32 {
    line(&COSINE, phase)
}
