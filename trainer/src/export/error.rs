//! The errors of exports.

/// The reason why a model cannot go to the device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A count exceeds the limit of the format.
    #[error("the model has {count} {what}; the format holds at most {limit}")]
    TooMany {
        /// The kind of items.
        what: &'static str,
        /// The number of items.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// Too many inputs to be prepared in single precision.
    #[error(
        "the model uses {inputs} inputs, and in single precision readings are warped, limited or replaced among at \
         most {limit}; set `number` to int"
    )]
    TooManyPrepared {
        /// The number of inputs.
        inputs: usize,
        /// The limit.
        limit: usize,
    },
    /// A parameter overflows.
    #[error("{what} is beyond the range of the device; {advice}")]
    Range {
        /// The parameter.
        what: String,
        /// The advice to the user.
        advice: &'static str,
    },
    /// The argument of a sigmoid exceeds the range of integers.
    #[error("the sigmoids are too steep for integers; set `number` to f32, or raise `lambda`")]
    Steep,
    /// The device's code does not reproduce the model.
    #[error(
        "the model loses too much on the device: it differs by up to {share:.1e} standard deviations of the target \
         (at most \
         {limit} is allowed); raise `lambda` or `max_error`, or try another `number`"
    )]
    Precision {
        /// Largest difference over the rows, in standard deviations of the target.
        share: f64,
        /// Largest difference allowed.
        limit: f64,
    },
    /// The runtime refuses the written bytes: a fault of this crate.
    #[error("the runtime refuses the exported model: {0}")]
    Refused(srfm_runtime::Error),
}
