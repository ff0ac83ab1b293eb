//! From a fitted model to verified bytes.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::export::verify::{Agreement, LARGEST_SHARE, verify};
use crate::export::{Blob, ExportError, NumberFormat, export, integers, last_fit};
use crate::model::Model;

/// How a model is stored, and how much that may change it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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

impl From<NumberFormat> for Encoding {
    /// The number format with the default limit of the rounding error.
    fn from(number: NumberFormat) -> Self {
        Encoding { number, ..Encoding::default() }
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
