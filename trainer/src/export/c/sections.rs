//! Functions of what a model file says beside its parameters: classes, ranges, intervals and earlier samples.

use srfm_runtime::format::{Confidence, Lags, Number, Place, Samples, Scale};
use srfm_runtime::{Model, Odds};

use super::literals::{float, long, text};
use super::parts::Part;
use super::writer::{Type, Writer};
use super::{units, windows};

/// Writes the functions of every section that the model has; `unit` is that of integer outputs.
pub(super) fn write(w: &mut Writer<'_>, model: &Model<'_>, unit: Option<f64>) {
    classes(w, model);
    ranges(w, model);
    intervals(w, model);
    if let Some(unit) = unit {
        units::write(w, model, unit);
    }
    if !model.samples().is_empty() {
        history(w, model);
    }
}

fn classes(w: &mut Writer<'_>, model: &Model<'_>) {
    let names: Vec<&str> = model.classes().collect();
    if names.is_empty() {
        return;
    }
    w.line(format!("\n#define MODEL_CLASSES {}", names.len()));
    w.need(Part::Status);
    w.need(Part::Missing);
    w.comment(match model.confidence() {
        None => {
            "Gives the class of the scores that model_predict gives: its number, from 0. Returns MODEL_OK, or \
                 MODEL_MISSING_READING where no score is a number."
        }
        Some(_) => {
            "Gives the class of the scores that model_predict gives: its number, from 0. Returns MODEL_OK, \
                 MODEL_MISSING_READING where no score is a number, or MODEL_UNCERTAIN where no class is ahead of all \
                 others by more than the margin of the model."
        }
    });
    if model.outputs() == 1 {
        class_of_score(w, model.confidence());
    } else {
        class_of_scores(w, model.confidence());
    }
    w.comment("Predicts the class of readings; otherwise as model_class_of.");
    w.line("MODEL_CHECKED static inline model_status model_classify(const float x[MODEL_INPUTS], size_t *number) {");
    if model.outputs() == 1 {
        w.line("return model_class_of(model_predict(x), number);");
    } else {
        w.line("float scores[MODEL_OUTPUTS];");
        w.line("model_predict(x, scores);");
        w.line("return model_class_of(scores, number);");
    }
    w.line("}");
    if model.header().number != Number::F32 {
        classify_integers(w, model);
    }
    if model.slope().is_finite() {
        probabilities(w, model);
        if model.header().number != Number::F32 {
            probabilities_of_integers(w, model);
        }
    }
    w.comment("Returns the name of a class in UTF-8; empty for a number that is none.");
    w.line("static inline const char *model_class_name(size_t number) {");
    w.line("static const char *const names[MODEL_CLASSES] = {");
    names.iter().for_each(|name| w.raw(&format!("{},", text(name))));
    w.line("};");
    w.line("return number < MODEL_CLASSES ? names[number] : \"\";");
    w.line("}");
}

/// Writes the classification from integers, by integers alone where the scores have one unit.
fn classify_integers(w: &mut Writer<'_>, model: &Model<'_>) {
    let confidence = model.confidence();
    w.comment(match confidence {
        None => "Returns the class of the integers that model_predict_integers gives: its number, from 0.",
        Some(_) => {
            "Returns the class of the integers that model_predict_integers gives: its number, from 0; MODEL_CLASSES \
             where the model is not as sure of a class as it must be."
        }
    });
    let scores = if model.outputs() == 1 { "int32_t score" } else { "const int32_t scores[MODEL_OUTPUTS]" };
    w.line(format!("static inline size_t model_class_of_integers({scores}) {{"));
    class_of_integers(w, model);
    w.line("}");
    w.comment(match confidence {
        None => "Predicts the class from integers: its number, from 0. Returns what model_predict_integers returns.",
        Some(_) => {
            "Predicts the class from integers: its number, from 0. Returns what model_predict_integers returns, or \
             MODEL_UNCERTAIN where the model is not as sure of a class as it must be."
        }
    });
    w.line("MODEL_CHECKED static inline model_status model_classify_integers(");
    w.line("    const int16_t z[MODEL_VALUES], size_t *number) {");
    w.line(if model.outputs() == 1 { "int32_t scores;" } else { "int32_t scores[MODEL_OUTPUTS];" });
    let y = if model.outputs() == 1 { "&scores" } else { "scores" };
    w.line(format!("const model_status status = model_predict_integers(z, {y});"));
    w.line("if (status == MODEL_OK) {");
    if confidence.is_some() {
        w.line("const size_t best = model_class_of_integers(scores);");
        w.line("if (best == MODEL_CLASSES) {");
        w.line("return MODEL_UNCERTAIN;");
        w.line("}");
        w.line("*number = best;");
    } else {
        w.line("*number = model_class_of_integers(scores);");
    }
    w.line("}");
    w.line("return status;");
    w.line("}");
}

