//! A model as the text of a Python file.

use std::io;
use std::path::Path;

use srfm_runtime::Model;
use srfm_runtime::format::{Kernel, Number};
use srfm_runtime::kernel::lines;

use super::literals::comment;
use super::writer::{COLUMNS, Part, Writer, commented};
use super::{classes, history, inputs, names, outputs, predict};
use crate::data::Description;
use crate::export::blob::{Blob, save};
use crate::export::c::{LICENCE, Style, head, units};
use crate::export::lines::in_lines;

use crate::message::setting::NUMBER;
use crate::message::{Explain, Message, display_by_message, message};

/// An integer model that becomes a Python file without dependencies, for MicroPython and CPython.
///
/// The functions of the file have the bits of the runtime, by integers alone.
#[derive(Clone, Debug)]
pub struct MicroPythonSource<'a> {
    model: Model<'a>,
    name: String,
    inputs: Vec<String>,
    notes: Vec<String>,
    style: Style,
    /// The unit of outputs, where they have one.
    unit: Option<f64>,
}

/// The reason why a model does not become a Python file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MicroPythonError {
    /// The model is in floating point.
    Float,
    /// The outputs of the model have no unit.
    NoUnit,
    /// Outputs in this unit are no whole numbers of 32 bits.
    Unit(f64),
    /// Scores of classes leave the range of single precision.
    Scores,
    /// The inputs are statistics of windows.
    Windows,
}

impl Explain for MicroPythonError {
    fn message(&self) -> Message {
        match self {
            MicroPythonError::Float => message!(
                "the model is in floating point, and a file for MicroPython computes in integers; fit the model with ",
                NUMBER.with("int")
            ),
            MicroPythonError::NoUnit => message!("the model gives no quantities, which a unit is for"),
            MicroPythonError::Unit(unit) => {
                message!("outputs in units of {unit} do not fit 32 bits; give a number above 0, such as 0.01")
            }
            MicroPythonError::Windows => {
                message!("statistics of windows are in floating point, and a file for MicroPython computes in integers")
            }
            MicroPythonError::Scores => message!("the scores of the classes leave the range of single precision"),
        }
    }
}

display_by_message!(MicroPythonError);

impl<'a> MicroPythonSource<'a> {
    /// Checks whether a model can become a Python file. `name` stands in the comment at its head.
    ///
    /// # Errors
    /// [`MicroPythonError::Float`], [`MicroPythonError::Scores`] and [`MicroPythonError::Windows`].
    pub fn new(blob: &'a Blob, name: &str) -> Result<Self, MicroPythonError> {
        let model = blob.model();
        if model.header().number == Number::F32 {
            return Err(MicroPythonError::Float);
        }
        if model.samples().windows().is_some() {
            return Err(MicroPythonError::Windows);
        }
        if !classes::are_in_range(&model) {
            return Err(MicroPythonError::Scores);
        }
        let unit = units::usual(&model);
        let name = name.to_owned();
        Ok(MicroPythonSource { model, name, inputs: Vec::new(), notes: Vec::new(), style: Style::default(), unit })
    }

    /// Adds the names of the readings as constants, where there is a description, and lines to the comment at the head,
    /// such as the origin of the model.
    pub fn with_description(mut self, description: Option<&Description>, notes: Vec<String>) -> Self {
        if let Some(description) = description {
            self.notes.push(format!("Predicts {}.", description.targets.join(", ")));
            self.inputs = description.readings();
        }
        self.notes.extend(notes);
        self
    }

    /// Chooses between loops over tables, the default, and features one after the other.
    pub fn with_style(self, style: Style) -> Self {
        MicroPythonSource { style, ..self }
    }

    /// Chooses the unit of outputs, such as 0.01; the default is a power of ten that fits their range.
    ///
    /// # Errors
    /// [`MicroPythonError::NoUnit`] for a classifier, [`MicroPythonError::Unit`] where outputs in this unit do not fit
    /// 32 bits.
    pub fn with_unit(self, unit: f64) -> Result<Self, MicroPythonError> {
        if self.model.classes().count() > 0 {
            return Err(MicroPythonError::NoUnit);
        }
        if !units::is_usable(&self.model, unit) {
            return Err(MicroPythonError::Unit(unit));
        }
        Ok(MicroPythonSource { unit: Some(unit), ..self })
    }

