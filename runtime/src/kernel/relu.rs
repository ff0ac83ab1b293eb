//! Rectified linear features: `y += a max(⟨w, z⟩ + b, 0)`.
//!
//! | in `f32` | |
//! |---|---|
//! | range | `abs(⟨w, z⟩ + b)` below 2¹²⁷; beyond it the result is infinite or NaN |
//! | largest error of [`scaled_relu`], times the scale | none |
//! | operations of [`scaled_relu`] | an absolute value and an addition; no branch |
//! | instructions a feature of two inputs, Cortex-M4F | 19 with one output, 23 with three |
//!
//! Counted by hand a feature takes 14 and 2 an output: 3 loads of bias and weights, 7 for the two inputs, 2
//! multiply-adds, 2 to rectify; for an output a load and a multiply-add.
//!
//! In integers the range is that of arguments whose worst case over all inputs fits 32 bits, which the writer ensures.
//! The largest error of [`relu`] is one unit.

use super::KernelEvaluator;
use crate::format::Kernel;
use crate::warp::NoWarps;

/// Returns `max(t, 0)` over the scale of the kernel: twice the positive part.
#[inline(always)]
pub(super) fn scaled_relu(t: f32) -> f32 {
    t + t.abs() // a comparison would take twice the instructions
}

/// The integer that stands for the largest rectified argument. It has more bits than the unit of the other kernels
/// because most arguments are far smaller.
pub(super) const RELU_ONE: i32 = Kernel::Relu.one();

/// Returns `max(t, 0)` in units of `1 / `[`RELU_ONE`] of the largest argument; `argument` is `t` times 2³¹.
#[inline(always)]
pub(super) fn relu(argument: i32) -> i32 {
    argument.max(0) >> (31 - RELU_ONE.trailing_zeros())
}

/// The evaluator of [`Kernel::Relu`].
#[derive(Clone, Copy, Debug)]
pub struct Relu;

impl KernelEvaluator for Relu {
    const KERNEL: Kernel = Kernel::Relu;
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
        [relu(t as i32)]
    }
}
