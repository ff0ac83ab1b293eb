//! The lines of code of a model that looks back in time.

use srfm_runtime::Model;

use crate::report::page::ModelPage;

impl ModelPage<'_> {
    /// Returns the lines of Rust.
    pub fn rust_with_history(&self, model: &Model<'_>) -> String {
        let (slots, inputs, channels, outputs) = (model.slots(), model.inputs(), model.channels(), model.outputs());
        let (result, body) = match model.classes().next() {
            Some(_) => (
                "usize",
                "    match history.push(&MODEL, readings)? {\n        Some(inputs) => MODEL.classify(inputs, &mut \
                 [0.0; OUTPUTS]).map(Some),\n        None => Ok(None),\n    }",
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

    /// Returns the lines of C.
    pub fn c_with_history(&self, model: &Model<'_>) -> String {
        let (slots, inputs, channels, outputs) = (model.slots(), model.inputs(), model.channels(), model.outputs());
        format!(
            "#include \"srfm.h\"\n\nenum {{ CHANNELS = {channels}, SLOTS = {slots}, INPUTS = {inputs}, OUTPUTS = \
             {outputs} }};\n_Alignas(4) static const unsigned char model_bytes[] = {{\n{data}}};\nstatic srfm_model \
             model;\nstatic float slots[SLOTS], inputs[INPUTS];\nstatic srfm_history history = {{ slots, SLOTS, \
             inputs, INPUTS, 0 }};\n\nsrfm_status start(void) {{ return srfm_parse(&model, model_bytes, sizeof \
             model_bytes); }}\n\n/* readings of a sample: {readings}; SRFM_WAITING while there are too few samples \
             */\nsrfm_status predict(const float readings[CHANNELS], float outputs[OUTPUTS]) {{\n    return \
             srfm_predict_sample(&model, &history, readings, CHANNELS, outputs, OUTPUTS);\n}}\n",
            data = self.bytes(),
            readings = self.readings()
        )
    }
}
