//! A model as the text of a C file.

use srfm_runtime::Model;
use srfm_runtime::format::Number;

use super::names::{is_identifier, is_keyword};
use super::outline::Outline;
use super::parts::Part;
use super::style::Style;
use super::writer::Writer;
use super::{float, head, integers, reader, sections, self_test};
use crate::data::Description;
use crate::export::Blob;
use crate::message::message_by_display;

/// A model that becomes a C file without dependencies, for C99 and C++11.
///
/// The functions of the file have the bits of the runtime on every target and at every level of optimisation. Their
/// names begin with that of the model: `sensor_predict`.
#[derive(Clone, Debug)]
pub struct CSource<'a> {
    model: Model<'a>,
    name: String,
    inputs: Vec<String>,
    notes: Vec<String>,
    style: Style,
}

/// The reason why a model does not become a C file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CSourceError {
    /// The name cannot begin names in C.
    #[error("{0:?} is no C identifier; give a name of ASCII letters, digits and underscores that starts with a letter")]
    Name(String),
    /// The name is reserved.
    #[error("{0:?} is a keyword of C or C++; give another name")]
    Keyword(String),
}

message_by_display!(CSourceError);

impl<'a> CSource<'a> {
    /// Names a model.
    ///
    /// # Errors
    /// Those of [`CSource::check_name`].
    pub fn new(blob: &'a Blob, name: &str) -> Result<Self, CSourceError> {
        CSource::check_name(name)?;
        let name = name.to_owned();
        Ok(CSource { model: blob.model(), name, inputs: Vec::new(), notes: Vec::new(), style: Style::default() })
    }

    /// Checks the name of a model before there is a model.
    ///
    /// # Errors
    /// [`CSourceError::Name`] unless `name` is a C identifier that starts with a letter, [`CSourceError::Keyword`] if
    /// the name is a keyword.
    pub fn check_name(name: &str) -> Result<(), CSourceError> {
        match name {
            _ if !is_identifier(name) => Err(CSourceError::Name(name.to_owned())),
            _ if is_keyword(name) => Err(CSourceError::Keyword(name.to_owned())),
            _ => Ok(()),
        }
    }

    /// Adds the names of the readings as an enumeration, and those of the targets, where there is a description; then
    /// lines to the comment at the start, such as the origin of the model.
    pub fn with_description(mut self, description: Option<&Description>, notes: Vec<String>) -> Self {
        if let Some(description) = description {
            let targets = description.targets.join(", ");
            self.notes.push(format!("Predicts {targets} from the readings that the enumeration below names."));
            self.inputs = description.readings();
        }
        self.notes.extend(notes);
        self
    }

    /// Chooses between small and fast code; the default is small.
    pub fn with_style(self, style: Style) -> Self {
        CSource { style, ..self }
    }

    /// Returns the text of a file that reads and evaluates model files with the kernel of this model, in floating point
    /// or in integers as this model; none for a model of several kernels.
    pub fn reader(&self) -> Option<String> {
        reader::text(&self.model, &self.name, &self.notes)
    }

    /// Returns the text of the file.
    pub fn text(&self) -> String {
        let (model, name) = (&self.model, &self.name);
        let mut front = Writer::new(name);
        head::definitions(&mut front, model, &self.inputs);
        let mut w = Writer::new(name);
        w.need(Part::Guards);
        match model.header().number {
            Number::F32 => float::predict(&mut w, model, self.style),
            Number::I32 | Number::I16 => integers::predict(&mut w, model, self.style),
        }
        sections::write(&mut w, model);
        self_test::write(&mut w, model);
        let guard = format!("{}_H", name.to_uppercase());
        format!(
            "{}#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n{}{}\n#endif\n",
            head::comments(model, name, &self.notes),
            front.functions(),
            w.text(),
        )
    }
}

/// Returns the contents of the prediction of a model in small code; of an integer model, from integers to integers.
pub(crate) fn outline(model: &Model<'_>) -> Outline {
    let mut w = Writer::new("model");
    match model.header().number {
        Number::F32 => float::predict(&mut w, model, Style::Small),
        Number::I32 | Number::I16 => integers::predict_integers(&mut w, model, Style::Small),
    }
    w.into_outline()
}
