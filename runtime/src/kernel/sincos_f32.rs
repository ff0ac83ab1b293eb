//! Pairs of a sine and a cosine of one frequency in `f32`: `y += a sin(2π⟨w, z⟩) + b cos(2π⟨w, z⟩)`, angles in turns.
//!
//! A pair has no phase: that of its frequency goes into the two amplitudes of every output.
//!
//! | | |
//! |---|---|
//! | range | `abs(⟨w, z⟩)` below 2²¹ turns; beyond it the result is meaningless, though nothing faults |
//! | largest error of [`LEADING`]` * `[`scaled_sincos_turns`] | sine 7.4e-7 (6.0e-7 of the polynomial), cosine 1.7e-7 |
//! | operations of [`scaled_sincos_turns`] | 18 additions, subtractions and multiplications, two signs; no branch |
//! | instructions a pair of two inputs, Cortex-M4F | 32 and 4 an output by hand; 41 measured for one output, 50 for three |
//!
//! By hand: 2 loads of weights, 7 for the two inputs, 2 multiply-adds, 3 to round, 2 for the powers, 5 for the sine, 6 for
//! the cosine, 5 for the signs; for an output two loads and two multiply-adds.

use super::cosine_f32::{self, D};
use super::{NoWarps, Nonlinearity, cosine_int};
use crate::format;

/// Adding and subtracting this rounds an `f32` below 2²¹ to the nearest half (ties to even); the lowest bit of the sum
/// tells whether it is an odd number of halves.
const ROUND: f32 = 6_291_456.0; // 1.5 · 2²²: the unit in the last place is one half

/// Leading coefficients of two minimax polynomials on the quarter turn `abs(r) ≤ 1/4`: that of degree seven of the sine, the
/// one of the [cosine kernel](cosine_f32::LEADING), and of degree eight of the cosine,
/// `LEADING[1] (E[0] + E[1] r² + E[2] r⁴ + E[3] r⁶ + r⁸)`. A model stores its amplitudes times these numbers.
pub const LEADING: [f64; 2] = [cosine_f32::LEADING, 56.242_382_534_530_8];

/// The other coefficients of the cosine over `LEADING[1]`, found by the Remez exchange and rounded so that the error in
/// `f32` is least.
const E: [f32; 4] = [0.017_780_185, -0.350_966_13, 1.154_549_1, -1.515_592];

/// `sin(2πt) / LEADING[0]` and `cos(2πt) / LEADING[1]`: sine and cosine of an angle in turns, scaled.
///
/// Largest errors 7.4e-7 and 1.7e-7 after multiplication with [`LEADING`] for `abs(t) ≤ 1/4`; beyond that the distance to
/// the nearest half turn is exact in `f32`, so that only the rounding of `t` itself matters. Valid up to 2²¹ turns.
///
/// ```
/// use srfm_runtime::kernel::sincos_f32::{LEADING, scaled_sincos_turns};
/// let [sin, cos] = scaled_sincos_turns(1000.125);
/// assert!((LEADING[0] * f64::from(sin) - 0.5_f64.sqrt()).abs() < 1e-6);
/// assert!((LEADING[1] * f64::from(cos) - 0.5_f64.sqrt()).abs() < 1e-6);
/// ```
#[inline(always)]
pub fn scaled_sincos_turns(t: f32) -> [f32; 2] {
    let rounded = t + ROUND;
    let r = t - (rounded - ROUND); // -1/4 ..= 1/4
    let (u, odd) = (r * r, rounded.to_bits() & 1 == 1);
    let w = u * u; // in two halves, the polynomials take an operation less each
    let sin = r * ((D[0] + u * D[1]) + w * (D[2] + u));
    let cos = (E[0] + u * E[1]) + w * ((E[2] + u * E[3]) + w);
    if odd { [-sin, -cos] } else { [sin, cos] }
}

/// The kernel of [`scaled_sincos_turns`].
#[derive(Clone, Copy, Debug)]
pub struct Sincos;

impl Nonlinearity for Sincos {
    const KERNEL: format::Kernel = format::Kernel::Sincos;
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
        cosine_int::sincos(t)
    }
}
