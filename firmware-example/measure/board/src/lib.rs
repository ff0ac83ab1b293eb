//! What the programs share: the attribute of `main`, the board's clock and room, counters of instructions and stack.
#![no_std]

mod arch;
mod clock;
mod counter;
mod room;
mod stack;

pub use arch::entry;
pub use counter::{Counter, NotCounting};
pub use room::{MODEL_BYTES, VALUES};
pub use stack::{stack_bytes, stack_bytes_within};
