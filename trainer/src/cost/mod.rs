//! What a model costs on a core: flash and instructions.

mod board;
mod budget;
mod core;
mod deployment;
pub(crate) mod flash;
mod functions;
mod instructions;
#[cfg(test)]
#[path = "../../prices/mod.rs"]
mod measured_prices;
mod parts;
mod programs;
mod work;

pub use board::{Board, UnknownBoard};
pub(crate) use budget::Needs;
pub use budget::{Budget, BudgetError};
pub(crate) use core::Program;
pub use core::{Core, Machine, UnknownCore};
pub(crate) use deployment::Measured;
pub use deployment::{Deployment, Footprint, UnmeasuredCore};
pub use functions::{FunctionCost, function_costs};
pub use instructions::{history_bound, instruction_bound, instructions_mean};
pub(crate) use programs::counts;
pub use work::{Unit, Work};
