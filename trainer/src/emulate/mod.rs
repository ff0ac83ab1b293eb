//! Running a model in an emulated microcontroller.
//!
//! QEMU runs a host program, which reads the model and the rows from files and writes the predictions. The programs of
//! all cores are part of this library, so only QEMU must be installed. The predictions are those of the device, bit for
//! bit. The instruction counts are exact: the same in every run. They are executed instructions; the clock
//! cycles of generated C follow from them by the documented timing of a core.
//!
//! ```no_run
//! use srfm_trainer::cost::Core;
//! use srfm_trainer::emulate::Emulator;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let run = Emulator::new(Core::CortexM4f)?.run(&std::fs::read("model.srfm")?, &[0.25, 2.0])?;
//! println!("{:?} after {} instructions", run.predictions, run.instructions_max());
//! # Ok(())
//! # }
//! ```

mod build;
mod c;
mod compiled;
mod emulator;
mod error;
mod image;
mod timing;
mod trace;

#[cfg(test)]
pub(crate) use c::Toolchain;
pub use c::{CRun, run_c};
pub use compiled::footprint;
#[cfg(test)]
pub(crate) use emulator::simulated;
pub use emulator::{Emulator, Run, require};
pub use error::DeviceError;
pub use timing::Cycles;
#[cfg(test)]
pub(crate) use trace::counted;
