//! What ends a command early.

use std::process::ExitCode;

use srfm_trainer::cost::{BudgetError, UnknownCore};
use srfm_trainer::data::DataError;
use srfm_trainer::emulate::DeviceError;
use srfm_trainer::error::FitError;
use srfm_trainer::export::ExportError;
use srfm_trainer::method::MethodError;

/// The options of the settings that errors of the library name in backticks.
const OPTIONS: [(&str, &str); 16] = [
    ("`features`", "--max-features"),
    ("`order`", "--order"),
    ("`lambda`", "--lambda"),
    ("`scale`", "--scale"),
    ("`folds`", "--folds"),
    ("`number` to", "--number"),
    ("`number`", "--number"),
    ("`max_error`", "--max-error"),
    ("`flash`", "--flash"),
    ("`instructions`", "--instructions"),
    ("`time`", "--time"),
    ("`task` to", "--task"),
    ("`terms` to", "--terms"),
    ("`terms`", "--terms"),
    ("`labels`", "--labels"),
    ("`target`", "--target"),
];

/// The message of a library error with options in place of the names of settings.
fn with_options(message: &str) -> String {
    OPTIONS.iter().fold(message.to_owned(), |message, (setting, option)| message.replace(setting, option))
}

/// A sentence for the user and an exit code.
pub struct Failure {
    message: String,
    code: u8,
}

impl Failure {
    /// Something went wrong: exit code 1.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), code: 1 }
    }

    /// The command was called in a wrong way: exit code 2.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { message: message.into(), code: 2 }
    }

    /// The same with another half-sentence behind it.
    pub fn and(mut self, more: &str) -> Failure {
        self.message = format!("{} ({more})", self.message);
        self
    }

    /// The sentence alone.
    pub fn into_message(self) -> String {
        self.message
    }

    /// Prints the sentence on standard error.
    pub fn report(self) -> ExitCode {
        if !self.message.is_empty() {
            eprintln!("srfm: {}", self.message);
        }
        ExitCode::from(self.code)
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
        Failure { message: with_options(&error.to_string()), code }
    }
}

/// Errors of the library that end a command with exit code 1.
macro_rules! failures {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::new(with_options(&error.to_string()))
            }
        })*
    };
}

failures!(BudgetError, DataError, DeviceError, ExportError, UnknownCore);

impl From<std::io::Error> for Failure {
    /// Standard output is gone: a reader such as `head` has seen enough.
    fn from(error: std::io::Error) -> Self {
        let quiet = error.kind() == std::io::ErrorKind::BrokenPipe;
        Failure { message: if quiet { String::new() } else { format!("cannot write: {error}") }, code: 1 }
    }
}
