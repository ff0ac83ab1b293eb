//! Estimates of programs that have a model by `static_model!`, for searches.
//!
//! The constants were fitted to programs of 67 random models, compiled with `opt-level = "s"` for a Cortex-M4F. Flash
//! is off by 2 % in the median in floating point and by 8 % in integers, by more than 16 and 30 % for one in ten.
//! Instructions are off by 4 and 5 %, by more than 14 and 13 % for one in ten. So the last model of a search is
//! compiled.

use std::collections::BTreeSet;

use srfm_runtime::Model;
use srfm_runtime::format::{LIMITED, Number, REPLACED, Warp};

use crate::cost::{Core, instruction_bound};
use crate::export::{Blob, outline};

/// Bytes of code in floating point and in integers: of one loop over features, of loops over several orders or kernels,
/// of several outputs, and of logarithms and square roots.
const BYTES: [[f64; 4]; 2] = [[640.0, 370.0, 175.0, 520.0], [440.0, 1040.0, 650.0, 300.0]];

/// Returns an estimate of the flash that a model takes.
pub fn flash(blob: &Blob, core: Core) -> usize {
    let model = blob.model();
    let [one, several, outputs, warps] = BYTES[usize::from(model.header().number != Number::F32)];
    let loops: BTreeSet<_> =
        model.blocks().filter(|block| block.features() > 0).map(|block| (block.kernel.name(), block.order)).collect();
    let costly = |warp: u8| matches!(Warp::of(warp & !(LIMITED | REPLACED)), Some(Warp::Log | Warp::Sqrt));
    let parts = [
        (true, one),
        (loops.len() > 1, several),
        (model.outputs() > 1, outputs),
        (model.prepared().iter().any(|prepared| costly(prepared.warp)), warps),
    ];
    let code: f64 = parts.iter().filter(|(has, _)| *has).map(|(_, bytes)| bytes).sum();
    // Code of other cores was 6 to 12 % larger.
    let factor = if core.target() == Core::CortexM4f.target() { 1.0 } else { 1.1 };
    blob.bytes().len() + outline(&model).constants + (factor * code) as usize
}

/// Returns an estimate of the instructions of a prediction.
pub fn instructions(model: &Model<'_>, core: Core) -> u32 {
    let mut features = 0.0;
    let mut inputs = 0.0;
    let mut in_loops = 0.0;
    let view = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    for block in model.blocks() {
        let count = block.features() as f64;
        let order = view.min(block.order.into()) as f64;
        features += count;
        inputs += count * order;
        in_loops += if order > 1.0 { count * order } else { 0.0 };
    }
    let outputs = model.outputs() as f64;
    let blocks = model.blocks().count() as f64;
    let bound = f64::from(instruction_bound(model, core));
    let estimate = match model.header().number {
        Number::F32 => {
            let prepared = 23.4 * model.prepared().len() as f64;
            37.0 + 73.0 * blocks + features * (6.7 + 5.8 * outputs) + 14.5 * inputs + prepared
        }
        number => {
            // Loops over the inputs of a feature stay loops.
            let rolled = if number == Number::I16 { 14.4 } else { 5.0 };
            (if model.outputs() > 1 { 0.66 } else { 0.95 }) * bound + rolled * in_loops
        }
    };
    estimate as u32
}
