//! Running a model in an emulated microcontroller.
//!
//! QEMU runs the firmware of `firmware-example` and hands it the model and the rows as files, so that one build serves
//! every model. The predictions are those of the device, bit for bit, and the instruction counts are exact: the same in
//! every run. They are executed instructions, not cycles of a particular chip.
//!
//! ```no_run
//! use srfm_trainer::device::{Core, Emulator, default_firmware_dir};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let emulator = Emulator::build(Core::CortexM4f, &default_firmware_dir())?;
//! let run = emulator.run(&std::fs::read("model.srfm")?, &[0.25, 2.0])?;
//! println!("{:?} after {} instructions", run.predictions, run.instructions_max());
//! # Ok(())
//! # }
//! ```

mod bound;
mod build;
mod core;
mod emulator;
mod error;
mod run;

use std::path::{Path, PathBuf};

pub use bound::instruction_bound;
pub use build::require;
pub use core::{Board, Core};
pub use emulator::Emulator;
pub use error::DeviceError;
pub use run::Run;

/// Where the firmware's sources are: `SRFM_FIRMWARE`, or the checkout that this library was built from.
pub fn default_firmware_dir() -> PathBuf {
    match std::env::var_os("SRFM_FIRMWARE") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware-example"),
    }
}

/// What matters of a log: its end.
fn last_lines(log: &str) -> String {
    const LINES: usize = 20;
    let lines: Vec<&str> = log.trim().lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
