//! Predictions in integers.

use srfm_runtime::Model;
use srfm_runtime::format::{Block, Indices, Kernel, Number, packs};

use super::features::{Feature, features, is_written_out, place, unrolled};
use super::float::for_outputs;
use super::indices::InputList;
use super::literals::{float, word};
use super::outline::BlockOutline;
use super::outputs::{begin_predict, sum_of};
use super::parts::Part;
use super::style::Style;
use super::writer::{Type, Writer};
use super::{inputs, totals, trees};

/// Writes the preparation, the prediction from integers to integers, and the prediction from readings.
pub(super) fn predict(w: &mut Writer<'_>, model: &Model<'_>, style: Style) {
    [Part::Widened, Part::Signed, Part::Product].into_iter().for_each(|part| w.need(part));
    w.comment("Turns readings into the integers that model_predict_integers takes. NaN becomes MODEL_MISSING.");
    w.line("static inline void model_prepare(const float x[MODEL_INPUTS], int16_t z[MODEL_VALUES]) {");
    inputs::quantise(w, model);
    w.line("}");
    predict_integers(w, model, style);
    let outputs = model.outputs();
    begin_predict(w, outputs);
    w.need(Part::Bits);
    w.line("int16_t z[MODEL_VALUES];");
    let scale = |suffix: &str, y: &str| format!("MODEL_OFFSET{suffix} + model_product(MODEL_STEP{suffix}, (float){y})");
    if outputs == 1 {
        w.line("int32_t integer;");
        w.line("model_prepare(x, z);");
        w.line("if (model_predict_integers(z, &integer) != MODEL_OK) {");
        w.line("return model_float(0x7fc00000u);");
        w.line("}");
        w.line(format!("return {};", scale("", "integer")));
    } else {
        w.line("int32_t integers[MODEL_OUTPUTS];");
        w.line("model_prepare(x, z);");
        w.line("if (model_predict_integers(z, integers) != MODEL_OK) {");
        w.line("for (size_t o = 0; o < MODEL_OUTPUTS; o++) {");
        w.line("y[o] = model_float(0x7fc00000u);");
        w.line("}");
        w.line("return;");
        w.line("}");
        for output in 0..outputs {
            w.line(format!("y[{output}] = {};", scale(&format!("_{output}"), &format!("integers[{output}]"))));
        }
    }
    w.line("}");
}

/// Writes the meaning of the integer outputs as constants.
pub(super) fn scales(w: &mut Writer<'_>, model: &Model<'_>) {
    for (output, scale) in model.scales().iter().enumerate() {
        let suffix = if model.outputs() == 1 { String::new() } else { format!("_{output}") };
        w.line(format!("#define MODEL_STEP{suffix} ({})", float(scale.step)));
        w.line(format!("#define MODEL_OFFSET{suffix} ({})", float(scale.offset)));
    }
}

/// Writes the prediction from integers to integers.
pub(super) fn predict_integers(w: &mut Writer<'_>, model: &Model<'_>, style: Style) {
    let outputs = model.outputs();
    let special = model.prepared().iter().any(|p| p.warp != 0);
    w.need(Part::Status);
    let (inputs, z) = if special { ("x", "z") } else { ("z", "z") };
    outline(w, model, special);
    let (meaning, y) = match outputs {
        1 => ("the output stands for MODEL_OFFSET + MODEL_STEP * y", "int32_t *y"),
        _ => ("output o stands for MODEL_OFFSET_o + MODEL_STEP_o * y[o]", "int32_t y[MODEL_OUTPUTS]"),
    };
    w.comment(&format!(
        "Predicts from integers: {meaning}. Returns MODEL_OK, or MODEL_MISSING_READING where an input is MODEL_MISSING \
         and nothing replaces it; the outputs are then left as they were."
    ));
    w.line("MODEL_CHECKED static inline model_status model_predict_integers(");
    w.line(format!("    const int16_t {inputs}[MODEL_VALUES], {y}) {{"));
    if special {
        w.line("int16_t z[MODEL_VALUES];");
    }
    if outputs == 1 {
        w.line(format!("uint32_t sum = {};", word(model.intercepts()[0])));
    } else {
        w.line("uint32_t sums[MODEL_OUTPUTS];");
    }
    inputs::refuse_missing(w, model, inputs);
    if special {
        inputs::warp_counts(w, model);
    }
    if outputs > 1 {
        for (output, &intercept) in model.intercepts().iter().enumerate() {
            w.line(format!("sums[{output}] = {};", word(intercept)));
        }
    }
    if model.features() == 0 && model.linear().inputs.is_empty() {
        w.line("(void)z;");
    }
    for block in model.blocks().filter(|block| block.features() > 0) {
        add_block(w, model, &block, style, z);
    }
    trees::add_integers(w, model, inputs, style);
    for output in 0..outputs {
        totals::write(w, model, output, z);
    }
    w.line("return MODEL_OK;");
    w.line("}");
}

