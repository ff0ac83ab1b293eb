//! The counter of retired instructions of a RISC-V core. Its low word counts up to 2³².

use riscv::register::minstret;

/// Does nothing: the counter runs from reset.
pub fn start() {}

/// Returns the number of instructions since reset, modulo 2³².
#[inline(always)]
pub fn now() -> u32 {
    minstret::read() as u32
}

/// Returns the number of instructions between two times.
pub fn instructions(start: u32, end: u32) -> u32 {
    end.wrapping_sub(start)
}
