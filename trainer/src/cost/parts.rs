//! The parts of a prediction: how often each loop of the runtime's code goes round.
//!
//! A prediction takes one of a few paths through the runtime, given by number format, kernels and size. On every path
//! the number of instructions is a sum over parts, such as `feature of order 2`, each with a price.

use std::collections::BTreeMap;
use std::ops::{AddAssign, Mul};

use srfm_runtime::Model;
use srfm_runtime::format::{BUFFERED, Block, Indices, Kernel, LIMITED, Number, Prepared, REPLACED, UNROLLED, Warp};

use crate::trees::Walks;

/// The parts of a prediction.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// The path through the runtime.
    pub path: String,
    /// The number of times that each part is executed.
    pub counts: BTreeMap<String, usize>,
    /// The operations in floating point, which are calls where floating point is software.
    pub operations: Operations,
}

impl Parts {
    /// Returns the parts of a prediction; of an integer model, from integers to integers.
    pub fn new(model: &Model<'_>) -> Parts {
        let mut kernels: Vec<Kernel> = model.blocks().map(|block| block.kernel).collect();
        kernels.dedup();
        let kernel = match kernels[..] {
            _ if model.trees().is_some() => "several",
            [] => Kernel::Cosine.name(),
            [kernel] => kernel.name(),
            _ => "several",
        };
        let number = model.header().number;
        let outputs = model.outputs();
        let view = view(model);
        let mut parts =
            Parts { path: number.name().to_owned(), counts: BTreeMap::new(), operations: Operations::default() };
        parts.add("call", 1);
        parts.add("no block", usize::from(kernels.is_empty()));
        let unrolled = |block: Block<'_>| listed(&block) && usize::from(block.order) <= UNROLLED;
        let small = view <= BUFFERED && kernel != "several";
        if number == Number::F32 && small && outputs <= 4 && model.blocks().all(unrolled) {
            parts.path += &format!(" small {kernel} outputs {outputs}");
            parts.buffer(model);
            parts.small_f32(model);
        } else if number == Number::F32 {
            let buffered = !model.prepared().is_empty();
            if buffered {
                parts.buffer(model);
            }
            parts.path += if buffered { " buffer" } else { width(view) };
            parts.path += &format!(" {kernel}");
            parts.general_f32(model);
        } else if small && outputs == 1 {
            parts.path += &format!(" small {kernel}");
            parts.add("pair of inputs", view / 2);
            parts.add("last input", view % 2);
            parts.warps(model);
            parts.small_integers(model);
        } else {
            parts.path += &format!(" general {kernel}");
            parts.general_integers(model);
        }
        if number == Number::F32 {
            parts.operations = Operations::count(model);
        }
        parts.trees(model);
        parts.counts.retain(|_, &mut count| count > 0);
        parts
    }

    fn add(&mut self, part: &str, count: usize) {
        *self.counts.entry(part.to_owned()).or_default() += count;
    }

    /// Adds the walks down all trees, along the longest path of each.
    fn trees(&mut self, model: &Model<'_>) {
        let Some(trees) = model.trees() else { return };
        let walks = Walks::of(&trees);
        let outputs = model.outputs();
        let groups = if outputs == 1 { 1 } else { outputs.div_ceil(TREE_OUTPUTS) };
        let way = if outputs == 1 { "" } else { " with several outputs" };
        self.add(&format!("trees{way}"), 1);
        self.add("output of trees", if outputs == 1 { 0 } else { outputs });
        self.add(&format!("tree{way}"), groups * walks.trees);
        self.add(&format!("condition{way}"), groups * walks.conditions);
        self.add(&format!("amplitudes{way}"), groups * walks.amplitudes);
    }

    /// Adds the copy of readings to the buffer of small models, or their preparation.
    fn buffer(&mut self, model: &Model<'_>) {
        let inputs = model.inputs();
        let prepared = model.prepared().len();
        if prepared == 0 {
            self.add("four inputs", inputs / 4);
            self.add(&format!("{} inputs left", inputs % 4), 1);
            self.add("full buffer", inputs / BUFFERED);
        } else if !self.warps(model) {
            self.add("preparation", 1);
            self.add("prepared input", prepared);
        }
    }

    /// Adds the warps, limits and replacements of inputs. Returns whether there are any.
    fn warps(&mut self, model: &Model<'_>) -> bool {
        if !warped(model) {
            return false;
        }
        self.add("warps", 1);
        for prepared in model.prepared() {
            self.add(&format!("warp {}", warp(prepared)), 1);
            // A replacement takes fewer instructions than limits.
            let replaced = if model.header().number == Number::F32 { flag(prepared, REPLACED) } else { 0 };
            self.add("limited input", flag(prepared, LIMITED) + replaced);
        }
        true
    }

