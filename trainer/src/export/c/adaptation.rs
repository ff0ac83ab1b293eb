//! The adaptation of a model as a C file of its own beside that of the model.

use srfm_runtime::Model;
use srfm_runtime::adapt::{Adaptation, Settings, fingerprint};

use super::literals::{float, word};
use super::parts::Part;
use super::style::Style;
use super::writer::{Type, Writer};

/// The most inputs whose slopes are corrected; a model of more has an offset and a gain alone.
const MOST_INPUTS: usize = 16;

/// The text of the functions. In it `model_` stands for the prefix of their names, and `@name@` for the name of the
/// model.
const FUNCTIONS: &str = include_str!("templates/adaptation.h");

/// What the correction of a prediction is a linear function of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regressors {
    /// The prediction and the inputs.
    Inputs,
    /// The prediction, the inputs, and the products of the prediction with itself and with each input.
    Products,
}

/// What the file says of other files.
pub(super) struct Files<'a> {
    /// The comment at its start.
    pub head: &'a str,
    /// The name of the file of the model.
    pub header: &'a str,
}

/// Returns the number of inputs whose slopes are corrected, and the number of coefficients.
fn coefficients(model: &Model<'_>, regressors: Regressors) -> [usize; 2] {
    match (model.ranges().len(), regressors) {
        (inputs @ ..=MOST_INPUTS, Regressors::Inputs) => [inputs, inputs + 2],
        (inputs @ ..=MOST_INPUTS, Regressors::Products) => [inputs, 2 * inputs + 3],
        _ => [0, 2],
    }
}

/// Returns the text of the file. The model has one output that is a quantity.
pub(super) fn text(model: &Model<'_>, name: &str, files: &Files<'_>, regressors: Regressors) -> String {
    let &Files { head, header } = files;
    let [inputs, count] = coefficients(model, regressors);
    let prefix = format!("{name}_adapt");
    let mut w = Writer::new(&prefix, Style::Small);
    [Part::Guards, Part::Flash, Part::Product, Part::Bits, Part::Missing, Part::Absolute]
        .into_iter()
        .for_each(|part| w.need(part));
    let scales = w.table(Type::Word, "scales", scales(model, inputs));
    constants(&mut w, model, count);
    let readings = match inputs {
        0 => "    (void)x;\n",
        _ => {
            "    for (size_t i = 0; i < @inputs@u; i++) {\n        regressors[2u + i] = model_standardised(x[i], i + \
             1u);\n    }\n"
        }
    };
    let products = match count > inputs + 2 {
        false => "",
        true => {
            "    for (size_t i = 0; i <= @inputs@u; i++) {\n        const float product = \
             model_product(regressors[1], regressors[1u + i]);\n        regressors[@first@u + i] = \
             model_clamped(product, -3.0f, 3.0f);\n    }\n"
        }
    };
    let outside = match model.ranges().len() {
        0 => "    (void)x;\n",
        _ => "    adaptation->outside += adaptation->outside < 0xffffffffu && @name@_outside(x) > 0u ? 1u : 0u;\n",
    };
    let functions = FUNCTIONS
        .replace("@readings@", readings)
        .replace("@products@", products)
        .replace("@outside@", outside)
        .replace("@inputs@", &inputs.to_string())
        .replace("@first@", &(2 + inputs).to_string())
        .replace("@scales@", &scales)
        .replace("model_", &format!("{prefix}_"))
        .replace("MODEL_", &format!("{}_", prefix.to_uppercase()))
        .replace("@name@", name)
        .replace("@NAME@", &name.to_uppercase());
    let guard = format!("{}_H", format!("{name}_adaptation").to_uppercase());
    format!(
        "{head}#ifndef {guard}\n#define {guard}\n\n#include \"{header}\"\n\n#include <stddef.h>\n#include \
         <stdint.h>\n\n{}\n{functions}\n#endif\n",
        w.text(),
    )
}

/// Returns the words of the middle and of half the length of every range: of the output, then of the inputs.
fn scales(model: &Model<'_>, inputs: usize) -> Vec<String> {
    let ranges = model.limits().take(1).chain(model.ranges().take(inputs));
    let scale = |[low, high]: [f32; 2]| [0.5 * low + 0.5 * high, 0.5 * high - 0.5 * low];
    ranges.flat_map(scale).map(|number| word(number.to_bits())).collect()
}

/// Writes the constants, which are those of the adaptation in Rust.
fn constants(w: &mut Writer<'_>, model: &Model<'_>, count: usize) {
    // The constants do not depend on the number of coefficients.
    let first = Adaptation::<1, 1>::new(model);
    let &Settings { keeps, variance, caution, bound } = first.recalibration.settings();
    let [mean, factor] = first.interval.floats();
    let entries = count * (count + 1) / 2;
    w.line("");
    w.line(format!("#define MODEL_COEFFICIENTS {count}u"));
    w.line(format!("#define MODEL_ENTRIES {entries}u"));
    w.line(format!("#define MODEL_STATE_BYTES {}u", 4 * (28 + entries + 2 * count)));
    w.line(format!("#define MODEL_FINGERPRINT {}", word(fingerprint(model))));
    let numbers = [
        ("USUAL_ERROR", first.usual_error()),
        ("KEEPS", keeps),
        ("KEPT", keeps * keeps),
        ("VARIANCE", variance),
        ("CAUTION", caution),
        ("BOUND", bound),
        ("MOST", bound * bound),
        ("MEAN", mean),
        ("FACTOR", factor),
        ("OUTSIDE", 1.0 - first.interval.level()),
        ("LEAST_MEAN", f32::MIN_POSITIVE),
        ("LARGEST_MEAN", f32::MAX / 100.0),
    ];
    for (constant, number) in numbers {
        w.line(format!("#define MODEL_{constant} {}", float(number)));
    }
    // Limits may be infinite, which no literal is.
    for (constant, limit) in ["LOW", "HIGH"].into_iter().zip(model.limits().next().unwrap_or_default()) {
        w.line(format!("#define MODEL_{constant} model_float({})", word(limit.to_bits())));
    }
}
