//! Functions of what a model file says beside its parameters: classes, ranges, intervals and earlier samples.

use srfm_runtime::Model;
use srfm_runtime::format::Place;

use super::literals::{float, text};
use super::parts::Part;
use super::writer::{Type, Writer};

/// Writes the functions of every section that the model has.
pub(super) fn write(w: &mut Writer<'_>, model: &Model<'_>) {
    classes(w, model);
    ranges(w, model);
    intervals(w, model);
    if !model.lags().is_empty() {
        history(w, model);
    }
}

fn classes(w: &mut Writer<'_>, model: &Model<'_>) {
    let names: Vec<&str> = model.classes().collect();
    if names.is_empty() {
        return;
    }
    w.line(format!("\n#define MODEL_CLASSES {}", names.len()));
    w.comment("Returns the class of the scores that model_predict gives: its number, from 0.");
    if model.outputs() == 1 {
        w.line("static inline size_t model_class_of(float score) {");
        w.line("return score > 0.5f ? 1u : 0u;");
        w.line("}");
        w.comment("Predicts the class of readings: its number, from 0.");
        w.line("static inline size_t model_classify(const float x[MODEL_INPUTS]) {");
        w.line("return model_class_of(model_predict(x));");
    } else {
        w.need(Part::Bits);
        w.line("static inline size_t model_class_of(const float scores[MODEL_OUTPUTS]) {");
        w.line("float largest = model_float(0xff800000u); /* minus infinity */");
        w.line("size_t number = 0;");
        w.line("for (size_t i = 0; i < MODEL_OUTPUTS; i++) {");
        w.line("if (scores[i] > largest) {");
        w.line("largest = scores[i];");
        w.line("number = i;");
        w.line("}");
        w.line("}");
        w.line("return number;");
        w.line("}");
        w.comment("Predicts the class of readings: its number, from 0.");
        w.line("static inline size_t model_classify(const float x[MODEL_INPUTS]) {");
        w.line("float scores[MODEL_OUTPUTS];");
        w.line("model_predict(x, scores);");
        w.line("return model_class_of(scores);");
    }
    w.line("}");
    w.comment("Returns the name of a class in UTF-8; empty for a number that is none.");
    w.line("static inline const char *model_class_name(size_t number) {");
    w.line("static const char *const names[MODEL_CLASSES] = {");
    names.iter().for_each(|name| w.raw(&format!("{},", text(name))));
    w.line("};");
    w.line("return number < MODEL_CLASSES ? names[number] : \"\";");
    w.line("}");
}

fn ranges(w: &mut Writer<'_>, model: &Model<'_>) {
    if model.ranges().len() == 0 {
        return;
    }
    w.comment("Counts the readings outside of the range of their input in the fitted rows. NaN is outside.");
    w.line("static inline size_t model_outside(const float x[MODEL_INPUTS]) {");
    w.line("size_t count = 0;");
    for (input, [low, high]) in model.ranges().enumerate() {
        if low.is_nan() || high.is_nan() || low == f32::INFINITY || high == f32::NEG_INFINITY {
            w.line("count++;");
            continue;
        }
        let low = low.is_finite().then(|| format!("x[{input}] >= {}", float(low)));
        let high = high.is_finite().then(|| format!("x[{input}] <= {}", float(high)));
        let within: Vec<String> = low.into_iter().chain(high).collect();
        let outside = match within.is_empty() {
            true => {
                w.need(Part::Missing);
                format!("model_missing(x[{input}])")
            }
            false => format!("!({})", within.join(" && ")),
        };
        w.line(format!("count += {outside} ? 1u : 0u;"));
    }
    w.line("return count;");
    w.line("}");
}

