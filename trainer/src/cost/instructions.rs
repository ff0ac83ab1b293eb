//! Bounds of the instructions of a prediction, known without an emulator.
//!
//! A prediction goes through the inputs, the blocks, their features and the linear terms, each at a price of its own on every
//! core. The prices were fitted to exact counts and are checked against them by a test; a program that is compiled otherwise
//! than the firmware of `firmware-example` has prices of its own.

use srfm_runtime::Model;
use srfm_runtime::format::{BUFFERED, Block, Indices, Kernel, Number, Warp};

use crate::cost::Core;

/// Instructions that the parts of a prediction take at most.
struct Prices {
    /// What every prediction takes.
    call: u32,
    /// An input.
    input: u32,
    /// A prepared input; preparing is not counted where integers go in.
    prepared: u32,
    /// Having warps at all, any prepared input beside them, a logarithm and a square root.
    warps: [u32; 4],
    /// A block of features.
    block: u32,
    /// A feature of one input, of two, and so on.
    features: &'static [u32],
    /// Features of other numbers of inputs; none where there is no bound for them.
    others: Option<Others>,
    /// Having linear terms at all, and each of them.
    linear: [u32; 2],
}

/// Instructions that features take which are not unrolled.
struct Others {
    /// A block of them.
    block: u32,
    /// A feature, and each of its inputs.
    many: [u32; 2],
    /// A feature of all inputs, each pair of them and a last one by itself.
    all: [u32; 3],
}

impl Others {
    /// What a feature of such a block takes.
    fn feature(&self, block: &Block<'_>) -> u32 {
        let order = u32::from(block.order);
        if matches!(block.indices, Indices::All { .. }) {
            let [feature, pair, last] = self.all;
            return feature + pair * (order / 2) + last * (order % 2);
        }
        let [feature, input] = self.many;
        feature + input * order
    }
}

/// The most instructions that a prediction takes on `core`: of readings in floating point, of an integer model from integers to
/// integers.
///
/// None where there is no such bound: floating point in software takes more for some readings than for others, and models
/// with several outputs, more than 16 inputs, other features than cosines, or, in floating point, features of more than three
/// inputs are best run in the emulator.
pub fn instruction_bound(model: &Model<'_>, core: Core) -> Option<u32> {
    let number = model.header().number;
    let view = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let other_kernel = model.blocks().any(|block| block.kernel != Kernel::Cosine);
    if other_kernel || model.outputs() != 1 || view > BUFFERED {
        return None;
    }
    let prices = prices(core, number)?;
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

/// The prices of a core; none for floating point in software.
fn prices(core: Core, number: Number) -> Option<Prices> {
    // The logarithm of a Cortex-M0 counts zeros in software.
    let warps = match core {
        Core::CortexM0 => [43, 12, 74, 205],
        Core::CortexM3 | Core::CortexM4f | Core::CortexM7 | Core::CortexM33 => [26, 10, 25, 135],
        Core::Riscv32imac | Core::Riscv32imafc => [64, 8, 49, 162],
    };
    let integers = |call, input, block, features, (other, many, all), linear| {
        let others = Some(Others { block: other, many, all });
        Some(Prices { call, input, prepared: 0, warps, block, features, others, linear })
    };
    match (core, number) {
        (_, Number::F32) if !core.floating_point() => None,
        (Core::Riscv32imafc, Number::F32) => {
            let warps = [50, 2, 31, 28];
            Some(Prices {
                call: 116,
                input: 3,
                prepared: 9,
                warps,
                block: 75,
                features: &[27, 35, 43],
                others: None,
                linear: [4, 11],
            })
        }
        (_, Number::F32) => {
            let warps = [35, 6, 31, 27];
            let features = &[24, 27, 34];
            Some(Prices { call: 119, input: 2, prepared: 9, warps, block: 83, features, others: None, linear: [5, 9] })
        }
        (Core::CortexM0, Number::I32) => {
            integers(102, 5, 57, &[22, 29, 35, 42, 48], (260, [38, 9], [26, 14, 8]), [68, 57])
        }
        // The number of features is divided by words, in software: up to 140 instructions a block.
        (Core::CortexM0, Number::I16) => {
            integers(115, 5, 190, &[33, 39, 51, 56, 71], (325, [52, 13], [34, 12, 12]), [68, 57])
        }
        (Core::CortexM3, Number::I32) => integers(91, 2, 46, &[14, 17, 22, 26, 30], (96, [24, 7], [22, 7, 7]), [40, 7]),
        (Core::CortexM3, Number::I16) => {
            integers(106, 2, 69, &[18, 22, 27, 35, 47], (90, [34, 7], [20, 8, 8]), [40, 7])
        }
        (Core::CortexM4f | Core::CortexM7, Number::I32) => {
            integers(91, 2, 37, &[11, 14, 18, 21, 25], (97, [20, 7], [17, 7, 8]), [40, 7])
        }
        (Core::CortexM4f | Core::CortexM7, Number::I16) => {
            integers(106, 2, 69, &[14, 18, 23, 32, 44], (90, [31, 7], [16, 8, 8]), [40, 7])
        }
        (Core::CortexM33, Number::I32) => {
            integers(91, 2, 38, &[15, 18, 22, 25, 29], (96, [24, 7], [22, 7, 7]), [40, 7])
        }
        (Core::CortexM33, Number::I16) => {
            integers(106, 2, 68, &[18, 22, 27, 35, 46], (90, [35, 7], [20, 8, 8]), [40, 7])
        }
        (Core::Riscv32imac | Core::Riscv32imafc, Number::I32) => {
            integers(105, 5, 62, &[24, 31, 38, 45, 52], (90, [24, 10], [30, 11, 6]), [42, 15])
        }
        (Core::Riscv32imac | Core::Riscv32imafc, Number::I16) => {
            integers(135, 5, 75, &[27, 35, 43, 51, 59], (86, [32, 11], [31, 11, 11]), [42, 15])
        }
    }
}
