//! Timer 0 of the MPS2 boards, 32 bits, counting down: up to 167 million instructions at a time. The 24 bits of SysTick
//! would wrap too soon.

use core::ptr;

/// The timer and its ticks for some instructions, each of which takes 2¹⁰ ns of emulated time: `TICKS / INSTRUCTIONS` is
/// 1024 ns times 25 MHz, or times 20 MHz on the AN505, whose timer is reached by its secure address.
const TIMER: usize = if cfg!(board = "an505") { 0x5000_0000 } else { 0x4000_0000 };
const TICKS: u64 = if cfg!(board = "an505") { 512 } else { 128 };
const INSTRUCTIONS: u64 = if cfg!(board = "an505") { 25 } else { 5 };

const CTRL: *mut u32 = TIMER as *mut u32;
const VALUE: *mut u32 = (TIMER + 4) as *mut u32;
const RELOAD: *mut u32 = (TIMER + 8) as *mut u32;

/// Starts the timer.
pub fn start() {
    // SAFETY: the addresses are the timer's on these boards, and nothing else uses it.
    unsafe {
        ptr::write_volatile(RELOAD, u32::MAX);
        ptr::write_volatile(VALUE, u32::MAX);
        ptr::write_volatile(CTRL, 1);
    }
}

/// A point in time.
#[inline(always)]
pub fn now() -> u32 {
    // SAFETY: as in `start`; reading has no effect.
    unsafe { ptr::read_volatile(VALUE) }
}

/// Instructions from one point in time to a later one.
pub fn instructions(start: u32, end: u32) -> u32 {
    let ticks = u64::from(start.wrapping_sub(end));
    ((ticks * INSTRUCTIONS + TICKS / 2) / TICKS) as u32
}
