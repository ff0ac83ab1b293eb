//! From the model on the workstation to the bytes on the device.

mod blob;
pub mod budget;
mod fold;
mod merge;
mod verify;

pub use blob::Blob;
pub use fold::export;
pub use verify::{Agreement, predict, verify};

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
    /// A parameter overflows or loses all its digits in `f32`.
    #[error("a parameter of the model is beyond the range of f32; rescale the target, or raise --lambda")]
    Range,
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
    /// The runtime refuses the bytes that were written: a fault of this crate.
    #[error("the runtime refuses the exported model: {0}")]
    Refused(srfm_runtime::Error),
}