    /// Adds the terms, blocks and features of a small model in floating point.
    fn small_f32(&mut self, model: &Model<'_>) {
        let terms = usize::from(model.header().linear);
        self.add("linear terms", terms.min(1));
        self.add("linear term", terms);
        for block in model.blocks() {
            let order = block.order;
            let features = block.features();
            self.head(&block, &format!("order {order}"));
            self.add(&format!("feature of order {order}"), features);
            self.add(&format!("odd feature of order {order}"), features % 2);
            self.add(&format!("features left of fours of order {order}"), features % 4);
            self.add(&format!("fewer than four features of order {order}"), usize::from(features < 4));
        }
    }

    /// Adds the head of a block. A core without a division takes instructions for every bit of the number of features.
    fn head(&mut self, block: &Block<'_>, kind: &str) {
        let features = block.features();
        self.add(&format!("block {kind}"), 1);
        self.add(&format!("features {kind}"), features.min(1));
        self.add("bits of the number of features", (usize::BITS - features.leading_zeros()) as usize);
        self.add("ones of the number of features", features.count_ones() as usize);
    }

    /// Adds outputs, terms, blocks and features of any model in floating point.
    fn general_f32(&mut self, model: &Model<'_>) {
        let terms = usize::from(model.header().linear);
        let outputs = model.outputs();
        self.add("output", outputs);
        self.add("outputs left of fours", outputs % 4);
        self.add("linear terms", terms.min(1));
        self.add("linear term", terms);
        self.add("output of a linear term", terms * outputs);
        for block in model.blocks() {
            let order = usize::from(block.order);
            let features = block.features();
            let kind = format!("{} {}", block.kernel.name(), if listed(&block) { "listed" } else { "dense" });
            self.head(&block, &kind);
            let mut each = |part: &str, count: usize| self.add(&format!("{part} {kind}"), features * count);
            each("feature", 1);
            if listed(&block) {
                each("input", order);
            } else {
                each("four inputs", order / 4);
                each("some fours", usize::from(order >= 4));
                each("input left", order % 4);
                each("some inputs left", (order % 4).min(1));
            }
            each("pair of outputs", outputs / 2);
            each("some pairs of outputs", usize::from(outputs >= 2));
            each("last output", outputs % 2);
        }
    }

    /// Adds the terms, blocks and features of a small integer model.
    fn small_integers(&mut self, model: &Model<'_>) {
        let terms = usize::from(model.header().linear);
        self.add("linear terms", terms.min(1));
        self.add("linear term", terms);
        for block in model.blocks() {
            let order = usize::from(block.order);
            let features = block.features();
            let kind = match order {
                _ if !listed(&block) => "dense".to_owned(),
                1..=5 => format!("order {order}"),
                _ => "any order".to_owned(),
            };
            self.head(&block, &kind);
            let mut each = |part: &str, count: usize| self.add(&format!("{part} {kind}"), features * count);
            each("feature", 1);
            if !listed(&block) {
                each("pair of inputs", order / 2);
                each("last input", order % 2);
            } else if order > 5 {
                each("input", order);
                each("odd input", order % 2);
            }
            self.add(&format!("odd feature {kind}"), features % 2);
        }
    }

    /// Adds outputs, terms, blocks and features of any integer model. Inputs are warped whenever they are needed.
    fn general_integers(&mut self, model: &Model<'_>) {
        let terms = usize::from(model.header().linear);
        let outputs = model.outputs();
        let view = view(model);
        let width = width(view);
        let warped = warped(model);
        let prepared = |input: u16| model.prepared().get(usize::from(input));
        let warp = |input: u16| prepared(input).map_or("", warp);
        let limited = |input: u16| prepared(input).map_or(0, |prepared| flag(prepared, LIMITED));
        self.add("output", outputs);
        self.add("checked input", view);
        self.add("four outputs", outputs / 4);
        self.add("outputs left of fours", outputs % 4);
        self.add("four outputs or more", usize::from(outputs >= 4));
        self.add("warps", usize::from(warped));
        self.add(&format!("output of linear terms{width}"), outputs * terms.min(1));
        self.add(&format!("output of a linear term{width}"), outputs * terms);
        for input in model.linear().inputs.iter().filter(|_| warped) {
            self.add(&format!("linear term warp {}", warp(input)), outputs);
            self.add("linear term limited", outputs * limited(input));
        }
        for block in model.blocks() {
            let order = usize::from(block.order);
            let features = block.features();
            let kernel = block.kernel;
            let list = match block.indices {
                Indices::All { .. } => "dense",
                Indices::Narrow(_) => "narrow",
                Indices::Wide(_) => "wide",
                Indices::Packed { .. } => "packed",
            };
            let source = if warped { "warped" } else { "plain" };
            self.head(&block, &format!("{} {list}", kernel.name()));
            self.add(&format!("feature {} {list}", kernel.name()), features);
            self.add(&format!("sum {list} {source}"), features);
            self.add(&format!("input {list} {source}"), features * order);
            self.add(&format!("odd input {list} {source}"), features * (order % 2));
            for input in block.indices.iter().filter(|_| warped) {
                self.add(&format!("input warp {}", warp(input)), 1);
                self.add("input limited", limited(input));
            }
            let more = outputs - usize::from(kernel.scales().len() == 1);
            let mut each = |part: &str, count: usize| self.add(&format!("{part} {}", kernel.name()), features * count);
            each("more outputs", more.min(1));
            each("another output", more);
            each("odd output", more % 2);
            each("outputs left of fours", more % 4);
            each("four outputs or more", usize::from(more >= 4));
        }
    }
}