/// Writes the decision by integers.
fn class_of_integers(w: &mut Writer<'_>, model: &Model<'_>) {
    let confidence = model.confidence();
    if let [scale] = model.scales() {
        class_of_integer(w, *scale, confidence);
    } else if has_one_unit(model.scales()) && confidence.is_none() {
        w.need(Part::Larger);
        w.line("size_t best = 0;");
        w.line("for (size_t i = 1; i < MODEL_OUTPUTS; i++) {");
        w.line("best = model_larger(scores[i], scores[best]) ? i : best;");
        w.line("}");
        w.line("return best;");
    } else {
        w.line("float values[MODEL_OUTPUTS];");
        w.line("size_t best = 0;");
        for output in 0..model.outputs() {
            let score = format!("model_product(MODEL_STEP_{output}, (float)scores[{output}])");
            w.line(format!("values[{output}] = MODEL_OFFSET_{output} + {score};"));
        }
        w.line("for (size_t i = 1; i < MODEL_OUTPUTS; i++) {");
        w.line("best = values[i] > values[best] ? i : best;");
        w.line("}");
        if let Some(confidence) = confidence {
            unless_ahead(w, "values", confidence, "MODEL_CLASSES");
        }
        w.line("return best;");
    }
}

/// Writes the decision between two classes by the integer of their score.
fn class_of_integer(w: &mut Writer<'_>, scale: Scale, confidence: Option<Confidence>) {
    let Some(Confidence { margin, .. }) = confidence else {
        w.line(format!("return {} ? 1u : 0u;", condition(scale, |score| score > 0.5)));
        return;
    };
    let second = condition(scale, |score| score - 0.5 > margin && score > 0.5);
    let first = condition(scale, |score| 0.5 - score > margin && score <= 0.5);
    w.line(format!("if ({second}) {{"));
    w.line("return 1u;");
    w.line("}");
    w.line(format!("return {first} ? 0u : MODEL_CLASSES;"));
}

/// Writes the return of `otherwise` unless the best of `scores` is ahead of all others by more than the margin.
fn unless_ahead(w: &mut Writer<'_>, scores: &str, Confidence { margin, .. }: Confidence, otherwise: &str) {
    w.line("for (size_t i = 0; i < MODEL_OUTPUTS; i++) {");
    w.line(format!("if (i != best && !({scores}[best] - {scores}[i] > {})) {{", float(margin)));
    w.line(format!("return {otherwise};"));
    w.line("}");
    w.line("}");
}

/// Returns whether scores in single precision are their integers, rounded to 24 bits, times a power of two.
pub(in crate::export) fn has_one_unit(scales: &[Scale]) -> bool {
    let Some(&Scale { step, offset }) = scales.first() else { return false };
    let is_power_of_two = step.is_normal() && step > 0.0 && step.to_bits().trailing_zeros() >= 23;
    offset == 0.0 && is_power_of_two && step < 2.0_f32.powi(96) && scales.iter().all(|scale| *scale == scales[0])
}

/// Writes the probabilities of classes by scores.
fn probabilities(w: &mut Writer<'_>, model: &Model<'_>) {
    w.need(Part::Power);
    w.comment(
        "Gives the probability of every class by the scores that model_predict gives. Every one is NaN where a score \
         is NaN.",
    );
    let slope = float(model.slope());
    if model.outputs() == 1 {
        w.line("static inline void model_probabilities(float score, float probabilities[MODEL_CLASSES]) {");
        w.line(format!("const float odds = model_product({slope}, score - 0.5f);"));
        w.line("probabilities[1] = 104.4920806884765625f / (104.4920806884765625f + model_power(odds));");
        w.line("probabilities[0] = 1.0f - probabilities[1];");
        w.line("}");
        return;
    }
    w.need(Part::Quotient);
    w.line("static inline void model_probabilities(");
    w.line("    const float scores[MODEL_OUTPUTS], float probabilities[MODEL_CLASSES]) {");
    w.line("float largest = 0.0f, total = 0.0f;");
    w.line("for (size_t i = 0; i < MODEL_CLASSES; i++) {");
    w.line(format!("probabilities[i] = model_product({slope}, scores[i]);"));
    w.line("largest = i == 0u || probabilities[i] > largest ? probabilities[i] : largest;");
    w.line("}");
    w.line("for (size_t i = 0; i < MODEL_CLASSES; i++) {");
    w.line("probabilities[i] = model_power(largest - probabilities[i]);");
    w.line("total += probabilities[i];");
    w.line("}");
    w.line("for (size_t i = 0; i < MODEL_CLASSES; i++) {");
    w.line("probabilities[i] = model_quotient(probabilities[i], total);");
    w.line("}");
    w.line("}");
}

