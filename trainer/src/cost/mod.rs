//! What a model costs on a core: flash and instructions.

mod board;
mod budget;
#[cfg(test)]
mod calibration;
mod compiled;
mod core;
mod deployment;
mod error;
pub(crate) mod flash;
mod history;
mod instructions;
mod operations;
mod parts;
mod prices;
mod programs;

pub use board::Board;
pub(crate) use board::Program;
pub(crate) use budget::Needs;
pub use budget::{Budget, Instructions};
pub use core::{Core, UnknownCore};
pub(crate) use deployment::Measured;
pub use deployment::{Deployment, Footprint};
pub use error::BudgetError;
pub use history::history_bound;
pub use instructions::{instruction_bound, instructions_mean};
