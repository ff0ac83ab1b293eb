//! SysTick of the micro:bit, which counts 24 bits down at 16 MHz: up to a million instructions at a time. The counter
//! wraps silently.

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;

/// `INSTRUCTIONS` instructions take `TICKS` ticks: an instruction takes 2¹⁰ ns of emulated time.
const TICKS: u64 = 2048;
const INSTRUCTIONS: u64 = 125;

/// The bits of the counter.
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

/// Returns the current time in ticks.
#[inline(always)]
pub fn now() -> u32 {
    SYST::get_current()
}

/// Returns the number of instructions between two times.
pub fn instructions(start: u32, end: u32) -> u32 {
    let ticks = u64::from(start.wrapping_sub(end) & MASK);
    ((ticks * INSTRUCTIONS + TICKS / 2) / TICKS) as u32
}
