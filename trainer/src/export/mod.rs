//! From the model on the workstation to the bytes on the device.

mod blob;
pub mod budget;
mod encode;
mod float;
mod fold;
mod integers;
mod last_fit;
mod merge;
mod readings;
mod sections;
mod verify;

use serde::{Deserialize, Serialize};
use srfm_runtime::format::Number;

use crate::data::Dataset;
use crate::model::Model;

pub use blob::{Blob, BlobError};
pub use float::export;
pub use verify::{Agreement, LARGEST_SHARE, outside, predict, verify};

/// How the device stores a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberFormat {
    /// Single precision: for cores with a floating-point unit.
    #[default]
    F32,
    /// Integers, with weights of 32 bits: for every core.
    Int,
    /// Integers, with weights of 16 bits: two bytes less for a feature of two of at most 16 inputs, four of more, and a few instructions
    /// more.
    Int16,
}

impl NumberFormat {
    /// The names of all formats.
    pub const NAMES: [&str; 3] = ["f32", "int", "int16"];

    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            NumberFormat::F32 => "f32",
            NumberFormat::Int => "int",
            NumberFormat::Int16 => "int16",
        }
    }

    /// The format of a file with these numbers.
    pub fn of(number: Number) -> NumberFormat {
        match number {
            Number::F32 => NumberFormat::F32,
            Number::I32 => NumberFormat::Int,
            Number::I16 => NumberFormat::Int16,
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<NumberFormat> {
        match name {
            "f32" => Some(NumberFormat::F32),
            "int" => Some(NumberFormat::Int),
            "int16" => Some(NumberFormat::Int16),
            _ => None,
        }
    }

    /// The number format of the file.
    pub fn number(self) -> Number {
        match self {
            NumberFormat::F32 => Number::F32,
            NumberFormat::Int => Number::I32,
            NumberFormat::Int16 => Number::I16,
        }
    }
}

/// How a model is stored, and how much that may change it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encoding {
    /// Number format.
    pub number: NumberFormat,
    /// Largest difference between the device's predictions and the workstation's, in standard deviations of the target.
    pub max_error: f64,
}

impl Default for Encoding {
    fn default() -> Self {
        Encoding { number: NumberFormat::default(), max_error: LARGEST_SHARE }
    }
}

/// A model that was exported.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The model on the workstation, of which integers round inputs, biases and amplitudes alone.
    pub model: Model,
    /// The model as the device stores it.
    pub blob: Blob,
    /// How well the device's code reproduces the model over the rows that it was verified on.
    pub agreement: Agreement,
}

/// Suits `model`, which was fitted to the rows of `data`, to the number format, exports it and verifies the bytes on these rows.
///
/// For integers, weights are rounded to those that the file holds, and coefficients and intercepts fitted once more, so that the
/// function over the rows stays what it was. Where that does no good, as with few rows, and with more than 500 features, for
/// which it takes long, the model stays as it is.
///
/// # Errors
/// What [`verified`] says.
pub fn finished(model: Model, data: &Dataset, encoding: Encoding) -> Result<Exported, ExportError> {
    let model = match encoding.number {
        NumberFormat::F32 => model,
        NumberFormat::Int | NumberFormat::Int16 => last_fit::last_fit(model, data, encoding.number.number())?,
    };
    let (blob, agreement) = verified(&model, data, encoding)?;
    Ok(Exported { model, blob, agreement })
}

/// Exports `model` and verifies the bytes on the rows of `data`.
///
/// # Errors
/// What [`export`] and [`verify`] say.
pub fn verified(model: &Model, data: &Dataset, encoding: Encoding) -> Result<(Blob, Agreement), ExportError> {
    let (blob, worst) = match encoding.number {
        NumberFormat::F32 => (export(model)?, None),
        NumberFormat::Int | NumberFormat::Int16 => {
            let integers::Quantised { blob, worst } = integers::quantise(model, data, encoding.number.number())?;
            (blob, Some(worst))
        }
    };
    let agreement = verify(&blob, model, data, encoding.max_error)?;
    Ok((blob, Agreement { worst, ..agreement }))
}

/// Why a model cannot go to the device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A count is beyond what the format holds.
    #[error("the model has {count} {what}; the format holds at most {limit}")]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many fit.
        limit: usize,
    },
    /// A parameter overflows.
    #[error("{what} is beyond the range of the device; {advice}")]
    Range {
        /// The parameter.
        what: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// The argument of a sigmoid has no room in integers.
    #[error("the sigmoids are too steep for integers; set --number f32, or raise --lambda")]
    Steep,
    /// The device's code does not reproduce the model.
    #[error(
        "the model loses too much on the device: it differs by up to {share:.1e} standard deviations of the target (at most \
         {limit} is allowed); raise --lambda or --max-error, or try another --number"
    )]
    Precision {
        /// Largest difference over the rows, in standard deviations of the target.
        share: f64,
        /// Largest difference allowed.
        limit: f64,
    },
    /// The model takes more flash than it may.
    #[error(
        "the model takes {bytes} bytes of flash, more than the budget of {flash} bytes; raise --flash or lower --max-features"
    )]
    OverFlash {
        /// The budget in bytes.
        flash: usize,
        /// What the model takes.
        bytes: usize,
    },
    /// A prediction takes more instructions than it may.
    #[error(
        "a prediction takes up to {needed} instructions on {core}, more than the budget of {at_most}; raise --instructions or \
         lower --max-features"
    )]
    OverInstructions {
        /// The budget.
        at_most: u32,
        /// What a prediction takes.
        needed: u32,
        /// The core.
        core: &'static str,
    },
    /// The instructions of a prediction have no bound.
    #[error(
        "the instructions of such a model on {core} have no bound that is known before it runs; leave out --instructions and \
         measure with srfm device, or set --number int"
    )]
    NoBound {
        /// The core.
        core: &'static str,
    },
    /// The runtime refuses the bytes that were written: a fault of this crate.
    #[error("the runtime refuses the exported model: {0}")]
    Refused(srfm_runtime::Error),
}
