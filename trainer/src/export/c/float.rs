//! Predictions in floating point.

use srfm_runtime::Model;
use srfm_runtime::format::{Block, Kernel, Number};

use super::features::{Feature, features, is_written_out, place, unrolled};
use super::indices::{InputList, index_of};
use super::literals::{float, float_of};
use super::outline::BlockOutline;
use super::outputs::{begin_predict, result};
use super::parts::Part;
use super::style::Style;
use super::writer::{Type, Writer};
use super::{inputs, trees};

/// The terms of a sum, as expressions of the index of the term.
struct Terms<'a> {
    kernel: Kernel,
    order: usize,
    bias: String,
    weight: &'a dyn Fn(&str) -> String,
    input: &'a dyn Fn(&str) -> String,
    /// An amplitude: of a value of the kernel, for an output.
    amplitude: &'a dyn Fn(&str, usize) -> String,
    written_out: bool,
}

/// Writes the prediction of a model in floating point.
pub(super) fn predict(w: &mut Writer<'_>, model: &Model<'_>, style: Style) {
    let (outputs, prepared) = (model.outputs(), model.prepared());
    let z = if prepared.is_empty() { "x" } else { "z" };
    w.need(Part::Product);
    begin_predict(w, outputs);
    w.outline().add(if outputs == 1 { "f32" } else { "f32 outputs" }, 1, 1);
    w.outline().add("f32 intercept", outputs - 1, outputs - 1);
    w.outline().add_functions(model);
    w.outline().arrays = 4 * prepared.len();
    if !prepared.is_empty() {
        w.line(format!("float z[{}];", prepared.len()));
    }
    if outputs == 1 {
        w.line(format!("float y = {};", float_of(model.intercepts()[0])));
    }
    inputs::prepare(w, model);
    if outputs > 1 {
        for (output, &intercept) in model.intercepts().iter().enumerate() {
            w.line(format!("y[{output}] = {};", float_of(intercept)));
        }
    }
    if model.features() == 0 && model.linear().inputs.is_empty() {
        w.line(format!("(void){z};"));
    }
    linear(w, model, style, z);
    for block in model.blocks().filter(|block| block.features() > 0) {
        add_block(w, &block, outputs, style, z);
    }
    trees::add_floats(w, model, style);
    limit(w, model, z);
    if outputs == 1 {
        w.line("return y;");
    }
    w.line("}");
}

/// Writes the linear terms.
fn linear(w: &mut Writer<'_>, model: &Model<'_>, style: Style, z: &str) {
    let (linear, outputs) = (model.linear(), model.outputs());
    let inputs: Vec<u16> = linear.inputs.iter().collect();
    if is_written_out(style, 1, outputs, inputs.len()) || inputs.len() == 1 && outputs == 1 {
        for (weights, input) in linear.weights.chunks_exact(outputs).zip(&inputs) {
            for (output, &weight) in weights.iter().enumerate() {
                let y = result(outputs, &output.to_string());
                w.line(format!("{y} += model_product({}, {z}[{input}]);", float_of(weight)));
                w.outline().add("f32 linear term", 1, 1);
            }
        }
    } else if !inputs.is_empty() {
        let weights = w.table(Type::Float, "linear", linear.weights.iter().map(|&word| float_of(word)).collect());
        let input = index_of(w, &inputs, "i");
        let list = if input == "i" { "counted" } else { "listed" };
        w.outline().add("f32 linear loop", 0, 1);
        w.outline().add(&format!("f32 linear loop {list}"), 1, inputs.len());
        w.outline().add("f32 linear output", outputs.min(5) - 1, inputs.len() * (outputs - 1));
        w.begin_loop("i", inputs.len());
        w.line(format!("const float input = {z}[{input}];"));
        for_outputs(w, outputs, false, |output| {
            let index = if outputs == 1 { "i".to_owned() } else { format!("{outputs}u * i + {}", place(0, 1, output)) };
            let weight = Type::Float.read(&weights, &index);
            vec![format!("{} += model_product({weight}, input);", result(outputs, output))]
        });
        w.line("}");
    }
}

/// Writes statements for every output: one after the other, or in a loop.
pub(super) fn for_outputs(
    w: &mut Writer<'_>,
    outputs: usize,
    written_out: bool,
    statements: impl Fn(&str) -> Vec<String>,
) {
    match unrolled(outputs, written_out) {
        Some(outputs) => outputs.iter().flat_map(|output| statements(output)).for_each(|s| w.line(s)),
        None => {
            w.line(format!("for (size_t o = 0; o < {outputs}u; o++) {{"));
            statements("o").into_iter().for_each(|s| w.line(s));
            w.line("}");
        }
    }
}

