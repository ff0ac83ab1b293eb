//! What a C source consists of, for its size and its instructions: constants, arrays, and pieces of code.

use std::collections::BTreeMap;

use srfm_runtime::Model;
use srfm_runtime::format::{Kernel, LIMITED, Number, REPLACED, Warp};

use super::style::Style;

/// The contents of a prediction in small code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// Bytes of the tables of parameters.
    pub parameters: usize,
    /// Bytes of the tables of kernels.
    pub constants: usize,
    /// Bytes of arrays on the stack.
    pub arrays: usize,
    /// How often each piece of code is written, and executed in a prediction.
    pub pieces: BTreeMap<String, [usize; 2]>,
    /// The kernels whose function several places call.
    shared: Vec<Kernel>,
}

impl Outline {
    /// Adds a piece of code.
    pub fn add(&mut self, piece: &str, written: usize, executed: usize) {
        if written + executed > 0 {
            let counts = self.pieces.entry(piece.to_owned()).or_default();
            *counts = [counts[0] + written, counts[1] + executed];
        }
    }

    /// Adds the preparation of `inputs` inputs as `warp` says, in straight lines or in a loop.
    pub fn add_preparation(&mut self, kind: &str, warp: u8, inputs: usize, straight: bool) {
        let written = if straight { inputs } else { 1 };
        let prefix = if straight { "straight" } else { "loop" };
        if !straight {
            self.add(&format!("{kind} preparation loop"), 1, 1);
        }
        let way = if straight { "straight" } else { "in a loop" };
        self.add(&format!("{kind} preparation {way}"), if straight { written } else { 0 }, inputs);
        for (flag, what) in [(LIMITED, "limited"), (REPLACED, "replaced")] {
            if warp & flag != 0 {
                self.add(&format!("{kind} {what} {prefix}"), written, inputs);
            }
        }
        if let Some(name @ (Warp::Log | Warp::Sqrt)) = Warp::of(warp & !(LIMITED | REPLACED)) {
            self.add(&format!("{kind} {}", name.name()), written, inputs);
            let function = format!("{kind} {} function", name.name());
            if !self.pieces.contains_key(&function) {
                self.add(&function, 1, 0);
            }
        }
    }

    /// Adds a block of features: code in straight lines, or a loop.
    pub(super) fn add_block(&mut self, block: &BlockOutline<'_>, outputs: usize) {
        let &BlockOutline { number, kernel, order, features, straight, list, local } = block;
        let head = number.name();
        // A compiler writes out the loop over a single feature.
        let prefix = match features {
            _ if straight => "straight",
            1 => "once",
            _ => "loop",
        };
        let written = if straight { features } else { 1 };
        let values = kernel.scales().len();
        if prefix == "loop" {
            let place = format!("{head} loop {list}");
            self.add(&format!("{head} loop"), 1, 1);
            let written_out = order <= super::features::WRITTEN_OUT;
            let named = if written_out { order.to_string() } else { "any".to_owned() };
            self.add(&format!("{place} order {named}"), written, features);
            self.add(&format!("{place} input"), 0, if written_out { 0 } else { features * order });
            if local {
                self.add(&format!("{place} local"), if written_out { order } else { 1 }, features * order);
            }
        } else {
            self.add(&format!("{head} {prefix} input"), written * order, features * order);
        }
        let called = if self.shared.contains(&kernel) { " call" } else { "" };
        self.add(&format!("{head} {} {prefix}{called}", kernel.name()), written, features);
        if outputs > 1 {
            self.add(&format!("{head} {prefix} outputs"), written, features);
            let unrolled = straight || outputs <= super::features::WRITTEN_OUT;
            let written = if unrolled { written * outputs * values } else { 0 };
            let what = if unrolled { "output" } else { "output in a loop" };
            self.add(&format!("{head} {prefix} {what}"), written, features * outputs * values);
            self.add(&format!("{head} {prefix} loop over outputs"), usize::from(!unrolled), 0);
        }
    }

    /// Adds the function of a kernel where several places call it; a compiler writes one in the place of its only call.
    pub fn add_functions(&mut self, model: &Model<'_>) {
        let outputs = model.outputs();
        let integers = model.header().number != Number::F32;
        for &kernel in Kernel::ALL {
            let blocks = model.blocks().filter(|block| block.kernel == kernel && block.features() > 0);
            let places: usize = blocks
                .map(|block| {
                    let (order, features) = (usize::from(block.order), block.features());
                    let straight = super::features::is_written_out(Style::Small, order, outputs, features);
                    if straight { features } else { 1 }
                })
                .sum();
            if places > 1 || places == 1 && integers && kernel == Kernel::Sincos {
                let head = model.header().number.name();
                self.add(&format!("{head} {} function", kernel.name()), 1, 0);
                self.shared.push(kernel);
            }
        }
    }
}

/// A block of features as a source writes them.
pub(super) struct BlockOutline<'a> {
    pub number: Number,
    pub kernel: Kernel,
    pub order: usize,
    pub features: usize,
    pub straight: bool,
    /// The name of the expression of inputs.
    pub list: &'a str,
    /// Whether the inputs are in an array on the stack, whose place takes code where an index is read from a table.
    pub local: bool,
}
