//! What the functions of the interface return.

use srfm_runtime::Error;

/// `srfm_status`: success, or why not. The numbers are part of the interface.
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
    /// `SRFM_TRUNCATED`
    Truncated = 6,
    /// `SRFM_CORRUPT`
    Corrupt = 7,
    /// `SRFM_HEADER`
    Header = 8,
    /// `SRFM_LAYOUT`
    Layout = 9,
    /// `SRFM_INDEX_OUT_OF_RANGE`
    IndexOutOfRange = 10,
    /// `SRFM_NOT_FINITE`
    NotFinite = 11,
    /// `SRFM_TOO_LARGE`
    TooLarge = 12,
    /// `SRFM_WRONG_INPUTS`
    WrongInputs = 13,
    /// `SRFM_WRONG_OUTPUTS`
    WrongOutputs = 14,
    /// `SRFM_NO_CLASSES`
    NoClasses = 15,
    /// `SRFM_NOT_INTEGERS`
    NotIntegers = 16,
    /// `SRFM_ABSENT`
    Absent = 17,
}

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        match error {
            Error::Misaligned => Status::Misaligned,
            Error::NotAModel => Status::NotAModel,
            Error::UnsupportedVersion(_) => Status::UnsupportedVersion,
            Error::Truncated => Status::Truncated,
            Error::Corrupt => Status::Corrupt,
            Error::Header => Status::Header,
            Error::Layout => Status::Layout,
            Error::IndexOutOfRange => Status::IndexOutOfRange,
            Error::NotFinite => Status::NotFinite,
            Error::TooLarge => Status::TooLarge,
            Error::WrongInputs { .. } => Status::WrongInputs,
            Error::WrongOutputs { .. } => Status::WrongOutputs,
            Error::NoClasses => Status::NoClasses,
            Error::NotIntegers => Status::NotIntegers,
        }
    }
}

impl From<Result<(), Error>> for Status {
    fn from(outcome: Result<(), Error>) -> Self {
        outcome.map_or_else(Status::from, |()| Status::Ok)
    }
}