/// Writes the probabilities of classes by integers, without floating point.
fn probabilities_of_integers(w: &mut Writer<'_>, model: &Model<'_>) {
    w.need(Part::Shares);
    w.comment(
        "Gives the probability of every class in units of 1/65536, at most 65535, by the integers that \
         model_predict_integers gives.",
    );
    let all: Vec<Odds> = model.odds().collect();
    let single = model.outputs() == 1;
    let scores = if single { "int32_t score" } else { "const int32_t scores[MODEL_OUTPUTS]" };
    w.line("static inline void model_probabilities_of_integers(");
    w.line(format!("    {scores}, uint16_t probabilities[MODEL_CLASSES]) {{"));
    w.line("int64_t odds[MODEL_CLASSES];");
    match all.as_slice() {
        [odds] => {
            w.line("odds[0] = 0;");
            w.line(format!("odds[1] = {};", odds_of(*odds, "score")));
        }
        [first, others @ ..] if others.iter().all(|odds| odds == first) => {
            w.line("for (size_t i = 0; i < MODEL_CLASSES; i++) {");
            w.line(format!("odds[i] = {};", odds_of(*first, "scores[i]")));
            w.line("}");
        }
        all => {
            for (class, odds) in all.iter().enumerate() {
                w.line(format!("odds[{class}] = {};", odds_of(*odds, &format!("scores[{class}]"))));
            }
        }
    }
    w.line("model_shares(odds, probabilities, MODEL_CLASSES);");
    w.line("}");
}

/// Returns the expression of the odds of a score.
fn odds_of(Odds { offset, factor, shift }: Odds, score: &str) -> String {
    let product = format!("(int64_t){} * {score}", long(factor));
    let shifted = if shift == 0 { product } else { format!("(({product}) >> {shift})") };
    if offset == 0 { shifted } else { format!("{} + {shifted}", long(offset)) }
}

/// Returns the condition on the integer `score` under which `holds` for `offset + step * score` in single precision. It
/// must hold either above a number or below one.
pub(in crate::export) fn condition(scale: Scale, holds: impl Fn(f32) -> bool) -> String {
    let holds = |integer: i64| holds(scale.offset + scale.step * (integer as i32) as f32);
    let [first, last] = [i64::from(i32::MIN), i64::from(i32::MAX)];
    let at_ends = [holds(first), holds(last)];
    if at_ends[0] == at_ends[1] {
        return if at_ends[0] { "1" } else { "0" }.to_owned();
    }
    // Rounding keeps the order, so that the answer changes once.
    let mut same = first;
    let mut other = last;
    while other - same > 1 {
        let middle = same.midpoint(other);
        if holds(middle) == at_ends[0] { same = middle } else { other = middle }
    }
    let sign = if at_ends[1] { ">=" } else { "<" };
    format!("score {sign} {}", long(other as i32))
}

/// Writes the decision between two classes, which share a score.
fn class_of_score(w: &mut Writer<'_>, confidence: Option<Confidence>) {
    w.line("MODEL_CHECKED static inline model_status model_class_of(float score, size_t *number) {");
    w.line("if (model_missing(score)) {");
    w.line("return MODEL_MISSING_READING;");
    w.line("}");
    if let Some(Confidence { margin, .. }) = confidence {
        w.line(format!("if (!((score > 0.5f ? score - 0.5f : 0.5f - score) > {})) {{", float(margin)));
        w.line("return MODEL_UNCERTAIN;");
        w.line("}");
    }
    w.line("*number = score > 0.5f ? 1u : 0u;");
    w.line("return MODEL_OK;");
    w.line("}");
}

/// Writes the decision among classes that have a score each.
fn class_of_scores(w: &mut Writer<'_>, confidence: Option<Confidence>) {
    w.line("MODEL_CHECKED static inline model_status model_class_of(");
    w.line("    const float scores[MODEL_OUTPUTS], size_t *number) {");
    w.line("size_t best = MODEL_OUTPUTS;");
    w.line("for (size_t i = 0; i < MODEL_OUTPUTS; i++) {");
    w.line("if (!model_missing(scores[i]) && (best == MODEL_OUTPUTS || scores[i] > scores[best])) {");
    w.line("best = i;");
    w.line("}");
    w.line("}");
    w.line("if (best == MODEL_OUTPUTS) {");
    w.line("return MODEL_MISSING_READING;");
    w.line("}");
    if let Some(confidence) = confidence {
        unless_ahead(w, "scores", confidence, "MODEL_UNCERTAIN");
    }
    w.line("*number = best;");
    w.line("return MODEL_OK;");
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
    if model.takes_counts() && model.samples().is_empty() {
        outside_integers(w, model);
    }
}

