//! The board's clock, which counts instructions in the emulator.

#[cfg(not(any(board = "microbit", board = "virt")))]
mod apb_timer;
#[cfg(board = "virt")]
mod minstret;
#[cfg(board = "microbit")]
mod systick;

#[cfg(not(any(board = "microbit", board = "virt")))]
pub use apb_timer::{instructions, now, start};
#[cfg(board = "virt")]
pub use minstret::{instructions, now, start};
#[cfg(board = "microbit")]
pub use systick::{instructions, now, start};
