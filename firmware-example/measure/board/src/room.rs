//! The room in the board's RAM.

/// The most bytes of a model that is received, plus four.
pub const MODEL_BYTES: usize = if cfg!(board = "microbit") { 4 << 10 } else { 1 << 20 };

/// The most inputs and outputs of a model that is received: all that the format allows, except on the micro:bit.
pub const VALUES: usize = if cfg!(board = "microbit") { 1 << 8 } else { 1 << 16 };