    /// Returns the name of the function that a program calls.
    pub fn function(&self) -> &'static str {
        match (self.model.samples().is_empty(), self.model.classes().count(), self.model.takes_counts()) {
            (false, _, true) => "History().predict_integers",
            (false, _, false) => "History().predict",
            (true, 1.., true) => "classify_integers",
            (true, _, true) => "predict_integers",
            (true, _, false) => "predict",
        }
    }

    /// Writes the file, completely or not at all.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        save(path.as_ref(), self.text().as_bytes())
    }

    /// Returns the text of the file.
    pub fn text(&self) -> String {
        let model = &self.model;
        let mut front = Writer::default();
        names::write(&mut front, model, &self.inputs);
        let mut w = Writer::default();
        outputs::units(&mut w, model, self.unit);
        if !model.takes_counts() {
            inputs::prepare(&mut w, model);
        }
        predict::write(&mut w, model, self.style);
        classes::write(&mut w, model);
        outputs::outside(&mut w, model);
        history::write(&mut w, model);
        let parts: String = w.parts().iter().map(|&part| text_of(part)).collect();
        let imports = if w.parts().contains(&Part::Exact) { STRUCT } else { "" };
        let tables = if w.tables().is_empty() { String::new() } else { format!("\n{}", w.tables()) };
        format!("{}\n{HEAD}{imports}\n{}{parts}{tables}{}", self.comments(), front.lines(), w.lines())
    }

    /// Returns the comment at the head of the file.
    fn comments(&self) -> String {
        let paragraphs = [head::title(&self.model, &self.name)].into_iter().chain(self.notes.iter().cloned());
        let lines = paragraphs.chain([HABITS.to_owned()]).flat_map(|text| commented(&comment(&text), COLUMNS));
        format!("# {LICENCE}\n{}\n", lines.collect::<Vec<_>>().join("\n"))
    }
}

/// What a program may rely on.
const HABITS: &str = "The file runs under MicroPython and CPython. It computes in integers alone and gives the bits of \
    the workstation. A prediction is not to be interrupted by another one.";

/// The imports of every file.
const HEAD: &str = include_str!("templates/head.py");

/// The import of files that take readings.
const STRUCT: &str = "from struct import pack, unpack\n";

/// Returns the text of a part.
fn text_of(part: Part) -> String {
    match part {
        Part::Cosines => tables_of("cosine", Kernel::Cosine),
        Part::Sigmoids => tables_of("sigmoid", Kernel::Sigmoid),
        Part::Rounded => include_str!("templates/rounded.py").to_owned(),
        Part::Exact => include_str!("templates/exact.py").to_owned(),
        Part::Logarithm => include_str!("templates/logarithm.py").to_owned(),
        Part::Root => include_str!("templates/root.py").to_owned(),
    }
}

/// Returns the lines that a kernel consists of, each by its value at the start of its segment and by its slope. Of an
/// argument of 16 bits, the upper half counts the segments, and the lower half is the place in one.
fn tables_of(name: &str, kernel: Kernel) -> String {
    let words: &[i32] = lines(kernel).map_or(&[], |lines| lines);
    let start = |(segment, &word): (usize, &i32)| {
        let first = if segment < 128 { segment as i32 } else { segment as i32 - 256 };
        word.wrapping_add(i32::from(word as i16).wrapping_mul(256 * first)).to_string()
    };
    let starts: Vec<String> = words.iter().enumerate().map(start).collect();
    let slopes: Vec<String> = words.iter().map(|&word| (word as i16).to_string()).collect();
    let table = |what: &str, values: &[String]| format!("_{name}_{what} = ({})\n", in_lines(values));
    format!("\n{}{}", table("values", &starts), table("slopes", &slopes))
}
