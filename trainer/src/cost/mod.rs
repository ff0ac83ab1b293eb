//! What a model costs on a core: flash and instructions.

mod core;
mod error;
pub mod flash;
mod instructions;

pub(crate) use core::Program;
pub use core::{Board, Core, UnknownCore};
pub use error::BudgetError;
pub use instructions::instruction_bound;
