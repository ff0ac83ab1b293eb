//! The self test of a C source: rows of readings, and the bits that the runtime computes from them.

use srfm_runtime::Model;
use srfm_runtime::format::Number;

use super::literals::word;
use super::parts::Part;
use super::writer::{Writer, listed};

/// Rows of usual readings.
const USUAL: usize = 6;

/// Rows among which usual ones are chosen.
const ATTEMPTS: usize = 240;

/// The spreads of readings where the file states none.
const SCALES: [f32; 6] = [1.0, 0.1, 10.0, 100.0, 1000.0, 10_000.0];

/// The bits that stand for NaN.
const NAN: u32 = 0x7fc0_0000;

/// The status in C of a prediction from missing readings.
const MISSING_READING: i32 = 36;

/// The readings of a row with large numbers.
const LARGE: [f32; 4] = [1e38, -1e38, 1e5, -3.5];

/// Writes the rows and the functions that compare them. The self test of an integer model is from integers to integers;
/// another one is from readings.
pub(super) fn write(w: &mut Writer<'_>, model: &Model<'_>) {
    w.need(Part::Flash);
    w.need(Part::Bits);
    w.need(Part::Missing);
    let rows = rows(model);
    w.line("\n#ifdef MODEL_SELF_TEST");
    if model.header().number == Number::F32 {
        of_readings(w, model, &rows, "model_self_test");
    } else {
        of_integers(w, model, &rows);
        of_readings(w, model, &rows, "model_self_test_readings");
    }
    w.line("#endif");
}

/// Writes a table of words.
fn table(w: &mut Writer<'_>, name: &str, words: impl Iterator<Item = u32>) {
    let words = listed(&words.map(word).collect::<Vec<_>>());
    let text = w.named(&format!("static const uint32_t model_test_{name}[] MODEL_FLASH = {{{words}}};\n"));
    w.verbatim(&text);
}

/// Writes the self test from readings to outputs, by a function of the given name.
fn of_readings(w: &mut Writer<'_>, model: &Model<'_>, rows: &[f32], function: &str) {
    let mut expected = Vec::new();
    for x in rows.chunks_exact(model.inputs()) {
        let mut y = vec![0.0; model.outputs()];
        // The lengths are those of the model, and nothing else can fail.
        if model.predict(x, &mut y).is_ok() {
            expected.extend(y.iter().map(|y| if y.is_nan() { NAN } else { y.to_bits() }));
        }
    }
    w.comment("Rows of readings, the bits that the workstation computes from them, and how many rows differ here.");
    table(w, "rows", rows.iter().map(|x| x.to_bits()));
    table(w, "results", expected.into_iter());
    w.line(format!("static inline size_t {function}(void) {{"));
    w.line("size_t different = 0;");
    w.line(format!("for (size_t row = 0; row < {}u; row++) {{", rows.len() / model.inputs()));
    w.line("float x[MODEL_INPUTS];");
    w.line("float y[MODEL_OUTPUTS];");
    w.line("size_t wrong = 0;");
    w.line("for (size_t i = 0; i < MODEL_INPUTS; i++) {");
    w.line("x[i] = model_float(MODEL_READ_WORD(&model_test_rows[row * MODEL_INPUTS + i]));");
    w.line("}");
    w.line(if model.outputs() == 1 { "y[0] = model_predict(x);" } else { "model_predict(x, y);" });
    w.line("for (size_t i = 0; i < MODEL_OUTPUTS; i++) {");
    w.line(format!("const uint32_t bits = model_missing(y[i]) ? {} : model_bits(y[i]);", word(NAN)));
    w.line("wrong += bits != MODEL_READ_WORD(&model_test_results[row * MODEL_OUTPUTS + i]) ? 1u : 0u;");
    w.line("}");
    w.line("different += wrong > 0u ? 1u : 0u;");
    w.line("}");
    w.line("return different;");
    w.line("}");
}

