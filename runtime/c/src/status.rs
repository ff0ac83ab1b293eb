//! The status that the functions of the interface return.

use srfm_runtime::Error;
use srfm_runtime::adapt::StateError;
#[cfg(feature = "store")]
use srfm_runtime::update;

/// `srfm_status`: success, or the reason of a failure. The numbers are part of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// `SRFM_OK`
    Ok = 0,
    /// `SRFM_NULL`
    Null = 1,
    /// `SRFM_NOT_PARSED`
    NotParsed = 2,
    /// `SRFM_MISALIGNED`
    Misaligned = 3,
    /// `SRFM_NOT_A_MODEL`
    NotAModel = 4,
    /// `SRFM_UNSUPPORTED_VERSION`
    UnsupportedVersion = 5,
    /// `SRFM_UNSUPPORTED_NUMBER`
    UnsupportedNumber = 6,
    /// `SRFM_UNSUPPORTED_KERNEL`
    UnsupportedKernel = 7,
    /// `SRFM_UNSUPPORTED_WARP`
    UnsupportedWarp = 8,
    /// `SRFM_UNSUPPORTED_SECTION`
    UnsupportedSection = 9,
    /// `SRFM_TRUNCATED`
    Truncated = 10,
    /// `SRFM_CORRUPT`
    Corrupt = 11,
    /// `SRFM_HEADER`
    Header = 12,
    /// `SRFM_LAYOUT`
    Layout = 13,
    /// `SRFM_INDEX_OUT_OF_RANGE`
    IndexOutOfRange = 14,
    /// `SRFM_NOT_FINITE`
    NotFinite = 15,
    /// `SRFM_TOO_LARGE`
    TooLarge = 16,
    /// `SRFM_WRONG_INPUTS`
    WrongInputs = 17,
    /// `SRFM_WRONG_OUTPUTS`
    WrongOutputs = 18,
    /// `SRFM_NO_CLASSES`
    NoClasses = 19,
    /// `SRFM_NOT_INTEGERS`
    NotIntegers = 20,
    /// `SRFM_ABSENT`
    Absent = 21,
    /// `SRFM_LIMITS`
    Limits = 22,
    /// `SRFM_WAITING`
    Waiting = 23,
    /// `SRFM_OTHER`
    Other = 24,
    /// `SRFM_FLASH`
    Flash = 25,
    /// `SRFM_AREA`
    Area = 26,
    /// `SRFM_OLD_SEQUENCE`
    OldSequence = 27,
    /// `SRFM_FOREIGN`
    Foreign = 28,
    /// `SRFM_UNSIGNED`
    Unsigned = 29,
    /// `SRFM_SIGNATURE`
    Signature = 30,
    /// `SRFM_NOT_STARTED`
    NotStarted = 31,
    /// `SRFM_INCOMPLETE`
    Incomplete = 32,
    /// `SRFM_EMPTY`
    Empty = 33,
    /// `SRFM_RECEIVED`
    Received = 34,
    /// `SRFM_NO_SIGNATURES`
    NoSignatures = 35,
    /// `SRFM_MISSING_READING`
    MissingReading = 36,
    /// `SRFM_UNCERTAIN`
    Uncertain = 37,
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::Misaligned => Status::Misaligned,
            Error::NotAModel => Status::NotAModel,
            Error::UnsupportedVersion(_) => Status::UnsupportedVersion,
            Error::UnsupportedNumber(_) => Status::UnsupportedNumber,
            Error::UnsupportedKernel(_) => Status::UnsupportedKernel,
            Error::UnsupportedWarp(_) => Status::UnsupportedWarp,
            Error::UnsupportedSection(_) => Status::UnsupportedSection,
            Error::Truncated => Status::Truncated,
            Error::Corrupt => Status::Corrupt,
            Error::Header => Status::Header,
            Error::Layout => Status::Layout,
            Error::IndexOutOfRange => Status::IndexOutOfRange,
            Error::NotFinite => Status::NotFinite,
            Error::Limits => Status::Limits,
            Error::TooLarge => Status::TooLarge,
            Error::WrongInputs { .. } => Status::WrongInputs,
            Error::WrongOutputs { .. } => Status::WrongOutputs,
            Error::NoClasses => Status::NoClasses,
            Error::NotIntegers => Status::NotIntegers,
            Error::MissingReading => Status::MissingReading,
            _ => Status::Other,
        }
    }
}

impl From<StateError> for Status {
    fn from(error: StateError) -> Self {
        match error {
            StateError::Length | StateError::Coefficients(_) => Status::Layout,
            StateError::Absent => Status::Empty,
            StateError::Version(_) => Status::UnsupportedVersion,
            StateError::Corrupt => Status::Corrupt,
            StateError::OtherModel => Status::Foreign,
            _ => Status::Other,
        }
    }
}

#[cfg(feature = "store")]
impl From<update::Error> for Status {
    fn from(error: update::Error) -> Self {
        match error {
            update::Error::Flash(_) => Status::Flash,
            update::Error::Area => Status::Area,
            update::Error::TooLarge => Status::TooLarge,
            update::Error::OldSequence => Status::OldSequence,
            update::Error::Foreign => Status::Foreign,
            update::Error::Unsigned => Status::Unsigned,
            update::Error::Signature => Status::Signature,
            update::Error::NotStarted => Status::NotStarted,
            update::Error::Incomplete => Status::Incomplete,
            update::Error::Corrupt => Status::Corrupt,
            update::Error::Model(error) => error.into(),
            update::Error::Empty => Status::Empty,
            _ => Status::Other,
        }
    }
}

impl<E: Into<Status>> From<Result<(), E>> for Status {
    fn from(outcome: Result<(), E>) -> Self {
        outcome.map_or_else(E::into, |()| Status::Ok)
    }
}
