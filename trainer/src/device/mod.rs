//! Running a model in an emulated microcontroller.
//!
//! QEMU runs a host program, which reads the model and the rows from files and writes the predictions. The programs of
//! all cores are part of this library, so only QEMU must be installed. The predictions are those of the device, bit for
//! bit. The instruction counts are exact: the same in every run. They are executed instructions, not clock cycles.
//!
//! ```no_run
//! use srfm_trainer::device::{Core, Emulator};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let run = Emulator::new(Core::CortexM4f).run(&std::fs::read("model.srfm")?, &[0.25, 2.0])?;
//! println!("{:?} after {} instructions", run.predictions, run.instructions_max());
//! # Ok(())
//! # }
//! ```

mod bound;
mod build;
mod core;
mod emulator;
mod error;
mod programs;
mod run;

pub use bound::instruction_bound;
pub use core::{Board, Core};
pub use emulator::{Emulator, require};
pub use error::DeviceError;
pub use run::Run;

/// Returns the last lines of a log.
fn last_lines(log: &str) -> String {
    const LINES: usize = 20;
    let lines: Vec<&str> = log.trim().lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