fn intervals(w: &mut Writer<'_>, model: &Model<'_>) {
    let Some(level) = model.level() else { return };
    let widths: Vec<f32> = (0..model.outputs()).filter_map(|output| model.half_width(output)).collect();
    // No literal of C is infinite or not a number, and no such interval holds a share of the targets.
    if widths.iter().chain([&level]).any(|number| !number.is_finite()) {
        return;
    }
    let widths: Vec<String> = widths.into_iter().map(float).collect();
    w.line(format!("\n#define MODEL_LEVEL {}", float(level)));
    w.comment(
        "Returns half the width of the interval around an output, which holds a share of MODEL_LEVEL of the targets; 0 \
         for an output that there is not.",
    );
    w.line("static inline float model_half_width(size_t output) {");
    if let [width] = &widths[..] {
        w.line(format!("return output == 0u ? {width} : 0.0f;"));
    } else {
        let table = w.table(Type::Float, "half_widths", widths);
        w.line(format!("return output < MODEL_OUTPUTS ? {} : 0.0f;", Type::Float.read(&table, "output")));
    }
    w.line("}");
}

/// Writes the type that keeps earlier samples, and the prediction from samples.
fn history(w: &mut Writer<'_>, model: &Model<'_>) {
    let lags = model.lags();
    w.line(format!("\n#define MODEL_CHANNELS {}", lags.channels()));
    w.line(format!("#define MODEL_SLOTS {}", lags.slots()));
    w.comment(
        "The latest samples. All of it is zeros at the start, as a static history is. Set `samples` to 0 after a gap.",
    );
    w.line("typedef struct model_history {");
    w.line("float slots[MODEL_SLOTS];");
    w.line("uint8_t samples;");
    w.line("} model_history;");
    w.comment(
        "Takes a sample, one reading of every channel, and predicts from it and the samples before. Returns 0 while \
         there are too few samples; then the outputs are left as they were.",
    );
    w.line("static inline int model_predict_sample(");
    let result = if model.outputs() == 1 { "float *y" } else { "float y[MODEL_OUTPUTS]" };
    w.line(format!("    model_history *history, const float sample[MODEL_CHANNELS], {result}) {{"));
    w.line("float x[MODEL_INPUTS];");
    w.line("float *slots = history->slots;");
    let mut first = 0;
    for (channel, window) in lags.windows().map(usize::from).enumerate() {
        if window > 1 {
            w.line(format!("for (size_t i = {}u; i > {first}u; i--) {{", first + window - 1));
            w.line("slots[i] = slots[i - 1u];");
            w.line("}");
        }
        if window > 0 {
            w.line(format!("slots[{first}] = sample[{channel}];"));
        }
        first += window;
    }
    w.line("if (history->samples < 255u) {");
    w.line("history->samples++;");
    w.line("}");
    w.line(format!("if (history->samples < {}u) {{", lags.depth()));
    w.line("return 0;");
    w.line("}");
    for (input, Place { slot, difference }) in lags.places().enumerate() {
        let older = if difference { format!(" - slots[{}]", slot + 1) } else { String::new() };
        w.line(format!("x[{input}] = slots[{slot}]{older};"));
    }
    w.line(if model.outputs() == 1 { "*y = model_predict(x);" } else { "model_predict(x, y);" });
    w.line("return 1;");
    w.line("}");
}

#[cfg(test)]
mod tests {
    use crate::export::{Blob, CSource};

    #[test]
    fn intervals_that_are_no_numbers_are_left_out() {
        let golden = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/golden/intervals.srfm")).unwrap();
        let text = |bytes: &[u8]| CSource::new(&Blob::new(bytes).unwrap(), "m").unwrap().text();
        assert!(text(&golden).contains("m_half_width"));
        let level = Blob::new(&golden).unwrap().model().level().unwrap().to_le_bytes();
        let at = golden.windows(4).position(|bytes| bytes == level).unwrap();
        for (at, number) in [(at, f32::NAN), (at + 4, f32::NAN), (at + 4, f32::INFINITY)] {
            let mut damaged = srfm_testing::Blob::new(&golden);
            damaged[at..at + 4].copy_from_slice(&number.to_le_bytes());
            damaged.mend_checksum();
            assert!(!text(&damaged).contains("half_width"), "{number} at {at}");
        }
    }
}