/// Writes the count of integers outside of the ranges, for a model whose readings go in as they are.
fn outside_integers(w: &mut Writer<'_>, model: &Model<'_>) {
    let ranges: Vec<[f32; 2]> = model.ranges().collect();
    w.comment("Counts the integers outside of the range of their input in the fitted rows. A missing one is outside.");
    w.line("static inline size_t model_outside_integers(const int16_t z[MODEL_VALUES]) {");
    w.line("size_t count = 0;");
    let least = f32::from(-i16::MAX);
    for value in 0..values(model) {
        let input = model.prepared().get(value).map_or(value, |prepared| prepared.input.into());
        let Some(&[low, high]) = ranges.get(input) else { continue };
        let low = low.ceil().max(least) as i16;
        let high = high.floor().min(f32::from(i16::MAX)) as i16;
        let above = if high < i16::MAX { format!(" || z[{value}] > {high}") } else { String::new() };
        w.line(format!("count += z[{value}] < {low}{above} ? 1u : 0u;"));
    }
    w.line("return count;");
    w.line("}");
}

/// Returns the number of values that features look at.
pub(in crate::export) fn values(model: &Model<'_>) -> usize {
    if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() }
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

/// The readings of a history and the prediction from them.
struct Readings {
    /// The name of the type that keeps them, and of the function that takes one.
    history: &'static str,
    function: &'static str,
    /// The type of a reading.
    reading: &'static str,
    /// The declaration of the outputs.
    outputs: &'static str,
}

/// Writes the types that keep earlier samples, and the predictions from samples.
fn history(w: &mut Writer<'_>, model: &Model<'_>) {
    w.need(Part::Status);
    w.line(format!("\n#define MODEL_CHANNELS {}", model.channels()));
    w.line(format!("#define MODEL_SLOTS {}", model.slots()));
    predict_sample(w, model);
    if let (true, Some(lags)) = (model.takes_counts(), model.samples().lags()) {
        predict_sample_integers(w, model, &lags);
    }
}

/// Writes the prediction from samples of readings.
fn predict_sample(w: &mut Writer<'_>, model: &Model<'_>) {
    match model.samples() {
        Samples::Lags(lags) => predict_lagged(w, model, &lags),
        Samples::Windows(of_model) => windows::predict_sample(w, model, &of_model),
    }
}

/// Writes the prediction from earlier readings.
fn predict_lagged(w: &mut Writer<'_>, model: &Model<'_>, lags: &Lags<'_>) {
    let single = model.outputs() == 1;
    let readings = Readings {
        history: "model_history",
        function: "model_predict_sample",
        reading: "float",
        outputs: if single { "float *y" } else { "float y[MODEL_OUTPUTS]" },
    };
    take_sample(w, lags, &readings);
    for (input, Place { slot, difference }) in lags.places().enumerate() {
        let older = if difference { format!(" - slots[{}]", slot + 1) } else { String::new() };
        w.line(format!("x[{input}] = slots[{slot}]{older};"));
        w.outline().add(if difference { "float history difference" } else { "float history input" }, 1, 1);
    }
    w.outline().arrays += size_of::<f32>() * model.inputs();
    w.line(if single { "*y = model_predict(x);" } else { "model_predict(x, y);" });
    w.line("return MODEL_OK;");
    w.line("}");
}

/// Writes the prediction from samples of counts.
fn predict_sample_integers(w: &mut Writer<'_>, model: &Model<'_>, lags: &Lags<'_>) {
    let counts = Readings {
        history: "model_integer_history",
        function: "model_predict_sample_integers",
        reading: "int16_t",
        outputs: if model.outputs() == 1 { "int32_t *y" } else { "int32_t y[MODEL_OUTPUTS]" },
    };
    take_sample(w, lags, &counts);
    let places: Vec<Place> = lags.places().collect();
    for value in 0..values(model) {
        let input = model.prepared().get(value).map_or(value, |prepared| prepared.input.into());
        let Some(&Place { slot, difference }) = places.get(input) else { continue };
        if difference {
            w.need(Part::Less);
            w.line(format!("x[{value}] = model_less(slots[{slot}], slots[{}]);", slot + 1));
        } else {
            w.line(format!("x[{value}] = slots[{slot}];"));
        }
        w.outline().add(if difference { "int16_t history difference" } else { "int16_t history input" }, 1, 1);
    }
    w.outline().arrays += size_of::<i16>() * values(model);
    w.line("return model_predict_integers(x, y);");
    w.line("}");
}