/// Adds the call and the functions of kernels to the contents.
fn outline(w: &mut Writer<'_>, model: &Model<'_>, special: bool) {
    let (outputs, head) = (model.outputs(), model.header().number.name());
    let outline = w.outline();
    outline.add(&if outputs == 1 { head.to_owned() } else { format!("{head} outputs") }, 1, 1);
    outline.add(&format!("{head} intercept"), outputs - 1, outputs - 1);
    outline.add_functions(model);
    let sums = if outputs == 1 { 0 } else { 4 * outputs };
    outline.arrays = sums + if special { 2 * model.prepared().len() } else { 0 };
}

/// The expressions of a feature.
struct Terms<'a> {
    kernel: Kernel,
    number: Number,
    order: usize,
    bias: String,
    weight: &'a dyn Fn(&str) -> String,
    input: &'a dyn Fn(&str) -> String,
    /// An amplitude: of a value of the kernel, for an output.
    amplitude: &'a dyn Fn(&str, usize) -> String,
    written_out: bool,
}

/// Writes a block of features.
fn add_block(w: &mut Writer<'_>, model: &Model<'_>, block: &Block<'_>, style: Style, z: &str) {
    let (kernel, number, order) = (block.kernel, model.header().number, usize::from(block.order));
    let (outputs, values) = (model.outputs(), kernel.scales().len());
    let all = features(block, number, outputs);
    let features = all.len();
    if !is_written_out(style, order, outputs, all.len()) {
        return add_loop(w, model, block, &all, z);
    }
    let straight = BlockOutline { number, kernel, order, features, straight: true, list: "known", local: false };
    w.outline().add_block(&straight, outputs);
    if number == Number::I16 && model.shifts().weights > 0 {
        w.outline().add("int16 shift", features, features);
    }
    for Feature { bias, weights, inputs, amplitudes } in &all {
        let at = |index: &str| index.parse::<usize>().unwrap_or(0);
        let literal = |weight: u32| if number == Number::I32 { word(weight) } else { (weight as i32).to_string() };
        w.line("{");
        let terms = Terms {
            kernel,
            number,
            order,
            bias: word(*bias),
            weight: &|k| literal(weights[at(k)]),
            input: &|k| format!("{z}[{}]", inputs[at(k)]),
            amplitude: &|output, value| format!("(int32_t){}", amplitudes[at(output) * values + value] as i32),
            written_out: true,
        };
        add_feature(w, model, &terms);
        w.line("}");
    }
}

/// Returns the record of a feature in a table.
fn record_of(feature: &Feature, kernel: Kernel, number: Number, one_word: bool) -> Vec<String> {
    let half = |&half: &u32| (half as i32).to_string();
    let weights = feature.weights.iter();
    if number == Number::I16 {
        let bias = kernel.has_bias().then(|| ((feature.bias >> 16) as i16).to_string());
        return weights.map(half).chain(bias).chain(feature.amplitudes.iter().map(half)).collect();
    }
    let last = match (kernel.has_bias(), &feature.amplitudes[..]) {
        (true, _) => Some(feature.bias),
        (false, &[lower, upper]) if one_word => Some(upper << 16 | lower & 0xffff),
        _ => None,
    };
    weights.copied().chain(last).map(word).collect()
}