/// Writes the self test from integers to integers.
fn of_integers(w: &mut Writer<'_>, model: &Model<'_>, rows: &[f32]) {
    let values = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let mut counts: Vec<i16> = Vec::new();
    let mut expected: Vec<i32> = Vec::new();
    for x in rows.chunks_exact(model.inputs()) {
        let mut z = vec![0; values];
        let mut y = vec![0; model.outputs()];
        // The lengths are those of the model.
        let status = model.prepare(x, &mut z).and_then(|()| model.predict_integers(&z, &mut y));
        counts.extend(z);
        expected.push(if status.is_ok() { 0 } else { MISSING_READING });
        expected.extend(y);
    }
    w.comment(
        "Rows of integers, the status and the outputs that the workstation gives, and how many rows differ here.",
    );
    table(w, "integers", counts.into_iter().map(|count| i32::from(count).cast_unsigned()));
    table(w, "outputs", expected.into_iter().map(i32::cast_unsigned));
    w.line("static inline size_t model_self_test(void) {");
    w.line("size_t different = 0;");
    w.line(format!("for (size_t row = 0; row < {}u; row++) {{", rows.len() / model.inputs()));
    w.line("int16_t z[MODEL_VALUES];");
    w.line("int32_t y[MODEL_OUTPUTS] = {0};");
    w.line("const uint32_t *expected = &model_test_outputs[row * (MODEL_OUTPUTS + 1u)];");
    w.line("size_t wrong = 0;");
    w.line("for (size_t i = 0; i < MODEL_VALUES; i++) {");
    w.line("z[i] = (int16_t)model_signed(MODEL_READ_WORD(&model_test_integers[row * MODEL_VALUES + i]));");
    w.line("}");
    w.line("wrong += (uint32_t)model_predict_integers(z, y) != MODEL_READ_WORD(&expected[0]) ? 1u : 0u;");
    w.line("for (size_t i = 0; i < MODEL_OUTPUTS; i++) {");
    w.line("wrong += (uint32_t)y[i] != MODEL_READ_WORD(&expected[i + 1u]) ? 1u : 0u;");
    w.line("}");
    w.line("different += wrong > 0u ? 1u : 0u;");
    w.line("}");
    w.line("return different;");
    w.line("}");
}

/// Returns usual rows, and rows of zeros, of large readings and of missing ones.
fn rows(model: &Model<'_>) -> Vec<f32> {
    let inputs = model.inputs();
    let mut random = Random(1);
    let mut rows = Vec::new();
    // A row whose outputs are at their limits tells little.
    for attempt in 0..ATTEMPTS {
        let row = random.row(model, SCALES[attempt % SCALES.len()]);
        let left = (ATTEMPTS - attempt) * inputs;
        if rows.len() + left <= USUAL * inputs || is_within_limits(model, &row) {
            rows.extend(row);
        }
        if rows.len() == USUAL * inputs {
            break;
        }
    }
    rows.extend(vec![0.0; inputs]);
    rows.extend((0..inputs).map(|i| LARGE[i % LARGE.len()]));
    rows.extend((0..inputs).map(|i| if i % 2 == 0 { f32::NAN } else { 1.0 }));
    rows
}

/// Returns whether every output is between its limits.
fn is_within_limits(model: &Model<'_>, row: &[f32]) -> bool {
    let mut y = vec![0.0; model.outputs()];
    model.predict(row, &mut y).is_ok() && y.iter().zip(model.limits()).all(|(&y, [low, high])| low < y && y < high)
}

/// A linear congruential generator.
struct Random(u64);

impl Random {
    /// Returns a number from 0 to 1.
    fn share(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    /// Returns a row in the ranges of the file, or around the centres of its inputs with a spread of `scale`.
    fn row(&mut self, model: &Model<'_>, scale: f32) -> Vec<f32> {
        let ranges: Vec<[f32; 2]> = model.ranges().collect();
        let reading = |input: usize| match ranges.get(input) {
            Some(&[low, high]) if low.is_finite() && high.is_finite() => low + (high - low) * self.share(),
            _ => {
                let prepared = model.prepared().iter().find(|p| usize::from(p.input) == input);
                prepared.map_or(scale, |p| p.centre) + scale * (2.0 * self.share() - 1.0)
            }
        };
        (0..model.inputs()).map(reading).collect()
    }
}
