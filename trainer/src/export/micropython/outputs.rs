//! Outputs: sums with linear terms and limits, in units, with intervals and ranges.

use srfm_runtime::Model;

use super::literals::{float, halves};
use super::writer::Writer;
use crate::export::c::sections::values;
use crate::export::c::units::{Conversion, conversions, decimals};

/// The most linear terms that are written one after the other.
const FEW: usize = 8;

/// Writes the total of an output from its sum of features: `z` is the list of inputs, `sum` the variable.
pub(super) fn total(w: &mut Writer, model: &Model<'_>, output: usize, z: &str, sum: &str) {
    let intercept = model.intercepts()[output].cast_signed();
    if intercept != 0 {
        w.line(format!("{sum} += {intercept}"));
    }
    // Most sums are small integers, and need no wrapping.
    w.open(format!("if {sum} < -1073741824 or {sum} > 1073741823:"));
    w.line(format!("{sum} = (({sum} + 2147483648) & 4294967295) - 2147483648"));
    w.close();
    if !model.linear().inputs.is_empty() {
        linear(w, model, output, z, sum);
    }
    if let Some(limits) = model.limit_words().get(output).map(|limits| limits.map(u32::cast_signed)) {
        for (limit, sign, end) in [(limits[0], '<', i32::MIN), (limits[1], '>', i32::MAX)] {
            if limit != end {
                w.open(format!("if {sum} {sign} {limit}:"));
                w.line(format!("{sum} = {limit}"));
                w.close();
            }
        }
    }
}

/// Writes the linear terms of an output. Sums of products with either half of the weights are kept apart.
fn linear(w: &mut Writer, model: &Model<'_>, output: usize, z: &str, sum: &str) {
    let inputs: Vec<u16> = model.linear().inputs.iter().collect();
    let weights: Vec<[i32; 2]> =
        model.linear().weights.iter().skip(output).step_by(model.outputs()).map(signed_halves).collect();
    if inputs.len() <= FEW {
        for (name, half) in [("a", 0), ("b", 1)] {
            let terms = weights.iter().zip(&inputs).filter(|(weight, _)| weight[half] != 0);
            let terms: Vec<String> = terms.map(|(weight, input)| format!("{} * {z}[{input}]", weight[half])).collect();
            w.sum(name, &if terms.is_empty() { vec!["0".to_owned()] } else { terms });
        }
    } else {
        let weights: Vec<String> = weights.concat().iter().map(i32::to_string).collect();
        let table = w.table("linear", &weights);
        let counts = inputs.iter().enumerate().all(|(i, &input)| i == usize::from(input));
        let index = if counts { "i".to_owned() } else { format!("{}[i]", w.indices("inputs", &inputs)) };
        w.line(format!("f = {table}"));
        w.line("a = b = k = 0");
        w.open(format!("for i in range({}):", inputs.len()));
        w.line(format!("v = {z}[{index}]"));
        w.line("a += f[k] * v");
        w.line("b += f[k + 1] * v");
        w.line("k += 2");
        w.close();
    }
    let term = match model.shifts().linear {
        shift @ 16.. => format!("(a + (b >> 16)) >> {}", shift - 16),
        shift => format!("(a << {}) + (b >> {shift})", 16 - shift),
    };
    w.line(format!("{sum} += {term}"));
    w.line(format!("{sum} = -2147483648 if {sum} < -2147483648 else 2147483647 if {sum} > 2147483647 else {sum}"));
}

/// Returns the halves of a weight, which add up to it without wrapping.
fn signed_halves(weight: &u32) -> [i32; 2] {
    let lower = i32::from(halves(*weight)[1]);
    let upper = (i64::from(weight.cast_signed()) - i64::from(lower)) >> 16;
    [upper as i32, lower]
}

/// Writes the meaning of the outputs: scales, units, and half the widths of intervals.
pub(super) fn units(w: &mut Writer, model: &Model<'_>, unit: Option<f64>) {
    let suffix = |output: usize| if model.outputs() == 1 { String::new() } else { format!("_{output}") };
    w.line("");
    w.comment("An output y of predict_integers stands for OFFSET + STEP * y.");
    for (output, scale) in model.scales().iter().enumerate() {
        w.line(format!("OFFSET{} = {}", suffix(output), float(scale.offset)));
        w.line(format!("STEP{} = {}", suffix(output), float(scale.step)));
    }
    let widths: Vec<f32> = (0..model.outputs()).filter_map(|output| model.half_width(output)).collect();
    if let Some(level) = model.level().filter(|level| level.is_finite() && widths.iter().all(|width| width.is_finite()))
    {
        w.line("");
        w.comment("Half the width of the interval around an output that holds a share LEVEL of the targets.");
        w.line(format!("LEVEL = {}", float(level)));
        for (output, width) in widths.iter().enumerate() {
            w.line(format!("HALF_WIDTH{} = {}", suffix(output), float(*width)));
        }
    }
    let Some((unit, conversions)) = unit.and_then(|unit| Some((unit, conversions(model, unit)?))) else { return };
    if let Some(decimals) = decimals(unit) {
        w.line("");
        w.line(format!("DECIMALS = const({decimals})  # the digits behind the decimal point of in_units"));
    }
    for (output, Conversion { factor, offset, bits }) in conversions.into_iter().enumerate() {
        w.function(
            &format!("in_units{}(y)", suffix(output)),
            &format!("Returns an output of predict_integers in units of {unit}, to the nearest whole number."),
        );
        w.line(format!("return (y * {factor} + {offset}) >> {bits}"));
        w.close();
    }
}

/// Writes the count of integers outside of the ranges, for a model whose readings go in as they are.
pub(super) fn outside(w: &mut Writer, model: &Model<'_>) {
    let ranges: Vec<[f32; 2]> = model.ranges().collect();
    if ranges.is_empty() || !model.takes_counts() || !model.samples().is_empty() {
        return;
    }
    let least = f32::from(-i16::MAX);
    let limits = (0..values(model)).flat_map(|value| {
        let input = model.prepared().get(value).map_or(value, |prepared| prepared.input.into());
        let [low, high] = ranges.get(input).copied().unwrap_or([least, f32::INFINITY]);
        [low.ceil().max(least) as i16, high.floor().min(f32::from(i16::MAX)) as i16]
    });
    let limits: Vec<String> = limits.map(|limit| limit.to_string()).collect();
    let table = w.table("ranges", &limits);
    w.function(
        "outside_integers(z)",
        "Counts the integers outside of the range of their input in the fitted rows. A missing one is outside.",
    );
    w.line("n = 0");
    w.open("for i in range(VALUES):");
    w.open(format!("if not {table}[2 * i] <= z[i] <= {table}[2 * i + 1]:"));
    w.line("n += 1");
    w.close();
    w.close();
    w.line("return n");
    w.close();
}
