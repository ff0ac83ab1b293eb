//! The outputs of predictions in integers: sums of features, with linear terms and limits.

use srfm_runtime::Model;

use super::indices::index_of;
use super::inputs::SHORTEST_LOOP;
use super::literals::{long, word};
use super::outputs::{result, sum_of};
use super::parts::Part;
use super::writer::{Type, Writer};

/// Writes the linear terms and the limits of an output.
pub(super) fn write(w: &mut Writer<'_>, model: &Model<'_>, output: usize, z: &str) {
    let (outputs, linear) = (model.outputs(), model.linear());
    let inputs: Vec<u16> = linear.inputs.iter().collect();
    let weights: Vec<i32> = linear.weights.iter().skip(output).step_by(outputs).map(|&weight| weight as i32).collect();
    let mut value = format!("model_signed({})", sum_of(outputs, &output.to_string()));
    let scoped = !inputs.is_empty() && outputs > 1;
    if scoped {
        w.line("{");
    }
    if !inputs.is_empty() {
        w.need(Part::Total);
        w.outline().add("linear terms", 1, 1);
        w.line("int64_t linear = 0;");
        if inputs.len() < SHORTEST_LOOP {
            for (weight, input) in weights.iter().zip(&inputs) {
                w.line(format!("linear += (int64_t){} * {z}[{input}];", long(*weight)));
                w.outline().add("linear term", 1, 1);
            }
        } else {
            let words = weights.iter().map(|&weight| word(weight as u32)).collect();
            let table = w.table(Type::Word, "linear", words);
            let weight = Type::Word.read(&table, "i");
            let index = index_of(w, &inputs, "i");
            let list = if index == "i" { "counted" } else { "listed" };
            w.outline().add(&format!("linear loop {list}"), 1, inputs.len());
            w.begin_loop("i", inputs.len());
            w.line(format!("linear += (int64_t)model_signed({weight}) * {z}[{index}];"));
            w.line("}");
        }
        let sum = sum_of(outputs, &output.to_string());
        value = format!("model_total({sum}, linear >> {})", model.shifts().linear);
    }
    if let Some(limits) = model.limit_words().get(output).map(|limits| limits.map(|word| word as i32))
        && limits != [i32::MIN, i32::MAX]
    {
        w.need(Part::LimitedInteger);
        w.outline().add(if outputs == 1 { "integer limit" } else { "integer limits" }, 1, 1);
        value = format!("model_limited_integer({value}, {}, {})", long(limits[0]), long(limits[1]));
    }
    w.line(match outputs {
        1 => format!("*y = {value};"),
        _ => format!("{} = {value};", result(outputs, &output.to_string())),
    });
    if scoped {
        w.line("}");
    }
}
