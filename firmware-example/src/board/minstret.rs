//! The counter of retired instructions that every RISC-V core has; its low word counts up to 2³².

use riscv::register::minstret;

/// It runs from the start.
pub fn start() {}

/// A point in time.
#[inline(always)]
pub fn now() -> u32 {
    minstret::read() as u32
}

/// Instructions from one point in time to a later one.
pub fn instructions(start: u32, end: u32) -> u32 {
    end.wrapping_sub(start)
}
