//! Running a model in an emulated microcontroller.
//!
//! QEMU runs the firmware of `firmware-example` and hands it the model and the rows as files, so that one build serves
//! every model. The predictions are those of the device, bit for bit, and the instruction counts are exact: the same in
//! every run. They are executed instructions, not cycles of a particular chip.
//!
//! ```no_run
//! use srfm_trainer::cost::Core;
//! use srfm_trainer::emulate::{Emulator, default_firmware_dir};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let emulator = Emulator::build(Core::CortexM4f, &default_firmware_dir())?;
//! let run = emulator.run(&std::fs::read("model.srfm")?, &[0.25, 2.0])?;
//! println!("{:?} after {} instructions", run.predictions, run.instructions_max());
//! # Ok(())
//! # }
//! ```

mod build;
mod emulator;
mod error;
mod log;
mod run;

pub use build::{default_firmware_dir, require};
pub use emulator::Emulator;
pub use error::DeviceError;
pub use run::Run;
