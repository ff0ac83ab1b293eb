//! What commands say about models and fits: the same content as text and as JSON.

mod candidate;
pub mod chart;
mod comparison;
mod evaluated;
mod evaluation;
mod predicted;
mod text;

use std::fmt;

use serde::Serialize;
use srfm_runtime::Model;

use srfm_trainer::cost::{Core, instruction_bound};
use srfm_trainer::export::{Blob, NumberFormat};
use srfm_trainer::warp::Warp;

pub use candidate::describe;
pub use comparison::ComparisonReport;
pub use evaluated::Evaluated;
pub use evaluation::{details, headline};
pub use predicted::{Predicted, Predictions};
pub use text::{counted, listed, percent, scientific, significant};

/// What a model file holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelSummary {
    /// Method that fitted it.
    pub method: String,
    /// Number format.
    pub number: &'static str,
    /// Nonlinearity of the features.
    pub kernel: String,
    /// Readings that a prediction takes.
    pub inputs: usize,
    /// Readings that the outputs depend on.
    pub active_inputs: usize,
    /// Inputs whose centre is subtracted on the device.
    pub centred_inputs: usize,
    /// Inputs that are warped, and how.
    pub warps: Vec<WarpedInput>,
    /// Values that a prediction gives.
    pub outputs: usize,
    /// Names of the classes that the outputs are scores of; empty where they are quantities.
    pub classes: Vec<String>,
    /// Number of features.
    pub features: usize,
    /// Features by their number of inputs: `[order, count]`.
    pub orders: Vec<(u16, usize)>,
    /// Terms of the linear block.
    pub linear_terms: usize,
    /// Flash that the model takes, in bytes.
    pub flash_bytes: usize,
    /// RAM that the parameters take, in bytes: they stay in flash.
    pub ram_bytes: usize,
    /// The most instructions of a prediction, for every core that has a bound.
    pub instructions: Vec<Instructions>,
    /// Smallest and largest reading of each input that is used, in the rows that were fitted; empty where the file does not say.
    pub ranges: Vec<InputRange>,
    /// The level of the intervals around predictions; null where the file has none.
    pub level: Option<f32>,
    /// Half the width of the interval of each output; empty where the file has none.
    pub half_widths: Vec<f32>,
    /// How much the outputs depend on each input, most important first; empty where the file does not say.
    pub importance: Vec<InputImportance>,
}

/// A warped input of a model file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WarpedInput {
    /// Number of the input, from 1: a file has no names.
    pub input: usize,
    /// Its warp.
    pub warp: Warp,
}

/// What a prediction takes on a core; see [`instruction_bound`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Instructions {
    /// The core.
    pub core: &'static str,
    /// The most instructions.
    pub at_most: u32,
}

/// An input of a model file and how much the outputs depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InputImportance {
    /// Number of the input, from 1: a file has no names.
    pub input: usize,
    /// Share of the variation of the outputs that goes back to it, to a 255th.
    pub share: f64,
    /// Features that look at it.
    pub occurrences: usize,
}

/// An input of a model file and its readings in the rows that were fitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InputRange {
    /// Number of the input, from 1: a file has no names.
    pub input: usize,
    /// The smallest reading.
    pub low: f32,
    /// The largest reading.
    pub high: f32,
}

/// Inputs whose importance a text names.
const MOST_IMPORTANT: usize = 6;

/// The first of some inputs and their shares in words.
pub fn shares<'a>(inputs: impl IntoIterator<Item = (impl fmt::Display + 'a, f64)>) -> String {
    let share = |(input, share)| format!("{input} {:.0} %", 100.0 * share);
    inputs.into_iter().take(MOST_IMPORTANT).map(share).collect::<Vec<_>>().join(", ")
}

