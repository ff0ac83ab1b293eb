//! Cosine features without a table: `y += a cos(2π(⟨w, z⟩ + p))`, phases in turns.
//!
//! In floating point this is the [cosine](super::Cosine). In integers a polynomial takes the place of the table of
//! 1 KB, for programs that have a single model.
//!
//! | in integers | |
//! |---|---|
//! | range | every phase: sums wrap around as angles do |
//! | largest error of [`cos`], over `ONE` | 2.43e-4 (1.2e-4 of the last bit, the rest the polynomial) |
//! | mean error | -1.5e-5 |
//! | operations | 4 products of factors of 16 bits, 4 sums or differences, 6 shifts, an exclusive or; no branch |
//! | code on a Cortex-M3 | 48 bytes, 16 instructions |

use super::KernelEvaluator;
use super::cosine::scaled_cos_turns;
use crate::format::Kernel;
use crate::warp::NoWarps;

/// The evaluator of [`Kernel::Polynomial`].
#[derive(Clone, Copy, Debug)]
pub struct Polynomial;

impl KernelEvaluator for Polynomial {
    const KERNEL: Kernel = Kernel::Polynomial;
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

/// Coefficients of the polynomial of degree five of `sin(πs/2)` on `abs(s) ≤ 1`, in units of 2⁻¹⁴: `s (P[0] − s² (P[1]
/// − s² P[2]))`. A search over all integers near those of the minimax polynomial found the least error of [`cos`].
pub(super) const P: [i32; 3] = [25_728, 10_523, 1180];

/// Returns the cosine of `phase` 2⁻³² turns, in units of `1 / `[`ONE`](super::segments::ONE).
///
/// The distance `s` to the quarter turn has 15 bits behind the binary point and its square 14: all factors have 16
/// bits, and no product exceeds 31.
#[inline(always)]
pub(super) fn cos(phase: u32) -> i32 {
    let t = phase as i32;
    let s = (0x3fff_ffff - (t ^ (t >> 31))) >> 15; // cos(2πt) = sin(2π(1/4 - |t|))
    let u = (s * s) >> 16;
    let p = P[0] - ((u * (P[1] - ((u * P[2]) >> 14))) >> 14);
    (s * p + 65_536) >> 17
}
