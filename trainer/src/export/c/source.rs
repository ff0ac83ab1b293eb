//! A model as the text of a C file.

use std::io;
use std::path::Path;

use srfm_runtime::Model;
use srfm_runtime::format::Number;

use super::adaptation::{self, Files, Regressors};
use super::example::{self, Example, Platform};
use super::names::{is_identifier, is_keyword};
use super::outline::Outline;
use super::parts::Part;
use super::style::Style;
use super::writer::Writer;
use super::{float, head, integers, reader, sections, self_test, trees, units};
use crate::data::Description;
use crate::export::blob::{Blob, save};
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
    targets: Vec<String>,
    notes: Vec<String>,
    style: Style,
    /// The unit of integer outputs, where they have one.
    unit: Option<f64>,
    /// Whether a budget was for a core with a floating-point unit.
    for_unit: bool,
}

/// The reason why a model does not become a C file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CSourceError {
    /// The name cannot begin names in C.
    #[error("{0:?} is no C identifier; give a name of ASCII letters, digits and underscores that starts with a letter")]
    Name(String),
    /// The name is reserved.
    #[error("{0:?} is a keyword of C or C++; give another name")]
    Keyword(String),
    /// The outputs of the model have no unit in integers.
    #[error("the model gives no quantities in integers, which a unit is for; fit it with another number format")]
    NoUnit,
    /// Outputs in this unit are no whole numbers of 32 bits.
    #[error("outputs in units of {0} do not fit 32 bits; give a number above 0, such as 0.01")]
    Unit(f64),
    /// A tree of the model has more levels than compilers take.
    #[error("a tree of the model has more levels of conditions than C compilers take; deploy the model file")]
    Deep,
    /// The model does not predict one quantity.
    #[error("only models of one quantity adapt; fit a model for each target")]
    Quantities,
    /// The model looks at earlier samples.
    #[error("models that look at earlier samples do not adapt in C; adapt with the library for Rust or C")]
    Samples,
}

message_by_display!(CSourceError);

impl<'a> CSource<'a> {
    /// Names a model.
    ///
    /// # Errors
    /// Those of [`CSource::check_name`], and [`CSourceError::Deep`].
    pub fn new(blob: &'a Blob, name: &str) -> Result<Self, CSourceError> {
        CSource::check_name(name)?;
        if blob.model().trees().is_some_and(|of_model| trees::are_too_deep(&of_model)) {
            return Err(CSourceError::Deep);
        }
        let name = name.to_owned();
        let (model, style) = (blob.model(), Style::default());
        let unit = units::usual(&model);
        Ok(CSource {
            model,
            name,
            inputs: Vec::new(),
            targets: Vec::new(),
            notes: Vec::new(),
            style,
            unit,
            for_unit: false,
        })
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
            self.targets = description.targets.clone();
        }
        self.notes.extend(notes);
        self
    }

    /// Chooses between small and fast code; the default is small.
    pub fn with_style(self, style: Style) -> Self {
        CSource { style, ..self }
    }

    /// Chooses the unit of integer outputs, such as 0.01; the default is a power of ten that fits their range.
    ///
    /// # Errors
    /// [`CSourceError::NoUnit`] for a model in floating point and for a classifier, [`CSourceError::Unit`] where
    /// outputs in this unit do not fit 32 bits.
    pub fn with_unit(self, unit: f64) -> Result<Self, CSourceError> {
        if self.model.scales().is_empty() || self.model.classes().count() > 0 {
            return Err(CSourceError::NoUnit);
        }
        if !units::is_usable(&self.model, unit) {
            return Err(CSourceError::Unit(unit));
        }
        Ok(CSource { unit: Some(unit), ..self })
    }

    /// Returns the unit of integer outputs, where they have one, and the digits behind the decimal point that it stands
    /// for, where it is a power of ten.
    pub fn unit(&self) -> Option<(f64, Option<u32>)> {
        self.unit.map(|unit| (unit, units::decimals(unit)))
    }

    /// Returns the name of the model.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the model is in floating point.
    pub fn is_float(&self) -> bool {
        self.model.header().number == Number::F32
    }

    /// Says that a budget of the model was for a core with a floating-point unit: the compiler warns where the unit of
    /// a model in floating point is missing or not switched on.
    pub fn for_a_floating_point_unit(self) -> Self {
        CSource { for_unit: true, ..self }
    }

    /// Returns the function whose cost budgets count: from integers to integers where the model is in integers, from
    /// samples where it looks back in time.
    pub fn budgeted(&self) -> String {
        format!("{}_{}", self.name, example::budgeted(&self.model))
    }

    /// Returns the text of a program that calls [`budgeted`](Self::budgeted) and prints the prediction.
    pub fn example(&self, platform: Platform) -> String {
        let CSource { model, name, inputs, targets, .. } = self;
        let unit = self.unit();
        Example { model, name, inputs, targets, unit, platform }.text()
    }

    /// Returns the text of a file that reads and evaluates model files with the kernel of this model, in floating point
    /// or in integers as this model; none for a model of several kernels.
    pub fn reader(&self) -> Option<String> {
        reader::text(&self.model, &self.name, &self.notes)
    }

    /// Returns the text of a file that adapts the model by references. The file includes that of the model, `header`.
    ///
    /// # Errors
    /// [`CSourceError::Quantities`] unless the model has one output that is a quantity, [`CSourceError::Samples`] for a
    /// model that looks back in time.
    pub fn adaptation(&self, regressors: Regressors, header: &str) -> Result<String, CSourceError> {
        let CSource { model, name, .. } = self;
        if model.outputs() != 1 || model.classes().count() > 0 {
            return Err(CSourceError::Quantities);
        }
        if !model.samples().is_empty() {
            return Err(CSourceError::Samples);
        }
        let note = format!("Adapts the model of {header} by references: true values that arrive now and then.");
        let head = head::comments(model, name, &[note]);
        Ok(adaptation::text(model, name, &Files { head: &head, header }, regressors))
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
        let (model, name) = (&self.model, &self.name);
        let mut front = Writer::new(name, self.style);
        head::definitions(&mut front, model, &self.inputs);
        let mut w = Writer::new(name, self.style);
        w.need(Part::Guards);
        if self.for_unit && self.is_float() {
            w.need(Part::FloatingPointUnit);
        }
        match model.header().number {
            Number::F32 => float::predict(&mut w, model, self.style),
            Number::I32 | Number::I16 => integers::predict(&mut w, model, self.style),
        }
        sections::write(&mut w, model, self.unit);
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

/// Returns the contents of the prediction of a model in small code: of an integer model from integers to integers, of
/// a model that looks back from samples, of a classifier to the class. The history of an integer model with lags
/// whose readings need a preparation takes floating point and is left out, and so is the decision among scores of
/// several units.
pub(crate) fn outline(model: &Model<'_>) -> Outline {
    let mut w = Writer::new("model", Style::Small);
    match model.header().number {
        Number::F32 => float::predict(&mut w, model, Style::Small),
        Number::I32 | Number::I16 => integers::predict_integers(&mut w, model, Style::Small),
    }
    sections::write_budgeted(&mut w, model);
    w.into_outline()
}
