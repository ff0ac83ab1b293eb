//! What the functions of generated C take beside the one that budgets count, by a table of measured functions.

use std::sync::LazyLock;

use srfm_runtime::Model;
use srfm_runtime::format::Number;

use crate::cost::programs::{Price, Programs};
use crate::cost::{Core, Deployment};
use crate::export::{Blob, Outline};

/// The table: piece, then bytes and instructions on every core.
const TABLE: &str = include_str!("functions.csv");

/// What a function of generated C takes of a core, with all that it calls.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionCost {
    /// The name without that of the model, such as `predict`.
    pub function: &'static str,
    /// The core.
    pub core: Core,
    /// Bytes of flash.
    pub flash_bytes: usize,
    /// Instructions of a call.
    pub instructions: usize,
}

/// The functions of a model that do not predict, with the numbers of values that their loops go through.
pub(crate) fn helpers(model: &Model<'_>) -> Vec<(&'static str, usize)> {
    let integers = model.header().number != Number::F32;
    let has_ranges = model.ranges().len() > 0;
    let classes = model.classes().count();
    let values = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let readings = if model.samples().is_empty() { model.inputs() } else { 0 };
    let mut all = Vec::new();
    if integers && readings > 0 {
        all.push(("prepare", values));
    }
    if has_ranges {
        all.push(("outside", model.inputs()));
    }
    if has_ranges && model.takes_counts() && readings > 0 {
        all.push(("outside_integers", values));
    }
    if integers && classes == 0 {
        all.push(("in_units", 0));
    }
    if classes > 0 {
        all.push(if model.outputs() == 1 { ("class_of", 0) } else { ("class_of several", classes) });
        if model.slope().is_finite() {
            all.push(if model.outputs() == 1 { ("probabilities", 0) } else { ("probabilities several", classes) });
        }
        if model.slope().is_finite() && integers {
            all.push(match model.outputs() {
                1 => ("probabilities_of_integers", 0),
                _ => ("probabilities_of_integers several", classes),
            });
        }
    }
    all
}

/// Returns the pieces of a function that does not predict.
pub(crate) fn pieces(function: &str, values: usize) -> Outline {
    let mut outline = Outline::default();
    outline.add(function, 1, 1);
    outline.add(&format!("{function} value"), values, values);
    outline
}

/// Returns the name of the prediction from readings to units, and its pieces beside those of the prediction that
/// budgets count. The latter prepares readings that are no counts.
pub(crate) fn from_readings(model: &Model<'_>) -> (&'static str, Outline) {
    let function = if model.takes_counts() { "predict" } else { "predict prepared" };
    let values = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let mut outline = pieces(function, if model.takes_counts() { values } else { 0 });
    outline.add(&format!("{function} output"), model.outputs(), model.outputs());
    (function, outline)
}

/// Returns what the functions of a model's C source take of a core, beside the one that budgets count; none where that
/// is not known. Bytes count all that a function calls, so that those of two functions may share some.
pub fn function_costs(blob: &Blob, core: Core) -> Vec<FunctionCost> {
    static FUNCTIONS: LazyLock<Programs> = LazyLock::new(|| Programs::read(TABLE));
    let model = blob.model();
    let Some(budgeted) = Deployment::C(core).footprint(&model) else { return Vec::new() };
    let mut costs = Vec::new();
    let mut add = |function: &'static str, outline: &Outline, before: [f64; 2]| {
        let Price { bytes, instructions, .. } = FUNCTIONS.code(outline, core);
        if bytes.is_finite() && instructions.is_finite() {
            let function = function.trim_end_matches(" several").trim_end_matches(" prepared");
            let flash_bytes = (before[0] + bytes).max(0.0).round() as usize;
            let instructions = (before[1] + instructions).max(1.0).round() as usize;
            costs.push(FunctionCost { function, core, flash_bytes, instructions });
        }
    };
    let is_quantity = model.classes().count() == 0 && model.samples().is_empty();
    if model.header().number != Number::F32 && is_quantity {
        let before = [budgeted.flash_bytes as f64, budgeted.instructions.map_or(f64::INFINITY, f64::from)];
        let (function, outline) = from_readings(&model);
        add(function, &outline, before);
    }
    for (function, values) in helpers(&model) {
        add(function, &pieces(function, values), [0.0; 2]);
    }
    costs
}