/// Writes a block of features.
fn add_block(w: &mut Writer<'_>, block: &Block<'_>, outputs: usize, style: Style, z: &str) {
    let (kernel, order) = (block.kernel, usize::from(block.order));
    let all = features(block, Number::F32, outputs);
    let values = kernel.scales().len();
    let (number, features, local) = (Number::F32, all.len(), z == "z");
    let of = |straight, list| BlockOutline { number, kernel, order, features, straight, list, local };
    if is_written_out(style, order, outputs, all.len()) {
        w.outline().add_block(&of(true, "known"), outputs);
        for Feature { bias, weights, inputs, amplitudes } in &all {
            let at = |index: &str| index.parse::<usize>().unwrap_or(0);
            w.line("{");
            let terms = Terms {
                kernel,
                order,
                bias: float_of(*bias),
                weight: &|k| float_of(weights[at(k)]),
                input: &|k| format!("{z}[{}]", inputs[at(k)]),
                amplitude: &|output, value| float_of(amplitudes[at(output) * values + value]),
                written_out: true,
            };
            add_feature(w, &terms, outputs);
            w.line("}");
        }
        return;
    }
    let first = usize::from(kernel.has_bias());
    let stride = kernel.words(order, outputs);
    let words = block.records.iter().map(|&word| float_of(word)).collect();
    let table = w.table(Type::Float, "features", words);
    let list = InputList::new(w, &all, order, unrolled(order, false).is_some());
    w.begin_loop("j", all.len());
    w.line(format!("const float *record = &{table}[{}];", place(0, stride, "j")));
    w.outline().add_block(&of(false, list.name()), outputs);
    list.begin(w);
    let terms = Terms {
        kernel,
        order,
        bias: Type::Float.read("record", "0"),
        weight: &|k| Type::Float.read("record", &place(first, 1, k)),
        input: &|k| format!("{z}[{}]", list.input(k)),
        amplitude: &|output, value| Type::Float.read("record", &place(first + order + value, values, output)),
        written_out: false,
    };
    add_feature(w, &terms, outputs);
    w.line("}");
}

/// Returns the part of a kernel and its function.
pub(super) fn kernel_part(kernel: Kernel) -> (Part, &'static str) {
    match kernel {
        Kernel::Cosine | Kernel::Polynomial => (Part::Cosine, "model_cosine"),
        Kernel::Sincos => (Part::Sincos, "model_sincos"),
        Kernel::Sigmoid => (Part::Sigmoid, "model_sigmoid"),
        Kernel::Relu => (Part::Relu, "model_relu"),
        Kernel::Square => (Part::Square, "model_square"),
    }
}

/// Writes the sum of a feature's terms and the statements that add its values to the outputs.
fn add_feature(w: &mut Writer<'_>, terms: &Terms<'_>, outputs: usize) {
    let &Terms { kernel, order, ref bias, weight, input, amplitude, written_out } = terms;
    // Negative zero leaves the sum after it as it is.
    let bias = if kernel.has_bias() { bias.clone() } else { float(-0.0) };
    let product = |k: &str| format!("model_product({}, {})", weight(k), input(k));
    w.line(format!("float t = {bias};"));
    match unrolled(order, written_out) {
        Some(indices) => indices.iter().for_each(|k| w.line(format!("t += {};", product(k)))),
        None => {
            w.line(format!("for (size_t k = 0; k < {order}u; k++) {{"));
            w.line(format!("t += {};", product("k")));
            w.line("}");
        }
    }
    let (part, function) = kernel_part(kernel);
    w.need(part);
    let values: &[&str] = if kernel == Kernel::Sincos { &["values[0]", "values[1]"] } else { &["t"] };
    if kernel == Kernel::Sincos {
        w.line("float values[2];");
        w.line(format!("{function}(t, values);"));
    } else {
        w.line(format!("t = {function}(t);"));
    }
    for_outputs(w, outputs, written_out, |output| {
        let y = result(outputs, output);
        let add = |(v, value)| format!("{y} += model_product({}, {value});", amplitude(output, v));
        values.iter().enumerate().map(add).collect()
    });
}

/// Writes the limits of the outputs.
fn limit(w: &mut Writer<'_>, model: &Model<'_>, z: &str) {
    let (limits, outputs) = (model.limit_words(), model.outputs());
    if limits.is_empty() {
        return;
    }
    w.need(Part::Limited);
    w.outline().add(if outputs == 1 { "f32 limit" } else { "f32 limits" }, outputs.min(3), outputs);
    let count = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let line = |output: &str, low: &str, high: &str| {
        let y = result(outputs, output);
        format!("{y} = model_limited({y}, {low}, {high}, {z}, {count}u);")
    };
    if outputs <= 2 {
        for (output, limits) in limits.iter().enumerate() {
            let [low, high] = limits.map(float_of);
            w.line(line(&output.to_string(), &low, &high));
        }
        return;
    }
    let table = w.table(Type::Float, "limits", limits.as_flattened().iter().map(|&word| float_of(word)).collect());
    let [low, high] = ["2u * o", "2u * o + 1u"].map(|index| Type::Float.read(&table, index));
    w.line(format!("for (size_t o = 0; o < {outputs}u; o++) {{"));
    w.line(line("o", &low, &high));
    w.line("}");
}