/// The stack between a history of readings and an integer model, beside its values.
const STACK_OF_VALUES: usize = 160;

/// Writes the functions around the prediction that [`budgeted`](super::example::budgeted) calls, for its contents.
pub(super) fn write_budgeted(w: &mut Writer<'_>, model: &Model<'_>) {
    let integers = model.header().number != Number::F32;
    let samples = model.samples();
    match (samples.is_empty(), model.classes().count()) {
        (false, _) if model.takes_counts() => {
            samples.lags().iter().for_each(|lags| predict_sample_integers(w, model, lags));
        }
        (false, _) if !integers => predict_sample(w, model),
        (false, _) => {
            predict_sample(w, model);
            let values = values(model);
            if samples.windows().is_some() {
                w.outline().add("float window value", values, values);
            } else {
                w.outline().add("float values", 1, 1);
                w.outline().add("float value", values, values);
                w.outline().add("float outputs", 1, 1);
                w.outline().add("float output", model.outputs(), model.outputs());
            }
            w.outline().arrays += size_of::<i16>() * values + STACK_OF_VALUES;
        }
        (true, 1..) if !integers && model.outputs() == 1 => w.outline().add("f32 class", 1, 1),
        (true, 1..) if !integers => {
            w.outline().add("f32 classes", 1, 1);
            w.outline().add("f32 class score", 0, model.outputs());
            w.outline().arrays += size_of::<f32>() * model.outputs();
        }
        (true, 1..) if model.outputs() == 1 => w.outline().add("integer class", 1, 1),
        (true, 1..) if has_one_unit(model.scales()) => {
            w.outline().add("integer classes", 1, 1);
            w.outline().add("integer class score", 0, model.outputs());
            w.outline().arrays += size_of::<i32>() * model.outputs();
        }
        _ => {}
    }
    if integers && samples.is_empty() && !model.takes_counts() {
        let values = values(model);
        w.outline().add("float values", 1, 1);
        w.outline().add("float value", values, values);
    }
}

/// Writes the type that keeps samples, and the begin of the function that takes one, up to the inputs.
fn take_sample(w: &mut Writer<'_>, lags: &Lags<'_>, readings: &Readings) {
    let &Readings { history, function, reading, outputs } = readings;
    w.comment(
        "The latest samples. All of it is zeros at the start, as a static history is. Set `samples` to 0 after a gap.",
    );
    w.line(format!("typedef struct {history} {{"));
    w.line(format!("{reading} slots[MODEL_SLOTS];"));
    w.line("uint8_t samples;");
    w.line(format!("}} {history};"));
    let integers = reading != "float";
    let missing = match integers {
        true => "MODEL_MISSING stands for a missing one. Returns what model_predict_integers returns, or",
        false => "NaN stands for a missing one. Returns MODEL_OK, or",
    };
    w.comment(&format!(
        "Takes a sample, one reading of every channel, and predicts from it and the samples before. {missing} \
         MODEL_WAITING while there are too few samples; then the outputs are left as they were."
    ));
    w.line(format!("MODEL_CHECKED static inline model_status {function}("));
    w.line(format!("    {history} *history, const {reading} sample[MODEL_CHANNELS], {outputs}) {{"));
    w.line(format!("{reading} x[{}];", if integers { "MODEL_VALUES" } else { "MODEL_INPUTS" }));
    w.line(format!("{reading} *slots = history->slots;"));
    w.outline().add(&format!("{reading} history"), 1, 1);
    let mut first = 0;
    for (channel, window) in lags.windows().map(usize::from).enumerate() {
        if window > 1 {
            w.outline().add(&format!("{reading} history window"), 1, 1);
            w.outline().add(&format!("{reading} history slot"), 0, window - 1);
            w.line(format!("for (size_t i = {}u; i > {first}u; i--) {{", first + window - 1));
            w.line("slots[i] = slots[i - 1u];");
            w.line("}");
        }
        if window > 0 {
            w.outline().add(&format!("{reading} history channel"), 1, 1);
            w.line(format!("slots[{first}] = sample[{channel}];"));
        }
        first += window;
    }
    w.line("if (history->samples < 255u) {");
    w.line("history->samples++;");
    w.line("}");
    w.line(format!("if (history->samples < {}u) {{", lags.depth()));
    w.line("return MODEL_WAITING;");
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
