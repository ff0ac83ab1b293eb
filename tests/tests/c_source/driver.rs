//! The program that runs sources on rows: it reads readings, calls every function and writes words.

use std::fmt::Write;
use std::path::Path;

use srfm_runtime::Model;
use srfm_runtime::format::Number;
use srfm_trainer::export::{CSource, Style};

use super::models::Case;

/// The styles with the first letters of their names.
pub const STYLES: [(Style, &str); 2] = [(Style::Small, "s"), (Style::Fast, "f")];

/// Writes the sources of all models, each in both styles, and the file `models.h`, which includes them and calls their
/// functions.
pub fn write(folder: &Path, cases: &[Case]) {
    write_changed(folder, cases, &|source| source);
}

/// [`write`] with a change of every source.
pub fn write_changed(folder: &Path, cases: &[Case], change: &dyn Fn(String) -> String) {
    let (mut text, mut table) = (String::from("#include <stddef.h>\n#include <stdint.h>\n"), String::new());
    let mut most = 0;
    for (i, case) in cases.iter().enumerate() {
        let model = case.blob.model();
        let rows = case.rows.len() / model.inputs();
        let words = case.expected().len() / rows;
        most = most.max(words).max(model.inputs());
        for (style, letter) in STYLES {
            let name = format!("{letter}{i}");
            std::fs::write(folder.join(format!("{name}.h")), change(case.source(&name, style))).unwrap();
            let unit = CSource::new(&case.blob, &name).expect("a C identifier").unit();
            let calls = calls(&model, &name, unit.map(|(unit, _)| unit));
            write!(
                text,
                "#define {}_SELF_TEST\n#include \"{name}.h\"\n\
                 static void run_{name}(const float *x, uint32_t *out) {{\n{calls}}}\n",
                name.to_uppercase()
            )
            .unwrap();
            writeln!(table, "    {{ run_{name}, {}, {words}, {rows} }},", model.inputs()).unwrap();
        }
    }
    write!(
        text,
        "#define MOST_WORDS {most}\nstatic const struct {{ void (*run)(const float *, uint32_t *); \
         size_t inputs, words, rows; }} runs[] = {{\n{table}}};\n"
    )
    .unwrap();
    std::fs::write(folder.join("models.h"), text).unwrap();
    std::fs::write(folder.join("run.h"), include_str!("run.h")).unwrap();
    let rows = cases.iter().flat_map(|case| std::iter::repeat_n(&case.rows, STYLES.len())).flatten();
    std::fs::write(folder.join("rows.bin"), rows.flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
}

/// Returns the words that the driver writes.
pub fn expected(cases: &[Case]) -> Vec<u32> {
    cases.iter().flat_map(|case| std::iter::repeat_n(case.expected(), STYLES.len())).flatten().collect()
}

/// Returns the calls of every function of a source. They write to `out`. Outputs in units are within half a unit and
/// what single precision loses.
fn calls(model: &Model<'_>, name: &str, unit: Option<f64>) -> String {
    let (outputs, mut c) = (model.outputs(), String::new());
    let upper = name.to_uppercase();
    let single = outputs == 1;
    let words_of_y = |c: &mut String| {
        writeln!(c, "    for (size_t i = 0; i < {outputs}; i++) *out++ = ").unwrap();
        writeln!(c, "        y[i] >= 0 || y[i] <= 0 ? {name}_bits(y[i]) : UINT32_C(0x7fc00000);").unwrap();
    };
    writeln!(c, "    float y[{outputs}];").unwrap();
    let predict = if single { format!("y[0] = {name}_predict(x);") } else { format!("{name}_predict(x, y);") };
    writeln!(c, "    {predict}").unwrap();
    words_of_y(&mut c);
    if model.header().number != Number::F32 {
        writeln!(c, "    int16_t z[{upper}_VALUES]; int32_t integers[{outputs}] = {{0}};").unwrap();
        writeln!(c, "    {name}_prepare(x, z);").unwrap();
        writeln!(c, "    *out++ = (uint32_t){name}_predict_integers(z, integers);").unwrap();
        writeln!(c, "    for (size_t i = 0; i < {upper}_VALUES; i++) *out++ = (uint32_t)(int32_t)z[i];").unwrap();
        writeln!(c, "    for (size_t i = 0; i < {outputs}; i++) *out++ = (uint32_t)integers[i];").unwrap();
        if let Some(unit) = unit {
            units_of_outputs(&mut c, name, outputs, unit);
        }
    }
    if model.classes().count() > 0 {
        writeln!(c, "    size_t number = 77; *out++ = (uint32_t){name}_classify(x, &number);").unwrap();
        writeln!(c, "    *out++ = (uint32_t)number;").unwrap();
        let score = if single { "y[0]" } else { "y" };
        writeln!(c, "    float shares[{upper}_CLASSES]; {name}_probabilities({score}, shares);").unwrap();
        writeln!(c, "    for (size_t i = 0; i < {upper}_CLASSES; i++) *out++ =").unwrap();
        writeln!(c, "        shares[i] >= 0 ? {name}_bits(shares[i]) : UINT32_C(0x7fc00000);").unwrap();
        if model.header().number != Number::F32 {
            writeln!(c, "    size_t second = 77; *out++ = (uint32_t){name}_classify_integers(z, &second);").unwrap();
            writeln!(c, "    *out++ = (uint32_t)second;").unwrap();
            let integers = if single { "integers[0]" } else { "integers" };
            writeln!(c, "    uint16_t of_integers[{upper}_CLASSES];").unwrap();
            writeln!(c, "    {name}_probabilities_of_integers({integers}, of_integers);").unwrap();
            writeln!(c, "    for (size_t i = 0; i < {upper}_CLASSES; i++) *out++ = of_integers[i];").unwrap();
        }
    }
    if model.ranges().len() > 0 {
        writeln!(c, "    *out++ = (uint32_t){name}_outside(x);").unwrap();
        if model.takes_counts() && model.samples().is_empty() {
            writeln!(c, "    *out++ = (uint32_t){name}_outside_integers(z);").unwrap();
        }
    }
    if model.level().is_some() {
        writeln!(c, "    for (size_t i = 0; i < {outputs}; i++) *out++ = {name}_bits({name}_half_width(i));").unwrap();
    }
    if !model.samples().is_empty() {
        samples(&mut c, model, name, &words_of_y);
    }
    let tests = match model.header().number {
        Number::F32 => format!("{name}_self_test()"),
        _ => format!("({name}_self_test() + {name}_self_test_readings())"),
    };
    writeln!(c, "    static int tested = 0;").unwrap();
    writeln!(c, "    *out++ = tested++ > 0 ? 0u : (uint32_t){tests};").unwrap();
    c
}

/// Writes the calls that take a sample of readings, and one of counts.
fn samples(c: &mut String, model: &Model<'_>, name: &str, words_of_y: &dyn Fn(&mut String)) {
    let (outputs, upper) = (model.outputs(), name.to_uppercase());
    let inputs = model.inputs();
    writeln!(c, "    static {name}_history history; float sample[{upper}_CHANNELS];").unwrap();
    writeln!(c, "    for (size_t i = 0; i < {upper}_CHANNELS; i++) sample[i] = x[i % {inputs}];").unwrap();
    writeln!(c, "    for (size_t i = 0; i < {outputs}; i++) y[i] = 0;").unwrap();
    writeln!(c, "    *out++ = (uint32_t){name}_predict_sample(&history, sample, y);").unwrap();
    words_of_y(c);
    if model.takes_counts() {
        writeln!(c, "    static {name}_integer_history counts; int16_t now[{upper}_CHANNELS];").unwrap();
        writeln!(c, "    for (size_t i = 0; i < {upper}_CHANNELS; i++) now[i] = z[i % {upper}_VALUES];").unwrap();
        writeln!(c, "    for (size_t i = 0; i < {outputs}; i++) integers[i] = 0;").unwrap();
        writeln!(c, "    *out++ = (uint32_t){name}_predict_sample_integers(&counts, now, integers);").unwrap();
        writeln!(c, "    for (size_t i = 0; i < {outputs}; i++) *out++ = (uint32_t)integers[i];").unwrap();
    }
}

/// Writes the calls that compare integer outputs in units with those in floating point.
fn units_of_outputs(c: &mut String, name: &str, outputs: usize, unit: f64) {
    let upper = name.to_uppercase();
    for output in 0..outputs {
        let suffix = if outputs == 1 { String::new() } else { format!("_{output}") };
        writeln!(c, "    {{ const double offset = (double){upper}_OFFSET{suffix};").unwrap();
        writeln!(c, "    const double steps = (double){upper}_STEP{suffix} * (double)integers[{output}];").unwrap();
        writeln!(c, "    const double units = {unit:e} * (double){name}_in_units{suffix}(integers[{output}]);")
            .unwrap();
        writeln!(c, "    const double off = units - (offset + steps), lost = 1e-6 * (offset < 0 ? -offset : offset)")
            .unwrap();
        writeln!(c, "        + 1e-6 * (steps < 0 ? -steps : steps) + 0.5001 * {unit:e};").unwrap();
        writeln!(c, "    *out++ = off <= lost && off >= -lost ? 0u : 1u; }}").unwrap();
    }
}
