//! The failure of a command.

use srfm_trainer::FitError;
use srfm_trainer::cost::{BudgetError, UnknownCore};
use srfm_trainer::data::{ColumnError, DataError, SplitError};
use srfm_trainer::emulate::DeviceError;
use srfm_trainer::export::{CSourceError, ExportError};
use srfm_trainer::method::MethodError;

use crate::cli::options::Options;

/// A message for the user and an exit code.
pub struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// Creates a failure with exit code 1.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), code: 1 }
    }

    /// Creates a failure of usage, with exit code 2.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), code: 2 }
    }

    /// Adds a remark in parentheses.
    pub fn and(mut self, more: &str) -> Failure {
        self.message = format!("{} ({more})", self.message);
        self
    }

    /// Returns the message.
    pub fn into_message(self) -> String {
        self.message
    }

    /// Prints the message on standard error, with `options` in place of settings, and returns the exit code.
    pub fn report(self, options: &Options) -> u8 {
        if !self.message.is_empty() {
            say!("srfm: {}", options.name_in(&self.message));
        }
        self.code
    }
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Self {
        let code = match error {
            FitError::Interrupted => 130, // what shells report for Ctrl-C
            FitError::Method(
                MethodError::UnknownMethod { .. }
                | MethodError::UnknownSetting { .. }
                | MethodError::InvalidSetting { .. }
                | MethodError::Setting { .. }
                | MethodError::OrderBeyondInputs { .. }
                | MethodError::FewCandidates { .. }
                | MethodError::Memory { .. }
                | MethodError::GramMemory { .. },
            ) => 2,
            _ => 1,
        };
        Failure { message: error.to_string(), code }
    }
}

/// Errors of the library that end a command with exit code 1.
macro_rules! failures {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::new(error.to_string())
            }
        })*
    };
}

failures!(BudgetError, ColumnError, DataError, DeviceError, ExportError, SplitError, UnknownCore);

impl From<CSourceError> for Failure {
    fn from(error: CSourceError) -> Self {
        Failure::usage(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    /// Converts an error of standard output. A closed pipe, such as of `head`, fails without a message.
    fn from(error: std::io::Error) -> Self {
        let quiet = error.kind() == std::io::ErrorKind::BrokenPipe;
        Failure { message: if quiet { String::new() } else { format!("cannot write: {error}") }, code: 1 }
    }
}
