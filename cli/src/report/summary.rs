//! The contents of a model file, as text and as JSON.

use std::fmt;

use serde::Serialize;
use srfm_runtime::Model;
use srfm_runtime::format::{Confidence, REPLACED};
use srfm_trainer::cost::{Core, Deployment, Footprint, instruction_bound, instructions_mean};
use srfm_trainer::emulate::footprint;
use srfm_trainer::export::{Blob, NumberFormat};
use srfm_trainer::scaling::Warp;

use crate::report::history::{HistorySummary, PARSED_BYTES, history_bytes, ram};
use crate::report::text::{counted, interval, listed, significant};

/// The contents of a model file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelSummary {
    /// Name of the method.
    pub method: String,
    /// Number format.
    pub number: &'static str,
    /// Names of the kernels.
    pub kernel: String,
    /// Number of inputs.
    pub inputs: usize,
    /// Number of inputs that the outputs depend on.
    pub active_inputs: usize,
    /// Number of inputs that the device centres.
    pub centred_inputs: usize,
    /// Number of inputs whose missing readings the device replaces by their means.
    pub replaced_inputs: usize,
    /// Warped inputs.
    pub warps: Vec<WarpedInput>,
    /// The samples that the model looks back at; null if it takes the readings of one.
    pub history: Option<HistorySummary>,
    /// Number of outputs.
    pub outputs: usize,
    /// Names of the classes whose scores the outputs are; empty for quantities.
    pub classes: Vec<String>,
    /// Number of features.
    pub features: usize,
    /// Number of features of each order: `[order, count]`.
    pub orders: Vec<(u16, usize)>,
    /// Number of rules; left out of a model without rules.
    #[serde(skip_serializing_if = "is_zero")]
    pub rules: usize,
    /// Number of trees that the rules are stored in.
    #[serde(skip_serializing_if = "is_zero")]
    pub trees: usize,
    /// Number of linear terms.
    pub linear_terms: usize,
    /// Size in flash, in bytes.
    pub flash_bytes: usize,
    /// RAM that is kept between predictions, in bytes: that of the history; parameters stay in flash.
    pub ram_bytes: usize,
    /// The instructions of a prediction on every core; empty for a model with rules.
    pub instructions: Vec<Instructions>,
    /// What the model takes as a program of generated C, on cores with known sizes.
    pub programs: Vec<Footprint>,
    /// The least value of each output that any readings but missing ones can cause; empty for classes.
    pub output_min: Vec<f32>,
    /// The largest value of each output that any readings but missing ones can cause; empty for classes.
    pub output_max: Vec<f32>,
    /// Ranges of the used inputs in the fitted rows; empty if the file has no ranges.
    pub ranges: Vec<InputRange>,
    /// Level of the prediction intervals; null if the file has no intervals.
    pub level: Option<f32>,
    /// Half the width of each output's interval; empty if the file has no intervals.
    pub half_widths: Vec<f32>,
    /// How sure of a class the model must be to name it; left out where every row has a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Demanded>,
    /// Importance of each input, most important first; empty if the file has no importance.
    pub importance: Vec<InputImportance>,
    /// Names of the inputs; empty where they are not known.
    #[serde(skip)]
    pub names: Vec<String>,
    /// Names of the target columns; empty where they are not known.
    #[serde(skip)]
    pub targets: Vec<String>,
}

/// How sure of a class a model must be to name it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Demanded {
    /// The share of rows whose class is to be among those that the model cannot rule out.
    pub level: f32,
    /// The margin by which the score of a class must be above all others, or a single score differ from one half.
    pub margin: f32,
}

/// A warped input of a model file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WarpedInput {
    /// Number of the input, from 1, because a model file has no names.
    pub input: usize,
    /// The warp.
    pub warp: Warp,
}

/// The instructions of a prediction on a core.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Instructions {
    /// The core.
    pub core: &'static str,
    /// Upper bound for all readings; see [`instruction_bound`].
    pub at_most: u32,
    /// Mean for usual readings; see [`instructions_mean`].
    pub mean: u32,
}

/// An input of a model file and its importance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InputImportance {
    /// Number of the input, from 1.
    pub input: usize,
    /// Share of the outputs' variation that is due to the input, in steps of 1/255.
    pub share: f64,
    /// Number of features that use the input.
    pub occurrences: usize,
}

/// An input of a model file and its range in the fitted rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InputRange {
    /// Number of the input, from 1.
    pub input: usize,
    /// The smallest value.
    pub low: f32,
    /// The largest value.
    pub high: f32,
}

