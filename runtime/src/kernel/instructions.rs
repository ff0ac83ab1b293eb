//! The cost of a feature, counted by hand.

use super::{KernelEvaluator, dispatch};
use crate::format::{Kernel, kernels};

/// Returns the instructions that a feature takes at least on a Cortex-M4F, counted by hand: one a load, an operation, a
/// multiply-add.
///
/// Masking an index, and adding and loading for its input, take an instruction each; two indices come in one load. The
/// loops take about a tenth more. With more than 3 inputs a feature, or more than [`BUFFERED`](crate::format::BUFFERED)
/// inputs, they take about 27 a feature and 3 an input more.
pub const fn instructions(kernel: Kernel, order: usize, outputs: usize) -> usize {
    let of_values = kernels!(dispatch, kernel, E => E::INSTRUCTIONS);
    let inputs = if order == 2 { 7 } else { 4 * order };
    kernel.words(order, 0) + inputs + order + of_values + 2 * kernel.scales().len() * outputs
}
