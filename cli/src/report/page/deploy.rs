//! The model on the device: costs, quantisation error and lines of code.

use maud::{Markup, html};
use srfm_runtime::Model;

use crate::report::page::history::c_with_history;
use crate::report::page::rows::{Rows, drawn};
use crate::report::page::{ModelPage, Part, costs, side_by_side};
use crate::report::summary::ModelSummary;
use crate::report::text::{c_name, counted, significant};

/// The largest number of inputs whose names are part of the lines of code.
const NAMED: usize = 12;

impl ModelPage<'_> {
    /// Returns the costs on every core, those of programs, and the quantisation error.
    pub fn device(&self) -> Markup {
        html! { (costs::tables(&ModelSummary::of(self.blob))) (self.quantisation()) }
    }

    /// Returns the difference between the device's code and the model in `f64`; nothing if only the file is known.
    fn quantisation(&self) -> Markup {
        let (Some(host), Some(part)) = (self.host, self.parts.last()) else { return html! {} };
        let rows = Rows::of(self.blob, part.data, part.name);
        let exact = host.predict(&part.data.x);
        let difference = &rows.predictions - &exact;
        let drawn = drawn(part.data.rows(), |row| difference[(row, 0)]);
        let points: Vec<(f64, f64)> = drawn.iter().map(|&row| (exact[(row, 0)], difference[(row, 0)])).collect();
        let of_points = || points.iter().map(|point| point.0);
        let ends = [of_points().fold(f64::INFINITY, f64::min), of_points().fold(f64::NEG_INFINITY, f64::max)];
        let guide = ends.map(|end| (end, 0.0)).to_vec();
        let output = self.first_output(part);
        let title = format!("Quantisation error: {output}, {} rows", part.name);
        let labels = (&*format!("predicted {output}"), "device less double precision");
        html! {
            h3 { "Quantisation" }
            p {
                "Largest difference between the device's code and the model in double precision on the "
                (part.name) " rows"
                @if exact.ncols() > 1 { ", of " (counted(exact.ncols(), "output")) }
                ": " (significant(difference.amax())) "."
            }
            (side_by_side([rows.dots(&title, labels, points, guide, "difference")]))
        }
    }

    /// Returns the name of the first output: the target, or the class of its score.
    fn first_output(&self, part: &Part<'_>) -> String {
        match &part.data.classes[..] {
            [] => part.data.output_names[0].clone(),
            [_, second] => format!("score of {second}"),
            [first, ..] => format!("score of {first}"),
        }
    }

    /// Returns the lines of Rust and C.
    pub fn code(&self) -> Markup {
        let name = c_name(&self.file);
        html! {
            p { "Rust, with the crate srfm-runtime; the file lies beside the source:" }
            pre { code { (self.rust()) } }
            p { "C, with the file that srfm export " (self.file) " --c " (name) ".h writes, without a library:" }
            pre { code { (self.c(&name)) } }
        }
    }

    /// Returns the names of the readings as a comment.
    pub(super) fn readings(&self) -> String {
        let names = self.parts.last().map_or(&[][..], |part| match self.blob.model().samples().is_empty() {
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

    fn rust(&self) -> String {
        let model = self.blob.model();
        let file = self.literal();
        if !model.samples().is_empty() {
            return self.rust_with_history(&model);
        }
        let inputs = model.inputs();
        let outputs = model.outputs();
        let (result, last) = match model.classes().next() {
            Some(_) => ("Option<usize>", "MODEL.classify(readings, &mut [0.0; OUTPUTS])".to_owned()),
            None => ("[f32; OUTPUTS]", "MODEL.predict(readings, &mut outputs)?;\n    Ok(outputs)".to_owned()),
        };
        let buffer = if model.classes().count() > 0 { "" } else { "    let mut outputs = [0.0; OUTPUTS];\n" };
        format!(
            "use srfm_runtime::{{Error, Model, static_model}};\n\nconst INPUTS: usize = {inputs};\nconst OUTPUTS: \
             usize = {outputs};\nstatic MODEL: Model = static_model!(\"{file}\");\n\n/// Readings: {}.\npub fn \
             predict(readings: &[f32; INPUTS]) -> Result<{result}, Error> {{\n{buffer}    {last}\n}}\n",
            self.readings()
        )
    }

    /// Returns the lines of C that use the exported file.
    fn c(&self, name: &str) -> String {
        let model = self.blob.model();
        let include = format!("#include \"{name}.h\"\n\n/* Readings: {}. */\n", self.readings());
        if !model.samples().is_empty() {
            return include + &c_with_history(&model, name);
        }
        include + &if model.scales().is_empty() { c_of_readings(&model, name) } else { c_of_integers(&model, name) }
    }
}

/// Returns the function of C that predicts with a model in floating point.
fn c_of_readings(model: &Model<'_>, name: &str) -> String {
    let capitals = name.to_uppercase();
    let readings = format!("const float readings[{capitals}_INPUTS]");
    match (model.classes().next(), model.outputs()) {
        (Some(_), _) => format!(
            "/* Returns the name of the class; empty where there is none. */\nconst char *predict({readings}) \
             {{\n    size_t number;\n    return {name}_classify(readings, &number) == {capitals}_OK ? \
             {name}_class_name(number) : \"\";\n}}\n"
        ),
        (None, 1) => format!("float predict({readings}) {{\n    return {name}_predict(readings);\n}}\n"),
        (None, _) => format!(
            "void predict({readings}, float outputs[{capitals}_OUTPUTS]) {{\n    {name}_predict(readings, \
             outputs);\n}}\n"
        ),
    }
}

/// Returns the function of C that predicts with an integer model: from counts where these go in as they are, otherwise
/// from readings.
fn c_of_integers(model: &Model<'_>, name: &str) -> String {
    let capitals = name.to_uppercase();
    let (declared, prepared) = match model.takes_counts() {
        true => (format!("const int16_t z[{capitals}_VALUES]"), String::new()),
        false => (
            format!("const float readings[{capitals}_INPUTS]"),
            format!("    int16_t z[{capitals}_VALUES];\n    {name}_prepare(readings, z);\n"),
        ),
    };
    if model.classes().next().is_some() {
        return format!(
            "/* Returns the name of the class; empty where there is none. */\nconst char *predict({declared}) \
             {{\n    size_t number;\n{prepared}    return {name}_classify_integers(z, &number) == {capitals}_OK ? \
             {name}_class_name(number) : \"\";\n}}\n"
        );
    }
    let output = match model.outputs() {
        1 => "int32_t *output".to_owned(),
        _ => format!("int32_t output[{capitals}_OUTPUTS]"),
    };
    format!(
        "/* Returns {capitals}_OK, or {capitals}_MISSING_READING where a reading is missing. */\n{name}_status \
         predict({declared}, {output}) {{\n{prepared}    return {name}_predict_integers(z, output);\n}}\n"
    )
}
