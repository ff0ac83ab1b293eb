//! SysTick of the micro:bit, 24 bits at 16 MHz, counting down: up to a million instructions at a time, after which it
//! wraps unseen.

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;

/// One instruction takes 2¹⁰ ns of emulated time, which is 16.384 ticks.
const TICKS: u64 = 2048;
const INSTRUCTIONS: u64 = 125;

/// Bits of the counter.
const MASK: u32 = (1 << 24) - 1;

/// Starts the timer.
pub fn start() {
    // SAFETY: nothing else uses the timer.
    let mut timer = unsafe { cortex_m::Peripherals::steal() }.SYST;
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(MASK);
    timer.clear_current();
    timer.enable_counter();
}

/// A point in time.
#[inline(always)]
pub fn now() -> u32 {
    SYST::get_current()
}

/// Instructions from one point in time to a later one.
pub fn instructions(start: u32, end: u32) -> u32 {
    let ticks = u64::from(start.wrapping_sub(end) & MASK);
    ((ticks * INSTRUCTIONS + TICKS / 2) / TICKS) as u32
}