/// The outputs whose amplitudes a walk down a tree adds.
const TREE_OUTPUTS: usize = 4;

/// Returns the number of values that features refer to.
fn view(model: &Model<'_>) -> usize {
    if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() }
}

/// Returns whether a block has a list of inputs, rather than all inputs.
fn listed(block: &Block<'_>) -> bool {
    !matches!(block.indices, Indices::All { .. })
}

fn warped(model: &Model<'_>) -> bool {
    model.prepared().iter().any(|prepared| prepared.warp != 0)
}

fn warp(prepared: &Prepared) -> &'static str {
    Warp::of(prepared.warp_number()).unwrap_or(Warp::Identity).name()
}

/// Returns 1 for an input with the flag, otherwise 0.
fn flag(prepared: &Prepared, flag: u8) -> usize {
    usize::from(prepared.warp & flag != 0)
}

/// Returns the width of an index in the names of paths and parts.
fn width(view: usize) -> &'static str {
    if view > 256 { " wide" } else { " narrow" }
}

/// The names of the operations in the table of prices.
pub(crate) const NAMES: [&str; 6] = ["addition", "multiplication", "division", "comparison", "log", "sqrt"];

/// Numbers of operations, or their prices, in the order of [`NAMES`]: additions and subtractions, multiplications,
/// divisions, comparisons, and the warps, which are functions of one reading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Operations(pub [f64; NAMES.len()]);

impl Operations {
    /// A multiplication whose product is added to a sum.
    const TERM: Operations = Operations([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);

    /// Returns the operations of a prediction in floating point.
    pub fn count(model: &Model<'_>) -> Self {
        let outputs = model.outputs() as f64;
        let terms = f64::from(model.header().linear);
        let mut total = Operations::TERM * (outputs * terms);
        // An output is compared with both limits; beyond them once more, and with itself.
        total += Operations([0.0, 0.0, 0.0, 4.0, 0.0, 0.0]) * model.limits().len() as f64;
        for prepared in model.prepared() {
            let centring = Operations([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
            total += centring;
            total += Operations::warp(prepared.warp_number());
            // A reading is compared with itself, and with both limits.
            let compared = if prepared.warp & LIMITED != 0 { 3.0 } else { 1.0 };
            total += Operations([0.0, 0.0, 0.0, compared, 0.0, 0.0]);
        }
        for block in model.blocks() {
            let amplitudes = outputs * block.kernel.scales().len() as f64;
            let mut feature = Operations::TERM * (f64::from(block.order) + amplitudes);
            feature += Operations::kernel(block.kernel);
            total += feature * block.features() as f64;
        }
        if model.trees().is_some() {
            // A sum becomes a number in floating point, which takes no more than an addition.
            total += Operations([2.0, 1.0, 0.0, 0.0, 0.0, 0.0]) * outputs;
        }
        total
    }

    /// Returns the operations of the values of a feature, counted in the runtime's source.
    fn kernel(kernel: Kernel) -> Self {
        Operations(match kernel {
            Kernel::Cosine | Kernel::Polynomial => [7.0, 4.0, 0.0, 0.0, 0.0, 0.0],
            Kernel::Sincos => [10.0, 8.0, 0.0, 0.0, 0.0, 0.0],
            Kernel::Sigmoid => [8.0, 5.0, 1.0, 2.0, 0.0, 0.0],
            Kernel::Relu => [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            Kernel::Square => [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        })
    }

    fn warp(warp: u8) -> Self {
        Operations(match Warp::of(warp) {
            Some(Warp::Log) => [0.0, 0.0, 0.0, 0.0, 1.0, 0.0],
            Some(Warp::Sqrt) => [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            Some(Warp::Identity) | None => [0.0; NAMES.len()],
        })
    }

    /// Returns the instructions of the operations at these prices.
    pub fn priced(&self, prices: &Operations) -> f64 {
        let executed = self.0.into_iter().zip(prices.0).filter(|&(count, _)| count > 0.0);
        executed.map(|(count, price)| count * price).sum()
    }
}

impl Mul<f64> for Operations {
    type Output = Operations;

    fn mul(self, factor: f64) -> Operations {
        Operations(self.0.map(|count| count * factor))
    }
}

impl AddAssign for Operations {
    fn add_assign(&mut self, other: Operations) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, count)| *sum += count);
    }
}
