//! What ends a command early.

use std::process::ExitCode;

use srfm_trainer::data::DataError;
use srfm_trainer::device::DeviceError;
use srfm_trainer::export::ExportError;
use srfm_trainer::method::FitError;

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

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Failure::new(error.to_string())
    }
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Self {
        let code = match error {
            FitError::Interrupted => 130, // what shells report for Ctrl-C
            FitError::Setting { .. }
            | FitError::OrderBeyondInputs { .. }
            | FitError::FewCandidates { .. }
            | FitError::Memory { .. }
            | FitError::GramMemory { .. } => 2,
            _ => 1,
        };
        Failure { message: error.to_string(), code }
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        Failure::new(error.to_string())
    }
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Failure::new(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    /// Standard output is gone: a reader such as `head` has seen enough.
    fn from(error: std::io::Error) -> Self {
        let quiet = error.kind() == std::io::ErrorKind::BrokenPipe;
        Failure { message: if quiet { String::new() } else { format!("cannot write: {error}") }, code: 1 }
    }
}
