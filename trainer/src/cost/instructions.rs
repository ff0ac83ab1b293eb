//! Bounds of the instructions of a prediction, known without an emulator.
//!
//! A prediction is a sum of parts, such as inputs, blocks, features and outputs. Each part has a price on every core.
//! The prices were fitted to exact counts, and a test checks them against exact counts. They hold for the firmware of
//! `firmware-example`; other compiler options change them.

use srfm_runtime::Model;

use crate::cost::Core;
use crate::cost::parts::Parts;
use crate::cost::prices::{AT_MOST, Prices, USUAL};

/// The factor between the sum of prices and the bound: counts of models that the prices were not fitted to were up to
/// 1.8 % above the sum.
const SAFETY: f64 = 1.02;

/// The same on a Cortex-M0, where up to 2.4 % and 30 instructions were missing: it divides numbers of features in
/// software.
const SAFETY_M0: f64 = 1.035;

/// What the bound of a Cortex-M0 has beside.
const BESIDE_M0: f64 = 40.0;

/// Returns the largest number of instructions that a prediction takes on `core`. An integer model is counted from
/// integers to integers.
///
/// Readings that make a result of `f32` no number are left out. Where floating point is software, every operation
/// counts as much as its most expensive numbers take, such as subnormal ones: about twice the instructions that usual
/// readings take. [`instructions_mean`] states these.
pub fn instruction_bound(model: &Model<'_>, core: Core) -> u32 {
    // The conversion ends at the largest integer, which no budget allows.
    let (factor, beside) = if core == Core::CortexM0 { (SAFETY_M0, BESIDE_M0) } else { (SAFETY, 0.0) };
    (factor * instructions(model, core, AT_MOST) + beside).ceil() as u32
}

/// Returns the number of instructions that a prediction of usual readings takes on `core`: the sum of prices without
/// the factor of safety and, where floating point is software, with the usual price of every operation.
pub fn instructions_mean(model: &Model<'_>, core: Core) -> u32 {
    instructions(model, core, USUAL).ceil() as u32
}

fn instructions(model: &Model<'_>, core: Core, which: &str) -> f64 {
    let prices = Prices::table();
    let parts = Parts::of(model);
    let operations = parts.operations.priced(&prices.operations(which, core));
    prices.parts(&parts, core) + operations
}
