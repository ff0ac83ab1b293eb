//! From the model on the workstation to the bytes on the device.

mod blob;
pub mod budget;
mod encode;
mod fold;
mod merge;
mod sections;
mod verify;

use crate::data::Dataset;
use crate::model::Model;

pub use blob::Blob;
pub use encode::export;
pub use verify::{Agreement, predict, verify};

/// Exports `model` and verifies the bytes on the rows of `data`.
///
/// # Errors
/// What [`export`] and [`verify`] say.
pub fn verified(model: &Model, data: &Dataset) -> Result<(Blob, Agreement), ExportError> {
    let blob = export(model)?;
    let agreement = verify(&blob, model, data)?;
    Ok((blob, agreement))
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
    /// A parameter overflows in `f32`.
    #[error("{what} is beyond the range of f32; {advice}")]
    Range {
        /// The parameter.
        what: String,
        /// What to do about it.
        advice: &'static str,
    },
    /// The device's code does not reproduce the model.
    #[error(
        "the model loses too much in f32: on the device it differs by up to {share:.1e} standard deviations of the \
         target (at most {limit:.0e} is allowed); raise --lambda"
    )]
    Precision {
        /// Largest difference over the rows, in standard deviations of the target.
        share: f64,
        /// Largest difference allowed.
        limit: f64,
    },
    /// The model takes more flash than it may.
    #[error("the model takes {bytes} bytes of flash, more than the {flash} that it may; lower --max-features")]
    OverBudget {
        /// The budget in bytes.
        flash: usize,
        /// What the model takes.
        bytes: usize,
    },
    /// The runtime refuses the bytes that were written: a fault of this crate.
    #[error("the runtime refuses the exported model: {0}")]
    Refused(srfm_runtime::Error),
}