/// Writes a loop over the features of a block.
///
/// A record with weights of 16 bits has the weights, the upper half of the bias and the amplitudes. A record with
/// weights of 32 bits has the weights, then a word: with one output as in the model file; with several outputs the
/// bias, and the amplitudes are in a table of their own.
fn add_loop(w: &mut Writer<'_>, model: &Model<'_>, block: &Block<'_>, all: &[Feature], z: &str) {
    let (kernel, number, order) = (block.kernel, model.header().number, usize::from(block.order));
    let (outputs, values, biased) = (model.outputs(), kernel.scales().len(), usize::from(kernel.has_bias()));
    let words = number == Number::I32;
    let kind = if words { Type::Word } else { Type::Half };
    let one_word = words && outputs == 1;
    let records: Vec<Vec<String>> = all.iter().map(|feature| record_of(feature, kernel, number, one_word)).collect();
    let stride = records[0].len();
    let table = w.table(kind, "features", records.into_iter().flatten().collect());
    let view = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let dense = matches!(block.indices, Indices::All { .. });
    let packed = packs(number, view) && !dense;
    let list = if packed { None } else { Some(InputList::new(w, all, order, unrolled(order, false).is_some())) };
    let amplitudes = (words && !one_word).then(|| {
        let all = all.iter().flat_map(|feature| &feature.amplitudes).map(|&half| (half as i32).to_string());
        w.table(Type::Half, "amplitudes", all.collect())
    });
    w.begin_loop("j", all.len());
    w.line(format!("const {} *record = &{table}[{}];", kind.name(), place(0, stride, "j")));
    let name = list.as_ref().map_or("packed", InputList::name);
    if !words && model.shifts().weights > 0 {
        w.outline().add("int16 shift", 1, all.len());
    }
    let local = model.prepared().iter().any(|p| p.warp != 0);
    let outline = BlockOutline { number, kernel, order, features: all.len(), straight: false, list: name, local };
    w.outline().add_block(&outline, outputs);
    if let Some(list) = &list {
        list.begin(w);
    }
    if let Some(amplitudes) = &amplitudes {
        w.line(format!("const int16_t *amplitude = &{amplitudes}[{}];", place(0, outputs * values, "j")));
    }
    let read = |index: &str| kind.read("record", index);
    let last = read(&order.to_string());
    let bias = match words {
        true => last.clone(),
        false => format!("model_word({last}, {})", read(&(order + 1).to_string())),
    };
    let terms = Terms {
        kernel,
        number,
        order,
        bias,
        weight: &|k| read(k),
        input: &|k| match &list {
            Some(list) => format!("{z}[{}]", list.input(k)),
            None => format!("{z}[{} & 15u]", read(k)),
        },
        amplitude: &|output, value| match (one_word, words) {
            (true, _) if value == 0 => format!("model_lower({last})"),
            (true, _) => format!("(model_signed({last}) >> 16)"),
            (_, true) => format!("(int32_t){}", Type::Half.read("amplitude", &place(value, values, output))),
            _ => format!("(int32_t){}", read(&place(order + biased + value, values, output))),
        },
        written_out: false,
    };
    add_feature(w, model, &terms);
    w.line("}");
}

/// Returns the part of a kernel and the values of a feature with the argument `t`, of which a sigmoid and a square
/// shift the argument right by `shift` bits.
pub(super) fn kernel_values(kernel: Kernel, shift: &str) -> (Part, Vec<String>) {
    match kernel {
        Kernel::Cosine => (Part::CosineLine, vec!["model_cosine_line(t)".to_owned()]),
        Kernel::Sincos => {
            (Part::CosineLine, vec!["model_cosine_line(t - 0x40000000u)".to_owned(), "model_cosine_line(t)".to_owned()])
        }
        Kernel::Polynomial => (Part::CosinePolynomial, vec!["model_cosine_polynomial(t)".to_owned()]),
        Kernel::Sigmoid => (Part::SigmoidLine, vec![format!("model_sigmoid_line(model_signed(t) >> {shift})")]),
        Kernel::Relu => (Part::ReluInteger, vec!["model_relu_integer(t)".to_owned()]),
        Kernel::Square => (Part::SquareInteger, vec![format!("model_square_integer(model_signed(t) >> {shift})")]),
    }
}

/// Writes the sum of a feature's terms and the statements that add its values to the outputs.
fn add_feature(w: &mut Writer<'_>, model: &Model<'_>, terms: &Terms<'_>) {
    let &Terms { kernel, number, order, ref bias, weight, input, amplitude, written_out } = terms;
    let (outputs, shifts) = (model.outputs(), model.shifts());
    let words = number == Number::I32;
    let start = if words && kernel.has_bias() { bias.clone() } else { "0u".to_owned() };
    let product = |k: &str| match words {
        true => format!("{} * model_widened({})", weight(k), input(k)),
        false => format!("model_of_halves({}, {})", weight(k), input(k)),
    };
    w.line(format!("uint32_t t = {start};"));
    match unrolled(order, written_out) {
        Some(indices) => indices.iter().for_each(|k| w.line(format!("t += {};", product(k)))),
        None => {
            w.line(format!("for (size_t k = 0; k < {order}u; k++) {{"));
            w.line(format!("t += {};", product("k")));
            w.line("}");
        }
    }
    if !words && shifts.weights > 0 {
        w.line(format!("t <<= {};", shifts.weights));
    }
    if !words && kernel.has_bias() {
        w.line(format!("t += {bias};"));
    }
    let (part, values) = kernel_values(kernel, &shifts.argument.to_string());
    w.need(part);
    let names: Vec<String> = (0..values.len()).map(|v| format!("value_{v}")).collect();
    for (name, value) in names.iter().zip(&values) {
        w.line(format!("const int32_t {name} = {value};"));
    }
    for_outputs(w, outputs, written_out, |output| {
        let sum = sum_of(outputs, output);
        let add = |(v, value)| format!("{sum} += (uint32_t)({} * {value});", amplitude(output, v));
        names.iter().enumerate().map(add).collect()
    });
}
