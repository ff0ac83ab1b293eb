//! The failure of a command, and its exit code.
//!
//! The code is 2 where the command line is wrong, by itself or against the names and the number of columns in the data:
//! an option, a value, a combination of options, a name. Settings of a file count as options. The code is 1 where the
//! command line is right but the work cannot be done: with these files, these rows, or this model.

use srfm_trainer::FitError;
use srfm_trainer::cost::{BudgetError, UnknownBoard, UnknownCore};
use srfm_trainer::data::{ColumnError, DataError, SplitError};
use srfm_trainer::emulate::DeviceError;
use srfm_trainer::export::{CSourceError, ExportError, MicroPythonError};
use srfm_trainer::message::{Explain, Message};
use srfm_trainer::method::MethodError;
use srfm_trainer::request::RequestError;
use srfm_trainer::scaling::WarpError;

use crate::interruption;
use crate::options::Options;

/// The exit code where the work cannot be done.
const CANNOT: u8 = 1;
/// The exit code of wrong usage.
const USAGE: u8 = 2;

/// A message for the user and an exit code.
pub struct Failure {
    message: Message,
    code: u8,
}

impl Failure {
    /// Creates a failure of work that cannot be done.
    pub fn new(message: impl Into<Message>) -> Failure {
        Failure { message: message.into(), code: CANNOT }
    }

    /// Creates a failure of usage.
    pub fn usage(message: impl Into<Message>) -> Failure {
        Failure { message: message.into(), code: USAGE }
    }

    /// Adds a remark in parentheses.
    pub fn and(mut self, more: &str) -> Failure {
        self.message = self.message.and(format!(" ({more})"));
        self
    }

    /// Returns the message.
    pub fn into_message(self) -> Message {
        self.message
    }

    /// Prints the message on standard error, with settings as `options`, and returns the exit code.
    pub fn report(self, options: &Options) -> u8 {
        if self.code == interruption::EXIT_CODE {
            interruption::claim_the_end();
        }
        if !self.message.is_empty() {
            say!("srfm: {}", options.render(&self.message));
        }
        self.code
    }
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Self {
        let code = match &error {
            FitError::Interrupted => interruption::EXIT_CODE,
            FitError::Warp(WarpError::Count { .. }) => USAGE,
            FitError::Method(error) if is_setting(error) => USAGE,
            _ => CANNOT,
        };
        Failure { message: error.message(), code }
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Split(error) => error.into(),
            _ => Failure::usage(error.message()),
        }
    }
}

impl From<ColumnError> for Failure {
    fn from(error: ColumnError) -> Self {
        Failure { message: error.message(), code: if is_name(&error) { USAGE } else { CANNOT } }
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        match error {
            DataError::Columns(error) => error.into(),
            DataError::TargetCount { .. } | DataError::SeveralTargets { .. } => Failure::usage(error.message()),
            _ => Failure::new(error.message()),
        }
    }
}

/// Returns whether the settings of a method are wrong.
fn is_setting(error: &MethodError) -> bool {
    matches!(
        error,
        MethodError::UnknownMethod { .. }
            | MethodError::UnknownSetting { .. }
            | MethodError::InvalidSetting { .. }
            | MethodError::Setting { .. }
            | MethodError::OrderBeyondInputs { .. }
            | MethodError::FewCandidates { .. }
            | MethodError::Pool { .. }
            | MethodError::Memory { .. }
            | MethodError::GramMemory { .. }
    )
}

/// Returns whether the names of columns on the command line are wrong. Two columns of one name are the file's.
fn is_name(error: &ColumnError) -> bool {
    match error {
        ColumnError::Setting { .. }
        | ColumnError::UnknownColumn { .. }
        | ColumnError::Role { .. }
        | ColumnError::Windows { .. }
        | ColumnError::InputCount { .. }
        | ColumnError::NoTargetLeft { .. } => true,
        ColumnError::AmbiguousColumn { first, second, .. } => first == second,
        ColumnError::NoInputs { columns, .. } => *columns > 1,
        _ => false,
    }
}

/// Errors of the library that end a command with one exit code.
macro_rules! failures {
    ($($error:ty => $failure:path),* $(,)?) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                $failure(error.message())
            }
        })*
    };
}

failures! {
    BudgetError => Failure::new,
    CSourceError => Failure::usage,
    DeviceError => Failure::new,
    ExportError => Failure::new,
    MicroPythonError => Failure::new,
    SplitError => Failure::new,
    UnknownBoard => Failure::usage,
    UnknownCore => Failure::usage,
}

impl From<std::io::Error> for Failure {
    /// Converts an error of standard output. A closed pipe, such as of `head`, fails without a message.
    fn from(error: std::io::Error) -> Self {
        let quiet = error.kind() == std::io::ErrorKind::BrokenPipe;
        Failure {
            message: if quiet { Message::default() } else { format!("cannot write: {error}").into() },
            code: CANNOT,
        }
    }
}
