//! Predictions in integers.

use srfm_runtime::Model;
use srfm_runtime::format::{Block, Indices, Kernel, Number, packs};

use super::features::{Feature, features, is_written_out, place, unrolled};
use super::float::for_outputs;
use super::indices::{InputList, index_of};
use super::inputs;
use super::literals::{float, long, word};
use super::outputs::{begin_predict, result, sum_of};
use super::parts::Part;
use super::style::Style;
use super::writer::{Type, Writer};

/// Writes the preparation, the prediction from integers to integers, and the prediction from readings.
pub(super) fn predict(w: &mut Writer<'_>, model: &Model<'_>, style: Style) {
    [Part::Widened, Part::Signed, Part::Product].into_iter().for_each(|part| w.need(part));
    w.comment("Turns readings into the integers that model_predict_integers takes.");
    w.line("static inline void model_prepare(const float x[MODEL_INPUTS], int16_t z[MODEL_VALUES]) {");
    inputs::quantise(w, model);
    w.line("}");
    predict_integers(w, model, style);
    let outputs = model.outputs();
    begin_predict(w, outputs);
    w.line("int16_t z[MODEL_VALUES];");
    let scale = |suffix: &str, y: &str| format!("MODEL_OFFSET{suffix} + model_product(MODEL_STEP{suffix}, (float){y})");
    if outputs == 1 {
        w.line("model_prepare(x, z);");
        w.line(format!("return {};", scale("", "model_predict_integers(z)")));
    } else {
        w.line("int32_t integers[MODEL_OUTPUTS];");
        w.line("model_prepare(x, z);");
        w.line("model_predict_integers(z, integers);");
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
fn predict_integers(w: &mut Writer<'_>, model: &Model<'_>, style: Style) {
    let outputs = model.outputs();
    let special = model.prepared().iter().any(|p| p.warp & !srfm_runtime::format::REPLACED != 0);
    let (inputs, z) = if special { ("x", "z") } else { ("z", "z") };
    if outputs == 1 {
        w.comment("Predicts from integers: the output stands for MODEL_OFFSET + MODEL_STEP * output.");
        w.line(format!("static inline int32_t model_predict_integers(const int16_t {inputs}[MODEL_VALUES]) {{"));
    } else {
        w.comment("Predicts from integers: output o stands for MODEL_OFFSET_o + MODEL_STEP_o * y[o].");
        w.line("static inline void model_predict_integers(");
        w.line(format!("    const int16_t {inputs}[MODEL_VALUES], int32_t y[MODEL_OUTPUTS]) {{"));
    }
    if special {
        w.line("int16_t z[MODEL_VALUES];");
    }
    if outputs == 1 {
        w.line(format!("uint32_t sum = {};", word(model.intercepts()[0])));
    } else {
        w.line("uint32_t sums[MODEL_OUTPUTS];");
    }
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
    for output in 0..outputs {
        finish(w, model, output, z);
    }
    w.line("}");
}

/// Writes the linear terms and the limits of an output.
fn finish(w: &mut Writer<'_>, model: &Model<'_>, output: usize, z: &str) {
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
        w.line("int64_t linear = 0;");
        if inputs.len() <= 2 {
            for (weight, input) in weights.iter().zip(&inputs) {
                w.line(format!("linear += (int64_t){} * {z}[{input}];", long(*weight)));
            }
        } else {
            let words = weights.iter().map(|&weight| word(weight as u32)).collect();
            let table = w.table(Type::Word, "linear", words);
            let weight = Type::Word.read(&table, "i");
            let index = index_of(w, &inputs, "i");
            w.line(format!("for (size_t i = 0; i < {}u; i++) {{", inputs.len()));
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
        value = format!("model_limited_integer({value}, {}, {})", long(limits[0]), long(limits[1]));
    }
    w.line(if outputs == 1 {
        format!("return {value};")
    } else {
        format!("{} = {value};", result(outputs, &output.to_string()))
    });
    if scoped {
        w.line("}");
    }
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
    if !is_written_out(style, order, outputs, all.len()) {
        return add_loop(w, model, block, &all, z);
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
    w.line(format!("for (size_t j = 0; j < {}u; j++) {{", all.len()));
    w.line(format!("const {} *record = &{table}[{}];", kind.name(), place(0, stride, "j")));
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
    let (part, values) = match kernel {
        Kernel::Cosine => (Part::CosineLine, vec!["model_cosine_line(t)".to_owned()]),
        Kernel::Sincos => {
            (Part::CosineLine, vec!["model_cosine_line(t - 0x40000000u)".to_owned(), "model_cosine_line(t)".to_owned()])
        }
        Kernel::Sigmoid => {
            (Part::SigmoidLine, vec![format!("model_sigmoid_line(model_signed(t) >> {})", shifts.argument)])
        }
        Kernel::Relu => (Part::ReluInteger, vec!["model_relu_integer(t)".to_owned()]),
    };
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
