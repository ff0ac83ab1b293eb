//! The errors of exports.

use crate::message::setting::{LAMBDA, MAX_ERROR, NUMBER};
use crate::message::{Explain, Message, display_by_message, message};

/// The reason why a model cannot go to the device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A count exceeds the limit of the format.
    TooMany {
        /// The kind of items.
        what: &'static str,
        /// The number of items.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// Too many inputs to be prepared in single precision.
    TooManyPrepared {
        /// The number of inputs.
        inputs: usize,
        /// The limit.
        limit: usize,
    },
    /// A parameter overflows.
    Range {
        /// The parameter.
        what: String,
        /// The advice to the user.
        advice: Message,
    },
    /// The argument of a sigmoid exceeds the range of integers.
    Steep,
    /// The device's code does not reproduce the model.
    Precision {
        /// Largest difference over the rows, in standard deviations of the target.
        share: f64,
        /// Largest difference allowed.
        limit: f64,
    },
    /// The runtime refuses the written bytes: a fault of this crate.
    Refused(srfm_runtime::Error),
}

impl Explain for ExportError {
    fn message(&self) -> Message {
        match self {
            ExportError::TooMany { what, count, limit } => {
                message!("the model has {count} {what}; the format holds at most {limit}")
            }
            ExportError::TooManyPrepared { inputs, limit } => message!(
                "the model uses {inputs} inputs, and in single precision readings are warped, limited or replaced \
                 among at most {limit}; set ",
                NUMBER.to("int")
            ),
            ExportError::Range { what, advice } => message!("{what} is beyond the range of the device; ", advice),
            ExportError::Steep => {
                message!("the sigmoids are too steep for integers; set ", NUMBER.to("f32"), ", or raise ", LAMBDA)
            }
            ExportError::Precision { share, limit } => message!(
                "the model loses too much on the device: it differs by up to {share:.1e} standard deviations of the \
                 target (at most {limit} is allowed); raise ",
                LAMBDA
            )
            .and_further(message!(" or ", MAX_ERROR))
            .and(message!(", or try another ", NUMBER)),
            ExportError::Refused(error) => message!("the runtime refuses the exported model: {error}"),
        }
    }
}

display_by_message!(ExportError);
