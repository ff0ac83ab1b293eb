//! What differs between the boards that the emulator offers: the clock that counts instructions, and room in RAM.

#[cfg_attr(board = "microbit", path = "systick.rs")]
#[cfg_attr(board = "virt", path = "minstret.rs")]
#[cfg_attr(not(any(board = "microbit", board = "virt")), path = "apb_timer.rs")]
pub mod clock;

/// Most bytes of a model that is received, less four.
pub const MODEL_BYTES: usize = if cfg!(board = "microbit") { 4 << 10 } else { 1 << 20 };

/// Most readings and outputs of a model that is received: those that the format allows, where there is room.
pub const VALUES: usize = if cfg!(board = "microbit") { 1 << 8 } else { 1 << 16 };
