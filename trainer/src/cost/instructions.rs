//! Bounds of the instructions of a prediction, known without an emulator.
//!
//! A prediction goes through the inputs, the blocks, their features and the linear terms. Each has a price on every
//! core. The prices were fitted to exact counts, and a test checks them against exact counts. They hold for the
//! firmware of `firmware-example`; other compiler options change them.

use srfm_runtime::Model;
use srfm_runtime::format::{BUFFERED, Indices, Kernel, Warp};

use crate::cost::Core;

/// Returns the largest number of instructions that a prediction takes on `core`. An integer model is counted from
/// integers to integers.
///
/// Some models have no bound: those in floating point on a core that computes it in software, those with several
/// outputs, more than 16 inputs or features other than cosines, and those with features of more than three inputs in
/// floating point. The emulator counts their instructions.
pub fn instruction_bound(model: &Model<'_>, core: Core) -> Option<u32> {
    let number = model.header().number;
    let view = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let other_kernel = model.blocks().any(|block| block.kernel != Kernel::Cosine);
    if other_kernel || model.outputs() != 1 || view > BUFFERED {
        return None;
    }
    let prices = core.prices().of(number)?;
    let mut total = prices.call + prices.input * view as u32 + prices.prepared * model.prepared().len() as u32;
    let warps = |number: u8| model.prepared().iter().filter(|p| p.warp == number).count() as u32;
    let (logs, roots) = (warps(Warp::Log.number()), warps(Warp::Sqrt.number()));
    if logs + roots > 0 {
        let [first, each, log, root] = prices.warps;
        total += first + each * model.prepared().len() as u32 + log * logs + root * roots;
    }
    for block in model.blocks() {
        let place = usize::from(block.order).checked_sub(1).filter(|_| !matches!(block.indices, Indices::All { .. }));
        let unrolled = place.and_then(|place| prices.features.get(place));
        let (head, feature) = match (unrolled, &prices.others) {
            (Some(&feature), _) => (prices.block, feature),
            (None, Some(others)) => (others.block, others.feature(&block)),
            (None, None) => return None,
        };
        total += head + feature * block.features() as u32;
    }
    let terms = u32::from(model.header().linear);
    let [first, each] = prices.linear;
    Some(total + if terms > 0 { first + each * terms } else { 0 })
}
