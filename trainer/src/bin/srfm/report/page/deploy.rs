//! The model on the device: costs, quantisation error and lines of code.

use maud::{Markup, html};

use crate::report::page::rows::Rows;
use crate::report::page::{ModelPage, side_by_side};
use crate::report::summary::ModelSummary;
use crate::report::text::significant;

/// The largest model whose bytes are part of the lines of C.
const MOST_BYTES: usize = 4096;

/// The largest number of inputs whose names are part of the lines of code.
const NAMED: usize = 12;

impl ModelPage<'_> {
    /// Returns the costs on every core and the quantisation error.
    pub fn device(&self) -> Markup {
        let summary = ModelSummary::of(self.blob);
        html! {
            table {
                tr { th { "core" } th { "instructions of a prediction, at most" } }
                @for bound in &summary.instructions { tr { td { (bound.core) } td { (bound.at_most) } } }
            }
            (self.quantisation())
        }
    }

    /// Returns the difference between the device's code and the model in `f64`; nothing if only the file is known.
    fn quantisation(&self) -> Markup {
        let (Some(host), Some(part)) = (self.host, self.parts.last()) else { return html! {} };
        let rows = Rows::of(self.blob, part.data, part.name);
        let exact = host.predict(&part.data.x);
        let difference = &rows.predictions - &exact;
        let points: Vec<(f64, f64)> = rows.drawn().iter().map(|&row| (exact[(row, 0)], difference[(row, 0)])).collect();
        let of_points = || points.iter().map(|point| point.0);
        let ends = [of_points().fold(f64::INFINITY, f64::min), of_points().fold(f64::NEG_INFINITY, f64::max)];
        let guide = ends.map(|end| (end, 0.0)).to_vec();
        let title = format!("Quantisation error of {}", part.data.output_names[0]);
        html! {
            p {
                "Largest difference between the device's code and the model in double precision on the "
                (part.name) " rows: " (significant(difference.amax())) "."
            }
            (side_by_side([rows.dots(&title, ("prediction", "device less double precision"), points, guide)]))
        }
    }

    /// Returns the lines of Rust and C.
    pub fn code(&self) -> Markup {
        html! {
            p { "Rust, with the crate srfm-runtime; the file lies beside the source:" }
            pre { code { (self.rust()) } }
            p { "C, with srfm.h and libsrfm.a:" }
            pre { code { (self.c()) } }
        }
    }

    /// Returns the names of the readings as a comment.
    pub(super) fn readings(&self) -> String {
        let names = self.parts.last().map_or(&[][..], |part| match self.blob.model().lags().is_empty() {
            true => &part.data.input_names[..],
            false => part.data.history.channels(),
        });
        let more = if names.len() > NAMED { ", …" } else { "" };
        let plain = |name: &String| name.replace(|c: char| c.is_control() || c == '*' || c == '\\', " ");
        format!("{}{more}", names.iter().take(NAMED).map(plain).collect::<Vec<_>>().join(", "))
    }

    /// Returns the name of the model file in a literal of Rust.
    pub(super) fn literal(&self) -> String {
        self.file.replace(['"', '\\'], "_")
    }

    /// Returns the lines of C that hold the bytes of the model.
    pub(super) fn bytes(&self) -> String {
        let bytes = self.blob.bytes();
        if bytes.len() > MOST_BYTES {
            return format!("    /* the output of: xxd -i < {} */\n", self.file);
        }
        let line = |line: &[u8]| format!("    {},\n", line.iter().map(u8::to_string).collect::<Vec<_>>().join(","));
        bytes.chunks(20).map(line).collect()
    }

    fn rust(&self) -> String {
        let (model, file) = (self.blob.model(), self.literal());
        if !model.lags().is_empty() {
            return self.rust_with_history(&model);
        }
        let (inputs, outputs) = (model.inputs(), model.outputs());
        let (result, last) = match model.classes().next() {
            Some(_) => ("usize", "MODEL.classify(readings, &mut [0.0; OUTPUTS])".to_owned()),
            None => ("[f32; OUTPUTS]", "MODEL.predict(readings, &mut outputs)?;\n    Ok(outputs)".to_owned()),
        };
        let buffer = if result == "usize" { "" } else { "    let mut outputs = [0.0; OUTPUTS];\n" };
        format!(
            "use srfm_runtime::{{Error, Model, static_model}};\n\nconst INPUTS: usize = {inputs};\nconst OUTPUTS: \
             usize = {outputs};\nstatic MODEL: Model = static_model!(\"{file}\");\n\n/// Readings: {}.\npub fn \
             predict(readings: &[f32; INPUTS]) -> Result<{result}, Error> {{\n{buffer}    {last}\n}}\n",
            self.readings()
        )
    }

    fn c(&self) -> String {
        let (model, data) = (self.blob.model(), self.bytes());
        if !model.lags().is_empty() {
            return self.c_with_history(&model);
        }
        let (inputs, outputs) = (model.inputs(), model.outputs());
        let call = match model.classes().next() {
            Some(_) => "srfm_classify(&model, readings, INPUTS, scores, OUTPUTS, class)",
            None => "srfm_predict(&model, readings, INPUTS, outputs, OUTPUTS)",
        };
        let results = if model.classes().next().is_some() {
            "float scores[OUTPUTS], size_t *class"
        } else {
            "float outputs[OUTPUTS]"
        };
        format!(
            "#include \"srfm.h\"\n\nenum {{ INPUTS = {inputs}, OUTPUTS = {outputs} }};\n_Alignas(4) static const \
             unsigned char model_bytes[] = {{\n{data}}};\nstatic srfm_model model;\n\nsrfm_status start(void) {{ \
             return srfm_parse(&model, model_bytes, sizeof model_bytes); }}\n\n/* readings: {} */\nsrfm_status \
             predict(const float readings[INPUTS], {results}) {{\n    return {call};\n}}\n",
            self.readings()
        )
    }
}