/// The names of the kernels of a model, in the order of their first features.
fn kernel_names(model: &Model<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for block in model.blocks() {
        if !names.contains(&block.kernel.name()) {
            names.push(block.kernel.name());
        }
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl ModelSummary {
    /// Summarises a model file.
    pub fn of(blob: &Blob) -> ModelSummary {
        let model = blob.model();
        let mut orders: Vec<(u16, usize)> = Vec::new();
        for block in model.blocks() {
            let features = block.features();
            match orders.iter_mut().find(|(order, _)| *order == block.order) {
                Some((_, count)) => *count += features,
                None => orders.push((block.order, features)),
            }
        }
        let mut importance: Vec<InputImportance> = (1..)
            .zip(model.importance())
            .map(|(input, &share)| InputImportance {
                input,
                share: f64::from(share) / 255.0,
                occurrences: model.occurrences(input - 1),
            })
            .collect();
        importance.sort_by(|a, b| b.share.total_cmp(&a.share)); // stable: of equals the first
        let warped = model.prepared().iter().filter_map(|p| {
            Some(WarpedInput { input: usize::from(p.input) + 1, warp: srfm_runtime::format::Warp::of(p.warp)?.into() })
        });
        let ranges = (1..).zip(model.ranges()).map(|(input, [low, high])| InputRange { input, low, high });
        let instructions =
            |core: Core| instruction_bound(&model, core).map(|at_most| Instructions { core: core.name(), at_most });
        ModelSummary {
            method: model.header().method.to_owned(),
            number: NumberFormat::of(model.header().number).name(),
            kernel: kernel_names(&model),
            inputs: model.inputs(),
            active_inputs: (0..model.inputs()).filter(|&i| model.uses_input(i)).count(),
            centred_inputs: model.prepared().len(),
            warps: warped.filter(|w| w.warp.bends()).collect(),
            outputs: model.outputs(),
            classes: model.classes().map(str::to_owned).collect(),
            features: model.features(),
            orders,
            linear_terms: model.linear().inputs.iter().count(),
            flash_bytes: model.flash_bytes(),
            ram_bytes: 0,
            instructions: Core::ALL.into_iter().filter_map(instructions).collect(),
            ranges: ranges.filter(|range| range.low.is_finite()).collect(),
            level: model.level(),
            half_widths: (0..model.outputs()).filter_map(|output| model.half_width(output)).collect(),
            importance,
        }
    }
}

impl fmt::Display for ModelSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let orders: Vec<String> =
            self.orders.iter().map(|&(order, n)| format!("{n} of {}", counted(order.into(), "input"))).collect();
        writeln!(f, "method        {}", self.method)?;
        let kernel = if self.features == 0 { "no" } else { &self.kernel };
        writeln!(f, "number        {}, {kernel} features", self.number)?;
        writeln!(f, "inputs        {}, of which {} used", self.inputs, self.active_inputs)?;
        if !self.warps.is_empty() {
            let warps = self.warps.iter().map(|w| format!("input {} {}", w.input, w.warp.name()));
            writeln!(f, "warps         {}", warps.collect::<Vec<_>>().join(", "))?;
        }
        writeln!(f, "outputs       {}", self.outputs)?;
        if !self.classes.is_empty() {
            writeln!(f, "classes       {}", listed(&self.classes))?;
        }
        let orders = if orders.is_empty() { String::new() } else { format!(" ({})", orders.join(", ")) };
        writeln!(f, "features      {}{orders}", self.features)?;
        writeln!(f, "linear terms  {}", self.linear_terms)?;
        if let Some(interval) = interval(self.level, &self.half_widths) {
            writeln!(f, "interval      {interval}")?;
        }
        writeln!(f, "flash         {} bytes", self.flash_bytes)?;
        writeln!(f, "RAM           {} bytes (the parameters stay in flash)", self.ram_bytes)
    }
}

/// Intervals around predictions in words; none where there are none.
pub fn interval(level: Option<f32>, half_widths: &[f32]) -> Option<String> {
    let widths: Vec<String> = half_widths.iter().take(text::MOST_NAMES).map(|&h| significant(h.into())).collect();
    let more = if half_widths.len() > text::MOST_NAMES { ", …" } else { "" };
    Some(format!("± {}{more} at {:.0} %", widths.join(", "), 100.0 * level?))
}