/// Returns whether a count is left out.
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Returns the names of the kernels of a model, in the order of their first features.
fn kernel_names(model: &Model<'_>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for block in model.blocks() {
        if !names.contains(&block.kernel.name()) {
            names.push(block.kernel.name());
        }
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Returns what a model takes as a program of generated C, on the cores where that is known.
pub fn programs(blob: &Blob) -> Vec<Footprint> {
    let program = |core| footprint(blob, &Deployment::C(core)).ok()?;
    Core::ALL.into_iter().filter_map(program).collect()
}

/// Returns the orders of a model's features and how many features have each.
fn orders(model: &Model<'_>) -> Vec<(u16, usize)> {
    let mut orders: Vec<(u16, usize)> = Vec::new();
    for block in model.blocks() {
        let features = block.features();
        match orders.iter_mut().find(|(order, _)| *order == block.order) {
            Some((_, count)) => *count += features,
            None => orders.push((block.order, features)),
        }
    }
    orders
}

impl ModelSummary {
    /// Returns the contents of a model file.
    pub fn of(blob: &Blob) -> ModelSummary {
        let model = blob.model();
        let mut importance: Vec<InputImportance> = (1..)
            .zip(model.importance())
            .map(|(input, &share)| InputImportance {
                input,
                share: f64::from(share) / 255.0,
                occurrences: model.occurrences(input - 1),
            })
            .collect();
        importance.sort_by(|a, b| b.share.total_cmp(&a.share)); // stable: ties keep the order of the inputs
        let warped = model.prepared().iter().filter_map(|p| {
            Some(WarpedInput {
                input: usize::from(p.input) + 1,
                warp: srfm_runtime::format::Warp::of(p.warp_number())?.into(),
            })
        });
        let ranges = (1..).zip(model.ranges()).map(|(input, [low, high])| InputRange { input, low, high });
        let instructions = |core: Core| Instructions {
            core: core.name(),
            at_most: instruction_bound(&model, core),
            mean: instructions_mean(&model, core),
        };
        ModelSummary {
            method: model.header().method.to_owned(),
            number: NumberFormat::from_number(model.header().number).name(),
            kernel: kernel_names(&model),
            inputs: model.inputs(),
            active_inputs: (0..model.inputs()).filter(|&i| model.uses_input(i)).count(),
            centred_inputs: model.prepared().len(),
            replaced_inputs: model.prepared().iter().filter(|p| p.warp & REPLACED != 0).count(),
            warps: warped.filter(|w| w.warp != Warp::Identity).collect(),
            history: HistorySummary::of(&model),
            outputs: model.outputs(),
            classes: model.classes().map(str::to_owned).collect(),
            features: model.features(),
            orders: orders(&model),
            rules: model.rules(),
            trees: model.trees().map_or(0, |trees| trees.count()),
            linear_terms: model.linear().inputs.iter().count(),
            flash_bytes: model.flash_bytes(),
            ram_bytes: history_bytes(&model),
            instructions: Core::ALL.map(instructions).into_iter().filter(|bound| bound.at_most < u32::MAX).collect(),
            programs: programs(blob),
            output_min: model.limits().map(|[low, _]| low).collect(),
            output_max: model.limits().map(|[_, high]| high).collect(),
            ranges: ranges.filter(|range| range.low.is_finite()).collect(),
            level: model.level(),
            half_widths: (0..model.outputs()).filter_map(|output| model.half_width(output)).collect(),
            confidence: model.confidence().map(|Confidence { level, margin }| Demanded { level, margin }),
            importance,
            names: Vec::new(),
            targets: Vec::new(),
        }
    }

    /// Adds the names of the inputs and of the target columns.
    pub fn named(self, names: Vec<String>, targets: Vec<String>) -> ModelSummary {
        ModelSummary { names, targets, ..self }
    }

    /// Returns the name of an input, or `input` and its number, which counts from 1.
    pub fn name(&self, input: usize) -> String {
        self.names.get(input - 1).cloned().unwrap_or_else(|| format!("input {input}"))
    }
}

impl fmt::Display for ModelSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let orders: Vec<String> =
            self.orders.iter().map(|&(order, n)| format!("{n} of {}", counted(order.into(), "input"))).collect();
        writeln!(f, "method        {}", self.method)?;
        let kernel = if self.features > 0 { &self.kernel } else { "no" };
        writeln!(f, "number        {}, {kernel} features", self.number)?;
        writeln!(f, "inputs        {}, of which {} used", self.inputs, self.active_inputs)?;
        if let Some(history) = &self.history {
            write!(f, "{history}")?;
        }
        if !self.warps.is_empty() {
            let warps = self.warps.iter().map(|w| format!("{} {}", self.name(w.input), w.warp.name()));
            writeln!(f, "warps         {}", warps.collect::<Vec<_>>().join(", "))?;
        }
        if !self.targets.is_empty() {
            writeln!(f, "target        {}", listed(&self.targets))?;
        }
        let from_to = |low: f32, high: f32| format!("from {} to {}", significant(low.into()), significant(high.into()));
        let limits = self.output_min.iter().zip(&self.output_max).map(|(&low, &high)| from_to(low, high));
        let limits = if self.output_min.is_empty() {
            String::new()
        } else {
            format!(", {}", listed(&limits.collect::<Vec<_>>()))
        };
        writeln!(f, "outputs       {}{limits}", self.outputs)?;
        if !self.classes.is_empty() {
            writeln!(f, "classes       {}", listed(&self.classes))?;
        }
        let orders = if orders.is_empty() { String::new() } else { format!(" ({})", orders.join(", ")) };
        writeln!(f, "features      {}{orders}", self.features)?;
        if self.rules > 0 {
            writeln!(f, "rules         {} in {}", self.rules, counted(self.trees, "tree"))?;
        }
        writeln!(f, "linear terms  {}", self.linear_terms)?;
        if let Some(Demanded { level, margin }) = self.confidence {
            let ahead = significant(margin.into());
            let level = (1e4 * f64::from(level)).round() / 1e2;
            writeln!(f, "confidence    {level} %: a class is named where its score is ahead by more than {ahead}")?;
        }
        if let Some(interval) = interval(self.level, &self.half_widths) {
            writeln!(f, "interval      {interval}")?;
        }
        writeln!(f, "flash         {} bytes", self.flash_bytes)?;
        writeln!(f, "RAM           {}", ram(self.ram_bytes, Some(PARSED_BYTES)))
    }
}
