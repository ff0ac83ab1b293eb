//! The lines of code of a model that looks back in time.

use srfm_runtime::Model;

use crate::report::page::ModelPage;

impl ModelPage<'_> {
    /// Returns the lines of Rust.
    pub fn rust_with_history(&self, model: &Model<'_>) -> String {
        let slots = model.slots();
        let inputs = model.inputs();
        let channels = model.channels();
        let outputs = model.outputs();
        let (result, body) = match model.classes().next() {
            Some(_) => (
                "usize",
                "    match history.push(&MODEL, readings)? {\n        Some(inputs) => MODEL.classify(inputs, &mut \
                 [0.0; OUTPUTS]),\n        None => Ok(None),\n    }",
            ),
            None => (
                "[f32; OUTPUTS]",
                "    let mut outputs = [0.0; OUTPUTS];\n    Ok(history.predict(&MODEL, readings, &mut \
                 outputs)?.then_some(outputs))",
            ),
        };
        format!(
            "use srfm_runtime::{{Error, History, Model, static_model}}; // feature \"history\"\n\nconst CHANNELS: \
             usize = {channels};\nconst OUTPUTS: usize = {outputs};\nstatic MODEL: Model = \
             static_model!(\"{file}\");\n\n/// The latest samples; begins as `Samples::new()`.\npub type Samples = \
             History<{slots}, {inputs}>;\n\n/// Readings of a sample: {readings}. None while there are too few \
             samples.\npub fn predict(history: &mut Samples, readings: &[f32; CHANNELS]) -> \
             Result<Option<{result}>, Error> {{\n{body}\n}}\n",
            file = self.literal(),
            readings = self.readings()
        )
    }
}

/// Returns the lines of C of a model of this name.
pub fn c_with_history(model: &Model<'_>, name: &str) -> String {
    let capitals = name.to_uppercase();
    let counts = model.takes_counts();
    let (kind, reading) = if counts { ("int32_t", "int16_t") } else { ("float", "float") };
    let (history, function) = match counts {
        true => ("integer_history", "predict_sample_integers"),
        false => ("history", "predict_sample"),
    };
    let output = match model.outputs() {
        1 => format!("{kind} *output"),
        _ => format!("{kind} output[{capitals}_OUTPUTS]"),
    };
    format!(
        "static {name}_{history} history;\n\n/* Takes a sample; returns {capitals}_WAITING while there are too few. \
         */\n{name}_status predict(const {reading} readings[{capitals}_CHANNELS], {output}) {{\n    return \
         {name}_{function}(&history, readings, output);\n}}\n"
    )
}
