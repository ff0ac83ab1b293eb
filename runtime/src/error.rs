//! The reasons why a model or a call is refused.

use core::fmt;

/// The reason why a model was refused, or a prediction not made.
///
/// An error is small and `Copy`, so that firmware can store or transmit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The model does not start on a four-byte boundary. [`include_model!`](crate::include_model) puts it on one.
    Misaligned,
    /// The first four bytes are not `SRFM`.
    NotAModel,
    /// This crate does not read this format version.
    UnsupportedVersion(u16),
    /// The program does not evaluate this number format.
    UnsupportedNumber(u8),
    /// The program does not evaluate the kernel with this number.
    UnsupportedKernel(u8),
    /// The program does not evaluate the warp with this number.
    UnsupportedWarp(u8),
    /// This crate does not know a section with this tag, which a reader must understand.
    UnsupportedSection(u8),
    /// There are fewer bytes than the file's length says.
    Truncated,
    /// The checksum does not match the bytes.
    Corrupt,
    /// The header cannot be decoded.
    Header,
    /// A length or count in the model contradicts another.
    Layout,
    /// A feature refers to an input that the model does not have.
    IndexOutOfRange,
    /// A parameter is infinite or not a number.
    NotFinite,
    /// The lower limit of an output or of a reading is above its upper limit.
    Limits,
    /// A fixed-size buffer is too small for the model.
    TooLarge,
    /// The number of readings handed to `predict` is not the number of inputs of the model.
    WrongInputs {
        /// The number of inputs of the model.
        expected: u16,
    },
    /// The number of results that `predict` shall give is not the number of outputs of the model. An adaptation
    /// refuses models of classes with this error, too.
    WrongOutputs {
        /// The number of outputs of the model.
        expected: u16,
    },
    /// The caller asked for integers, and the model is in floating point.
    NotIntegers,
    /// The caller asked for a class, and the model predicts quantities.
    NoClasses,
    /// An input of an integer model is [`MISSING`](crate::MISSING), the outputs depend on it, and the file has no
    /// replacement for it: there is no prediction.
    MissingReading,
}

impl Error {
    /// Returns the reason in one sentence without numbers, for constant expressions.
    pub const fn text(&self) -> &'static str {
        match self {
            Error::Misaligned => "the model does not start on a four-byte boundary",
            Error::NotAModel => "not an srfm model (the first four bytes are not SRFM)",
            Error::UnsupportedVersion(_) => "the format version is not supported",
            Error::UnsupportedNumber(_) => "the number format is not supported",
            Error::UnsupportedKernel(_) => "a kernel of the model is not supported",
            Error::UnsupportedWarp(_) => "a warp of the model is not supported",
            Error::UnsupportedSection(_) => "a section of the model must be understood and is not supported",
            Error::Truncated => "the model is cut short",
            Error::Corrupt => "the model is corrupt (its checksum does not match)",
            Error::Header => "the header cannot be read",
            Error::Layout => "the lengths in the model contradict each other",
            Error::IndexOutOfRange => "a feature refers to an input that the model does not have",
            Error::NotFinite => "a parameter of the model is infinite or not a number",
            Error::Limits => "a lower limit of the model is above its upper limit",
            Error::TooLarge => "the buffer is too small for the model",
            Error::WrongInputs { .. } => "the model takes another number of inputs",
            Error::WrongOutputs { .. } => "the model has another number of outputs",
            Error::NotIntegers => "the model is in floating point and takes no integers",
            Error::NoClasses => "the model predicts quantities and has no classes",
            Error::MissingReading => "a reading is missing and the model has no replacement for it",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnsupportedVersion(version) => write!(f, "format version {version} is not supported"),
            Error::UnsupportedNumber(number) => write!(f, "number format {number} is not supported"),
            Error::UnsupportedKernel(number) => write!(f, "kernel {number} is not supported"),
            Error::UnsupportedWarp(number) => write!(f, "warp {number} is not supported"),
            Error::UnsupportedSection(tag) => write!(f, "the section with tag {tag} is required and not supported"),
            Error::WrongInputs { expected } => write!(f, "the model takes {expected} inputs"),
            Error::WrongOutputs { expected } => write!(f, "the model has {expected} outputs"),
            other => f.write_str(other.text()),
        }
    }
}

impl core::error::Error for Error {}
