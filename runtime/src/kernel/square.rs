//! Square features: `y += a (⟨w, z⟩ + b)²`, of which polynomials of degree two consist.
//!
//! | in `f32` | |
//! |---|---|
//! | range | `abs(⟨w, z⟩ + b)` below 2⁶³; beyond it the result is infinite |
//! | largest error of [`square`] | half a unit in the last place |
//! | operations of [`square`] | a multiplication; no branch |
//! | instructions a feature of two inputs, Cortex-M4F | 18 with one output, 22 with three |
//!
//! Counted by hand a feature takes 13 and 2 an output: 3 loads of bias and weights, 7 for the two inputs, 2
//! multiply-adds, 1 to square; for an output a load and a multiply-add.
//!
//! | in integers | |
//! |---|---|
//! | range | arguments whose worst case over all inputs fits 32 bits; beyond the largest of the rows it is constant |
//! | largest error of [`square_integer`] | one unit of 2⁻¹⁵ of the largest square |

use super::KernelEvaluator;
use crate::format::Kernel;
use crate::warp::NoWarps;

/// Returns `t²`.
#[inline(always)]
pub(super) fn square(t: f32) -> f32 {
    t * t
}

/// The largest argument in integers, beyond which the square is constant.
const LARGEST: i32 = Kernel::Square.one();

/// Returns `t²` in units of `1 / `[`LARGEST`] of the largest square; `argument` is `t` times [`LARGEST`] over the
/// largest argument.
#[inline(always)]
pub(super) fn square_integer(argument: i32) -> i32 {
    let t = argument.clamp(-LARGEST, LARGEST - 1);
    (t * t) >> LARGEST.trailing_zeros()
}

/// The evaluator of [`Kernel::Square`].
#[derive(Clone, Copy, Debug)]
pub struct Square;

impl KernelEvaluator for Square {
    const KERNEL: Kernel = Kernel::Square;
    const INSTRUCTIONS: usize = 1;
    type Warps = NoWarps;
    type Values = [f32; 1];

    #[inline(always)]
    fn values(t: f32) -> [f32; 1] {
        [square(t)]
    }

    type Integers = [i32; 1];

    #[inline(always)]
    fn integers(t: u32, shift: u8) -> [i32; 1] {
        [square_integer((t as i32).wrapping_shr(shift.into()))]
    }
}
