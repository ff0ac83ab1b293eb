//! Cosine features in `f32`: `y += a cos(2π(⟨w, z⟩ + p))`, phases in turns.
//!
//! | | |
//! |---|---|
//! | range | `abs(⟨w, z⟩ + p)` below 2²² turns; beyond it the result is meaningless, though nothing faults |
//! | largest error of [`LEADING`]` * `[`scaled_cos_turns`] | 7.2e-7 (6.0e-7 of the polynomial, the rest rounding) |
//! | operations of [`scaled_cos_turns`] | 11 additions, subtractions, multiplications and an absolute value; no branch |
//! | instructions a feature of two inputs, Cortex-M4F | 24 and 2 an output by hand; 26.75 measured for one output, 33 for three |
//!
//! By hand: 3 loads of phase and weights, 7 for the two inputs, 2 multiply-adds, 3 to round, 2 to fold, 7 for the
//! polynomial; for an output a load and a multiply-add.

use super::{NoWarps, Nonlinearity, cosine_int};
use crate::format;

/// Adding and subtracting this rounds an `f32` below 2²² to the nearest whole number (ties to even).
const ROUND: f32 = 12_582_912.0; // 1.5 · 2²³: the unit in the last place is one

/// Leading coefficient of the minimax polynomial of degree seven of `sin(2πs)` on the quarter turn `abs(s) ≤ 1/4`,
/// `s LEADING (D[0] + D[1] s² + D[2] s⁴ + s⁶)`. A model stores its amplitudes times this number: with a leading
/// coefficient of one, the polynomial takes an operation less a feature.
pub const LEADING: f64 = -70.993_437_319_360_91;

/// The other coefficients over [`LEADING`], found by the Remez exchange and rounded so that the error in `f32` is least.
pub(super) const D: [f32; 3] = [-0.088_503_45, 0.582_267_1, -1.145_750_3];

/// `cos(2πt) / LEADING`: the cosine of an angle in turns, scaled.
///
/// Largest error 7.2e-7 after multiplication with [`LEADING`] for `abs(t) ≤ 1/2`; beyond that the distance to the
/// nearest whole number is exact in `f32`, so that only the rounding of `t` itself matters. Valid up to 2²² turns.
///
/// ```
/// use srfm_runtime::kernel::cosine_f32::{LEADING, scaled_cos_turns};
/// let cos_turns = |t| LEADING * f64::from(scaled_cos_turns(t));
/// assert!((cos_turns(0.0) - 1.0).abs() < 1e-6);
/// assert!((cos_turns(1000.25)).abs() < 1e-6);
/// ```
#[inline(always)]
pub fn scaled_cos_turns(t: f32) -> f32 {
    let r = t - ((t + ROUND) - ROUND); // -1/2 ..= 1/2
    let s = 0.25 - r.abs(); // cos(2πr) = sin(2π(1/4 - |r|))
    let u = s * s;
    s * (D[0] + u * (D[1] + u * (D[2] + u)))
}

/// The kernel of [`scaled_cos_turns`].
#[derive(Clone, Copy, Debug)]
pub struct Cosine;

impl Nonlinearity for Cosine {
    const KERNEL: format::Kernel = format::Kernel::Cosine;
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
        [cosine_int::cos(t)]
    }
}
