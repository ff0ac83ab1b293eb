//! The evaluator of a kernel, as the loops over features see it.

use core::fmt::Debug;

use super::{IntegerValues, Values};
use crate::format::Kernel;
use crate::warp::Warps;

/// The code that evaluates a kernel.
pub trait KernelEvaluator: Copy + Debug {
    /// The kernel.
    const KERNEL: Kernel;

    /// The instructions of [`values`](Self::values) on a Cortex-M4F, counted by hand.
    const INSTRUCTIONS: usize;

    /// Whether the loops for one output are unrolled: this saves a twelfth of the instructions and takes four times the
    /// code.
    const UNROLLED: bool = false;

    /// The warps of inputs that the program has with this kernel.
    type Warps: Warps;

    /// The values that a feature adds to an output: one or several, each times an amplitude of its own.
    type Values: Values;

    /// Returns the values of a feature whose argument is `t`.
    fn values(t: f32) -> Self::Values;

    /// The values in an integer model, in units of `1 / `[`ONE`](super::segments::ONE).
    type Integers: IntegerValues;

    /// Returns the values of a feature in integers: `t` is a phase of 2³² a turn, or a number in two's complement that
    /// is to be shifted right by `shift` bits.
    fn integers(t: u32, shift: u8) -> Self::Integers;
}
