//! Example programs of a C source: they call the function whose cost budgets count.

use srfm_runtime::Model;
use srfm_runtime::format::Number;

use super::literals::LICENCE;
use super::literals::{comment, text};
use super::names::constants;
use crate::data::History;

/// The pins of an Arduino that read a voltage.
const PINS: [&str; 6] = ["A0", "A1", "A2", "A3", "A4", "A5"];

/// The library that an example is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// The standard library of C.
    Standard,
    /// Arduino, in C++.
    Arduino,
    /// Zephyr.
    Zephyr,
    /// ESP-IDF.
    EspIdf,
}

/// What an example knows of a model.
pub(super) struct Example<'a> {
    pub model: &'a Model<'a>,
    pub name: &'a str,
    /// The names of the readings; empty where they are not known.
    pub inputs: &'a [String],
    /// The names of the outputs; empty where they are not known.
    pub targets: &'a [String],
    /// The unit of integer outputs, and its decimals.
    pub unit: Option<(f64, Option<u32>)>,
    pub platform: Platform,
}

/// The name of the function whose cost budgets count, without that of the model.
pub(super) fn budgeted(model: &Model<'_>) -> &'static str {
    let integers = model.header().number != Number::F32;
    let classes = model.classes().count() > 0;
    match (model.samples().is_empty(), classes) {
        (false, _) if model.takes_counts() => "predict_sample_integers",
        (false, _) => "predict_sample",
        (true, true) if integers => "classify_integers",
        (true, true) => "classify",
        (true, false) if integers => "predict_integers",
        (true, false) => "predict",
    }
}

/// A reading of the example: its place in the array, its name, and whether the outputs depend on it.
struct Reading {
    place: String,
    label: String,
    used: bool,
}

/// The lines of a program.
struct Lines(String);

impl Lines {
    fn add(&mut self, line: impl AsRef<str>) {
        self.0 += line.as_ref();
        self.0 += "\n";
    }
}

impl Example<'_> {
    /// Returns the text of the program.
    pub fn text(&self) -> String {
        let mut lines = Lines(String::new());
        self.begin(&mut lines);
        self.pins(&mut lines);
        self.print_units(&mut lines);
        if self.lags() {
            lines.add("/* The latest samples. */");
            let history = if self.counts() { "integer_history" } else { "history" };
            lines.add(format!("static {}_{history} samples;\n", self.name));
        }
        lines.add("/* Predicts from the readings of now and prints the prediction. */");
        lines.add("static void predict(void) {");
        self.read(&mut lines);
        self.call(&mut lines);
        self.print(&mut lines);
        lines.add("}\n");
        self.end(&mut lines);
        lines.0
    }

    fn upper(&self) -> String {
        self.name.to_uppercase()
    }

    fn integers(&self) -> bool {
        self.model.header().number != Number::F32
    }

    fn lags(&self) -> bool {
        !self.model.samples().is_empty()
    }

    fn classes(&self) -> bool {
        self.model.classes().count() > 0
    }

    /// Returns whether readings go into an array of integers.
    fn counts(&self) -> bool {
        self.model.takes_counts()
    }

    /// Returns whether outputs are integers.
    fn integer_outputs(&self) -> bool {
        self.integers() && (self.counts() || !self.lags())
    }

    /// Returns the name of the array of readings, its type and its length.
    fn array(&self) -> (&'static str, &'static str, String) {
        let (name, kind) = if self.counts() { ("z", "int16_t") } else { ("x", "float") };
        let length = match (self.lags(), self.counts()) {
            (true, _) => "CHANNELS",
            (false, true) => "VALUES",
            (false, false) => "INPUTS",
        };
        (name, kind, format!("{}_{length}", self.upper()))
    }

    /// Returns the readings in the order of their array.
    fn readings(&self) -> Vec<Reading> {
        let model = self.model;
        let of_inputs: Vec<bool> = (0..model.inputs()).map(|input| model.uses_input(input)).collect();
        let names = constants(self.inputs);
        let reading = |place: usize, input: usize, prefix: &str, used: bool| Reading {
            place: match names.get(input) {
                Some(name) => format!("{}_{prefix}_{name}", self.upper()),
                None => place.to_string(),
            },
            label: comment(self.inputs.get(input).map_or(&format!("reading {}", input + 1), |name| name)),
            used,
        };
        if self.lags() {
            let history = History::from_model(model.samples(), Vec::new());
            let used = history.used_channels(&of_inputs).into_iter().enumerate();
            return used.map(|(channel, used)| reading(channel, channel, "CHANNEL", used)).collect();
        }
        if self.counts() && !model.prepared().is_empty() {
            let inputs = model.prepared().iter().map(|prepared| usize::from(prepared.input)).enumerate();
            return inputs.map(|(value, input)| reading(value, input, "VALUE", of_inputs[input])).collect();
        }
        let prefix = if self.counts() { "VALUE" } else { "INPUT" };
        (0..model.inputs()).map(|input| reading(input, input, prefix, of_inputs[input])).collect()
    }

    fn begin(&self, lines: &mut Lines) {
        let name = self.name;
        lines.add(format!("/* {LICENCE} */"));
        lines.add(match self.platform {
            Platform::Arduino if self.model.samples().windows().is_some() => {
                "/* Reads the sensors at every sample and prints the prediction of every window. */"
            }
            Platform::Arduino if self.lags() => {
                "/* Reads the sensors as often as the log has rows and prints the prediction. */"
            }
            Platform::Arduino => "/* Reads the sensors once a second and prints the prediction. */",
            _ if self.lags() => "/* Predicts from samples of zeros. Replace the zeros by readings of the sensors. */",
            _ => "/* Predicts from a row of zeros. Replace the zeros by readings of the sensors. */",
        });
        lines.add(match self.platform {
            Platform::Standard | Platform::EspIdf => "#include <stdio.h>\n",
            Platform::Arduino => "#include <Arduino.h>",
            Platform::Zephyr => "#include <zephyr/sys/printk.h>\n",
        });
        lines.add(match self.platform {
            Platform::Arduino => format!("#include <{name}.h>\n"),
            _ => format!("#include \"{name}.h\"\n"),
        });
    }

    /// Writes the pins of an Arduino.
    fn pins(&self, lines: &mut Lines) {
        if self.platform != Platform::Arduino {
            return;
        }
        lines.add("/* The pins of the sensors: name yours. */");
        lines.add("static const uint8_t pins[] = {");
        for (i, reading) in self.readings().iter().filter(|reading| reading.used).enumerate() {
            match PINS.get(i) {
                Some(pin) => lines.add(format!("    {pin}, /* {} */", reading.label)),
                None => lines.add(format!("    A0, /* {}: no pin is left for it */", reading.label)),
            }
        }
        lines.add("};\n");
    }

    /// Returns the decimals of the unit in which integer outputs are printed.
    fn decimals(&self) -> Option<Option<u32>> {
        self.unit.filter(|_| self.integer_outputs() && !self.classes()).map(|(_, decimals)| decimals)
    }

    /// Writes the function that prints a number of units.
    fn print_units(&self, lines: &mut Lines) {
        let (Some(decimals), Some((unit, _))) = (self.decimals(), self.unit) else { return };
        lines.add(format!("/* Prints a number of units of {unit}. */"));
        lines.add("static void print_units(int32_t units) {");
        match decimals {
            Some(decimals @ 1..) => {
                let one = 10_u64.pow(decimals);
                lines.add("    const uint32_t size = units < 0 ? 0u - (uint32_t)units : (uint32_t)units;");
                if self.platform == Platform::Arduino {
                    lines.add("    if (units < 0) {\n        Serial.print('-');\n    }");
                    lines.add(format!("    Serial.print(size / {one}u);\n    Serial.print('.');"));
                    lines.add(format!("    for (uint32_t place = {}u; place > 0u; place /= 10u) {{", one / 10));
                    lines.add("        Serial.print(size / place % 10u);\n    }");
                } else {
                    lines.add(format!("    {}(\"%s%lu.%0{decimals}lu\", units < 0 ? \"-\" : \"\",", self.printf()));
                    lines.add(format!("        (unsigned long)(size / {one}u), (unsigned long)(size % {one}u));"));
                }
            }
            _ => {
                let times = if decimals.is_none() { format!(" x {unit}") } else { String::new() };
                if self.platform == Platform::Arduino {
                    lines.add(format!("    Serial.print(units);\n    Serial.print(F(\"{times}\"));"));
                } else {
                    lines.add(format!("    {}(\"%ld{times}\", (long)units);", self.printf()));
                }
            }
        }
        lines.add("}\n");
    }

    fn printf(&self) -> &'static str {
        if self.platform == Platform::Zephyr { "printk" } else { "printf" }
    }

    /// Writes the readings into their array.
    fn read(&self, lines: &mut Lines) {
        let (array, kind, length) = self.array();
        lines.add(format!("    {kind} {array}[{length}] = {{ 0 }};"));
        if self.platform != Platform::Arduino {
            return;
        }
        for (i, reading) in self.readings().iter().filter(|reading| reading.used).enumerate() {
            lines.add(format!("    {array}[{}] = ({kind})analogRead(pins[{i}]);", reading.place));
        }
    }

    /// Writes the call of the function that budgets count, and the return without a prediction.
    fn call(&self, lines: &mut Lines) {
        let (name, upper) = (self.name, self.upper());
        let (array, ..) = self.array();
        let function = budgeted(self.model);
        let single = self.model.outputs() == 1;
        let y = if single { "&y" } else { "y" };
        let kind = if self.integer_outputs() { "int32_t" } else { "float" };
        let declared =
            if single { format!("    {kind} y = 0;") } else { format!("    {kind} y[{upper}_OUTPUTS] = {{ 0 }};") };
        let mut z = array;
        if self.integers() && !self.counts() && !self.lags() {
            lines.add(format!("    int16_t z[{upper}_VALUES];"));
            z = "z";
        }
        match function {
            "classify" | "classify_integers" => lines.add("    size_t number = 0;"),
            _ => lines.add(declared),
        }
        if z != array {
            lines.add(format!("    {name}_prepare({array}, z);"));
        }
        match function {
            "classify" | "classify_integers" => {
                lines.add(format!("    if ({name}_{function}({z}, &number) != {upper}_OK) {{"));
            }
            "predict_integers" => lines.add(format!("    if ({name}_{function}({z}, {y}) != {upper}_OK) {{")),
            "predict" if single => lines.add(format!("    y = {name}_predict(x);\n    if (y != y) {{")),
            "predict" => lines.add(format!("    {name}_predict(x, y);\n    if (y[0] != y[0]) {{")),
            _ => {
                lines.add(format!("    const {name}_status status = {name}_{function}(&samples, {array}, {y});"));
                lines.add(format!("    if (status == {upper}_WAITING) {{"));
                if self.model.samples().windows().is_some() {
                    lines.add("        return; /* no window is complete */\n    }");
                } else {
                    lines.add(format!(
                        "        {}\n        return;\n    }}",
                        self.say("waiting for more samples", true)
                    ));
                }
                let first = if single { "y" } else { "y[0]" };
                let missing = match self.integer_outputs() {
                    true => format!("status != {upper}_OK"),
                    false => format!("{first} != {first}"),
                };
                lines.add(format!("    if ({missing}) {{"));
            }
        }
        let without = match (function, self.model.confidence()) {
            ("classify" | "classify_integers", Some(_)) => "a reading is missing, or the class is not certain",
            _ => "a reading is missing",
        };
        lines.add(format!("        {}\n        return;\n    }}", self.say(without, true)));
    }

    /// Returns the statement that prints a text, and ends the line if `end`.
    fn say(&self, what: &str, end: bool) -> String {
        let literal = text(what);
        match (self.platform, end) {
            (Platform::Arduino, true) => format!("Serial.println(F({literal}));"),
            (Platform::Arduino, false) => format!("Serial.print(F({literal}));"),
            (_, _) => {
                let percent = literal.trim_matches('"').replace('%', "%%");
                format!("{}(\"{percent}{}\");", self.printf(), if end { "\\n" } else { "" })
            }
        }
    }

    /// Returns the statement that prints a number in floating point.
    fn say_float(&self, number: &str) -> String {
        match self.platform {
            Platform::Arduino => format!("Serial.print({number}, 6);"),
            Platform::Zephyr => format!("printk(\"%f\", (double)({number}));"),
            Platform::Standard | Platform::EspIdf => format!("printf(\"%g\", (double)({number}));"),
        }
    }

    /// Writes what prints a class, or the outputs and what is known of them.
    fn print(&self, lines: &mut Lines) {
        if self.classes() {
            return self.print_class(lines);
        }
        for output in 0..self.model.outputs() {
            let target = self.targets.get(output).cloned().unwrap_or_else(|| format!("output {}", output + 1));
            lines.add(format!("    {}", self.say(&format!("{target} "), false)));
            self.print_output(lines, output);
            lines.add(format!("    {}", self.say("", true)));
        }
        self.print_outside(lines);
    }

    /// Writes the warning of readings outside of the fitted range. The inputs that a history makes are not at hand.
    fn print_outside(&self, lines: &mut Lines) {
        let name = self.name;
        let outside = match (self.lags(), self.counts(), self.model.ranges().len()) {
            (true, ..) | (_, _, 0) => return,
            (_, true, _) => format!("{name}_outside_integers(z)"),
            (_, false, _) => format!("{name}_outside(x)"),
        };
        lines.add(format!("    if ({outside} > 0u) {{"));
        lines.add(format!("        {}", self.say("a reading is outside of the fitted range: this is a guess", true)));
        lines.add("    }");
    }

    /// Writes what prints an output and half the width of its interval.
    fn print_output(&self, lines: &mut Lines, output: usize) {
        let (name, upper) = (self.name, self.upper());
        let single = self.model.outputs() == 1;
        let suffix = if single { String::new() } else { format!("_{output}") };
        let y = if single { "y".to_owned() } else { format!("y[{output}]") };
        let width = self.model.half_width(output).filter(|width| width.is_finite());
        let has_width = width.is_some() && self.model.level().is_some_and(f32::is_finite);
        if self.decimals().is_some() {
            lines.add(format!("    print_units({name}_in_units{suffix}({y}));"));
            if has_width {
                lines.add(format!("    {}", self.say(" +- ", false)));
                lines.add(format!("    print_units({upper}_HALF_WIDTH_UNITS{suffix});"));
            }
            return;
        }
        lines.add(format!(
            "    {}",
            match self.integer_outputs() {
                true => self.say_float(&format!("{upper}_OFFSET{suffix} + {upper}_STEP{suffix} * (float){y}")),
                false => self.say_float(&y),
            }
        ));
        if has_width {
            lines.add(format!("    {}", self.say(" +- ", false)));
            lines.add(format!("    {}", self.say_float(&format!("{name}_half_width({output}u)"))));
        }
    }

    fn print_class(&self, lines: &mut Lines) {
        let (name, upper) = (self.name, self.upper());
        let number = match (self.lags(), self.integer_outputs()) {
            (false, _) => "number".to_owned(),
            (true, true) => format!("{name}_class_of_integers(y)"),
            (true, false) => {
                lines.add("    size_t number = 0;");
                lines.add(format!("    if ({name}_class_of(y, &number) != {upper}_OK) {{"));
                lines.add(format!("        {}\n        return;\n    }}", self.say("the class is not certain", true)));
                "number".to_owned()
            }
        };
        if self.lags() && self.integer_outputs() && self.model.confidence().is_some() {
            lines.add(format!("    if ({number} == {upper}_CLASSES) {{"));
            lines.add(format!("        {}\n        return;\n    }}", self.say("the class is not certain", true)));
        }
        let class = format!("{name}_class_name({number})");
        lines.add(match self.platform {
            Platform::Arduino => format!("    Serial.println({class});"),
            _ => format!("    {}(\"%s\\n\", {class});", self.printf()),
        });
        self.print_outside(lines);
    }

    fn end(&self, lines: &mut Lines) {
        let depth = usize::from(self.model.samples().depth());
        let calls = match depth {
            1 => "    predict();".to_owned(),
            _ => format!("    for (int sample = 0; sample < {depth}; sample++) {{\n        predict();\n    }}"),
        };
        let delay = match self.model.samples().windows() {
            Some(_) => "delay(10); /* set the time between two rows of your log */",
            None if self.lags() => "delay(1000); /* set the time between two rows of your log */",
            None => "delay(1000);",
        };
        lines.add(match self.platform {
            Platform::Arduino => format!(
                "void setup() {{\n    Serial.begin(9600);\n}}\n\nvoid loop() {{\n    predict();\n    {delay}\n}}"
            ),
            Platform::Standard | Platform::Zephyr => format!("int main(void) {{\n{calls}\n    return 0;\n}}"),
            Platform::EspIdf => format!("void app_main(void) {{\n{calls}\n}}"),
        });
    }
}
