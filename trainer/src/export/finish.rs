//! From a fitted model to verified bytes.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::export::verify::{Agreement, LARGEST_SHARE, verify};
use crate::export::{Blob, ExportError, NumberFormat, export, integers, quantised_refit};
use crate::model::Model;

/// The number format of a model, the limit of its rounding error, and the range of its outputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Encoding {
    /// The number format.
    pub number: NumberFormat,
    /// The largest difference between the device's predictions and the workstation's, in standard deviations of the
    /// target.
    pub max_error: f64,
    /// What predictions may exceed the range of the targets by at either end, as a share of that range. Predictions
    /// beyond are limited. Scores of classes have no limits.
    pub output_margin: f64,
    /// Flash in bytes that the file may take. The file then holds the ranges of the readings wherever they fit. Without
    /// a limit, the ranges take at most an eighth of the file.
    #[serde(skip)]
    pub flash: Option<usize>,
    /// Whether the cosine of an integer model with one output is a polynomial rather than a table of 1 KB, which is
    /// smaller in a program that has one model.
    #[serde(skip)]
    pub polynomial: bool,
}

impl Encoding {
    /// Returns the settings within a budget of flash, whose bytes are those of the file or of a whole program, which
    /// leaves the file any length.
    pub(crate) fn within(self, flash: Option<usize>, program: bool) -> Encoding {
        let flash = if program { Some(usize::MAX) } else { flash.or(self.flash) };
        Encoding { flash, polynomial: program, ..self }
    }
}

impl Default for Encoding {
    fn default() -> Self {
        Encoding {
            number: NumberFormat::default(),
            max_error: LARGEST_SHARE,
            output_margin: 0.1,
            flash: None,
            polynomial: false,
        }
    }
}

impl From<NumberFormat> for Encoding {
    /// The number format with the default limit of the rounding error.
    fn from(number: NumberFormat) -> Self {
        Encoding { number, ..Encoding::default() }
    }
}

/// An exported model.
#[derive(Clone, Debug)]
pub(crate) struct Exported {
    /// The model on the workstation. Integers round its inputs, biases and amplitudes only.
    pub model: Model,
    /// The model as the device stores it.
    pub blob: Blob,
    /// The difference between the device's code and the model over the verified rows.
    pub agreement: Agreement,
}

/// Limits the outputs of `model`, adapts the model to the number format, exports it and verifies the bytes.
///
/// The model was fitted to the rows of `data`. The limits are the range of the targets in these rows, extended by the
/// margin. The bytes are verified on the same rows.
///
/// For integers, weights are rounded to those that the file holds, and coefficients and intercepts are fitted again, so
/// that the function over the rows stays nearly the same. The model keeps its coefficients if the second fit is no
/// better, as with few rows, and with more than 500 features, for which the second fit takes too long.
///
/// # Errors
/// The errors of [`verified`].
pub(crate) fn finished(mut model: Model, data: &Dataset, encoding: Encoding) -> Result<Exported, ExportError> {
    model.limit(data.y.column_iter().map(|targets| (targets.min(), targets.max())), encoding.output_margin);
    encoded(model, data, encoding)
}

/// Adapts `model` to the number format, exports it and verifies the bytes on the rows of `data`, as [`finished`] does.
///
/// # Errors
/// The errors of [`verified`].
pub(crate) fn encoded(mut model: Model, data: &Dataset, encoding: Encoding) -> Result<Exported, ExportError> {
    model.flash = encoding.flash;
    model.polynomial = encoding.polynomial;
    let model = match encoding.number {
        NumberFormat::F32 => model,
        NumberFormat::Int | NumberFormat::Int16 => {
            quantised_refit::quantised_refit(model, data, encoding.number.number())?
        }
    };
    let (blob, agreement) = verified(&model, data, encoding)?;
    Ok(Exported { model, blob, agreement })
}

/// Exports `model` and verifies the bytes on the rows of `data`.
///
/// # Errors
/// The errors of [`export`] and [`verify`].
pub(crate) fn verified(model: &Model, data: &Dataset, encoding: Encoding) -> Result<(Blob, Agreement), ExportError> {
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
