//! Constants for the places of readings.

use srfm_runtime::Model;

use super::literals::comment;
use super::writer::Writer;
use crate::export::c::names::constants;
use crate::export::c::sections::values;

/// Writes the sizes of the model and the places of its readings, whose names may be unknown.
pub(super) fn write(w: &mut Writer, model: &Model<'_>, inputs: &[String]) {
    let lags = model.samples();
    w.line(format!("INPUTS = const({})", model.inputs()));
    w.line(format!("OUTPUTS = const({})", model.outputs()));
    w.line(format!("VALUES = const({})  # the integers of a prediction", values(model)));
    if !lags.is_empty() {
        w.line(format!("CHANNELS = const({})  # the readings of a sample", lags.channels()));
        w.line(format!("SLOTS = const({})", lags.slots()));
        w.line(format!("DEPTH = const({})  # the samples that a prediction takes", lags.depth()));
    }
    w.line("MISSING = const(-32768)  # stands for a missing reading in the integers of a prediction");
    if model.classes().count() > 0 && model.confidence().is_some() {
        w.line("UNCERTAIN = const(-1)  # in place of a class: the model is not as sure of one as it must be");
    }
    let names = constants(inputs);
    let all: Vec<(&String, &String)> = names.iter().zip(inputs).collect();
    if !lags.is_empty() {
        return places(w, "CHANNEL", "The readings of a sample.", &all);
    }
    let of_values: Vec<usize> = match model.prepared() {
        [] => (0..model.inputs()).collect(),
        prepared => prepared.iter().map(|prepared| prepared.input.into()).collect(),
    };
    let values: Vec<(&String, &String)> = of_values.iter().filter_map(|&input| all.get(input).copied()).collect();
    places(w, "VALUE", "The integers of a prediction.", &values);
    if !model.takes_counts() {
        places(w, "INPUT", "The readings.", &all);
    }
}

/// Writes the places of a list.
fn places(w: &mut Writer, prefix: &str, what: &str, names: &[(&String, &String)]) {
    if names.is_empty() {
        return;
    }
    w.line("");
    w.comment(what);
    for (place, (name, input)) in names.iter().enumerate() {
        w.line(format!("{prefix}_{name} = const({place})  # {}", comment(input)));
    }
}
