//! The time of a prediction on a board.

use std::fmt;

use serde::Serialize;
use srfm_trainer::cost::{Board, Footprint};

use crate::report::significant;

/// What a program in C takes of a board: its flash, and the time of a prediction at zero wait states.
#[derive(Clone, Debug, Serialize)]
pub struct Timing {
    /// The name of the board; null where a clock alone was named.
    pub board: Option<&'static str>,
    /// The flash of the board in bytes.
    pub board_flash: Option<usize>,
    /// The clock in hertz.
    pub clock: f64,
    /// The flash of the program in bytes.
    pub flash_bytes: usize,
    /// The most clock cycles of a prediction.
    pub cycles: u32,
    /// The time that these take, in microseconds.
    pub microseconds: f64,
}

impl Timing {
    /// Returns the time of the program on a board or at a clock; none where the clock or the cycles are not known.
    pub fn of(program: &Footprint, board: Option<Board>, clock: Option<f64>) -> Option<Timing> {
        let clock = clock.or(board.map(Board::clock))?;
        let cycles = program.cycles?;
        Some(Timing {
            board: board.map(Board::name),
            board_flash: board.map(Board::flash),
            clock,
            flash_bytes: program.flash_bytes,
            cycles,
            microseconds: microseconds(cycles, clock),
        })
    }
}

/// Returns the time of clock cycles in microseconds.
pub fn microseconds(cycles: u32, clock: f64) -> f64 {
    f64::from(cycles) / clock * 1e6
}

/// Returns a clock in words, such as `16 MHz`.
pub fn megahertz(clock: f64) -> String {
    format!("{} MHz", (clock / 1e3).round() / 1e3)
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Timing { clock, flash_bytes, cycles, microseconds, .. } = self;
        write!(f, "at most {} µs ({cycles} cycles at {})", significant(*microseconds), megahertz(*clock))?;
        match self.board.zip(self.board_flash) {
            Some((board, flash)) => write!(f, ", {flash_bytes} of the {flash} bytes of flash of {board}"),
            None => Ok(()),
        }
    }
}
