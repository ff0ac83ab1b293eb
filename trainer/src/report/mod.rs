//! What commands say about models and fits: the same content as text and as JSON.

pub mod chart;
mod comparison;
mod evaluated;
mod evaluation;
mod predicted;

use std::fmt;

use serde::Serialize;
use srfm_runtime::Model;

use crate::device::{Core, instruction_bound};
use crate::export::{Blob, NumberFormat};
use crate::warp::Warp;

pub use comparison::ComparisonReport;
pub use evaluated::Evaluated;
pub use predicted::{Predicted, Predictions};

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
    let widths: Vec<String> = half_widths.iter().take(MOST_NAMES).map(|&h| significant(h.into())).collect();
    let more = if half_widths.len() > MOST_NAMES { ", …" } else { "" };
    Some(format!("± {}{more} at {:.0} %", widths.join(", "), 100.0 * level?))
}

/// Names that a text lists.
const MOST_NAMES: usize = 12;

/// The first of some names, and how many there are more.
pub fn listed(names: &[String]) -> String {
    let (shown, more) = names.split_at(names.len().min(MOST_NAMES));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    format!("{}{more}", shown.join(", "))
}

/// A number and what it counts: `1 row`, `2 rows`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// The value with four significant digits, plain where that is short.
pub fn significant(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 || !value.is_finite() {
        value.to_string()
    } else if (1e-3..1e6).contains(&magnitude) {
        let decimals = (3 - magnitude.log10().floor() as i32).max(0) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.3e}")
    }
}

/// The value with up to three digits and an exponent: `2.5e-4`.
pub fn scientific(value: f64) -> String {
    let text = format!("{value:.2e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::{scientific, significant};

    #[test]
    fn zeros_at_the_end_are_left_out() {
        for (value, text) in [(2.5e-4, "2.5e-4"), (1.0, "1e0"), (1e-3 / 3.0, "3.33e-4"), (120.0, "1.2e2")] {
            assert_eq!(scientific(value), text);
        }
    }

    #[test]
    fn four_digits_are_significant() {
        let expected =
            [(1234.56, "1235"), (0.0123441, "0.01234"), (1.0, "1.000"), (1.5e-7, "1.500e-7"), (-2e9, "-2.000e9")];
        for (value, text) in expected {
            assert_eq!(significant(value), text);
        }
    }
}
