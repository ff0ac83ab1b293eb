//! What can be wrong with a model or a call.

use core::fmt;

/// Why a model was refused, or a prediction not made.
///
/// Small and `Copy`, so that firmware can store or transmit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The model does not start on a four-byte boundary; [`include_model!`](crate::include_model) sees to that.
    Misaligned,
    /// The first four bytes are not `SRFM`.
    NotAModel,
    /// The format version is not one that this crate reads.
    UnsupportedVersion(u16),
    /// There are fewer bytes than the model says it has.
    Truncated,
    /// The checksum does not fit the bytes.
    Corrupt,
    /// The header cannot be decoded, or asks for a kernel or preparation that this crate does not have.
    Header,
    /// A length or count in the model contradicts another.
    Layout,
    /// A feature refers to an input that the model does not have.
    IndexOutOfRange,
    /// A parameter is infinite or not a number.
    NotFinite,
    /// A fixed-size buffer is too small for the model.
    TooLarge,
    /// The number of readings handed to `predict` is not the number of inputs of the model.
    WrongInputs {
        /// Number of inputs of the model.
        expected: u16,
    },
    /// The number of results asked of `predict` is not the number of outputs of the model.
    WrongOutputs {
        /// Number of outputs of the model.
        expected: u16,
    },
    /// Integers were asked of a model in floating point.
    NotIntegers,
    /// `classify` was called on a model that predicts quantities.
    NoClasses,
}

impl Error {
    /// What is wrong, in one sentence without numbers; for constant expressions.
    pub const fn text(&self) -> &'static str {
        match self {
            Error::Misaligned => "the model does not start on a four-byte boundary",
            Error::NotAModel => "not an srfm model (the first four bytes are not SRFM)",
            Error::UnsupportedVersion(_) => "the format version is not supported",
            Error::Truncated => "the model is cut short",
            Error::Corrupt => "the model is corrupt (its checksum does not fit)",
            Error::Header => "the header cannot be read or asks for something this runtime does not have",
            Error::Layout => "the lengths in the model contradict each other",
            Error::IndexOutOfRange => "a feature refers to an input that the model does not have",
            Error::NotFinite => "a parameter of the model is infinite or not a number",
            Error::TooLarge => "the buffer is too small for the model",
            Error::WrongInputs { .. } => "the model takes another number of inputs",
            Error::WrongOutputs { .. } => "the model has another number of outputs",
            Error::NotIntegers => "the model is in floating point and takes no integers",
            Error::NoClasses => "the model predicts quantities and has no classes",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnsupportedVersion(version) => {
                let newest = crate::format::VERSION;
                write!(f, "format version {version} is not supported (this runtime reads versions 1 to {newest})")
            }
            Error::WrongInputs { expected } => write!(f, "the model takes {expected} inputs"),
            Error::WrongOutputs { expected } => write!(f, "the model has {expected} outputs"),
            other => f.write_str(other.text()),
        }
    }
}

impl core::error::Error for Error {}
