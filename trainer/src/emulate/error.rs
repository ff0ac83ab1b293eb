//! Why a model could not be run.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::cost::Core;
use crate::message::message_by_display;

/// Why a model could not be run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// The sources of the host program are not in the folder.
    #[error("there is no measure/Cargo.toml in {0}: choose the folder firmware-example of a checkout")]
    FirmwareMissing(PathBuf),
    /// `cargo` could not be started.
    #[error("cargo, which builds the firmware, cannot be started: install Rust from https://rustup.rs")]
    CargoMissing(#[source] io::Error),
    /// The standard library of the target is not installed.
    #[error("Rust for {0} is not installed: run `rustup target add {0}`")]
    TargetMissing(&'static str),
    /// The compiler or linker refused the firmware.
    #[error("the firmware does not build:\n{0}")]
    BuildFailed(String),
    /// The compiler of C could not be started.
    #[error("{program} cannot be started: install it, on Debian by `apt-get install {package}`")]
    CompilerMissing {
        /// The compiler's program.
        program: &'static str,
        /// The Debian package that has it.
        package: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The core runs no model files.
    #[error("{0} runs no model files: run generated C, by --deploy c")]
    NoRuntime(Core),
    /// QEMU could not be started.
    #[error(
        "{program} cannot be started: install QEMU, on Debian by `apt-get install --no-install-recommends {package}`, \
         elsewhere from https://www.qemu.org/download"
    )]
    EmulatorMissing {
        /// The emulator's program.
        program: &'static str,
        /// The Debian package that has it.
        package: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The emulator took longer than the work should.
    #[error("the emulator had not finished after {0} seconds and was stopped: run fewer rows at a time")]
    TimedOut(u64),
    /// The firmware refused the model or failed.
    #[error("the firmware failed: {0}")]
    Failed(String),
    /// The files of the exchange could not be written or read.
    #[error("files cannot be exchanged with the emulator: check the space and rights in the temporary folder")]
    Exchange(#[from] io::Error),
}

message_by_display!(DeviceError);
