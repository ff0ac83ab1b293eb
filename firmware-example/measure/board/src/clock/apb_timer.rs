//! Timer 0 of the MPS2 boards, which counts 32 bits down: up to 167 million instructions at a time.

use core::ptr;

/// The address of the timer; the AN505 has it at a secure address.
const TIMER: usize = if cfg!(board = "an505") { 0x5000_0000 } else { 0x4000_0000 };

/// `INSTRUCTIONS` instructions take `TICKS` ticks. An instruction takes 2¹⁰ ns of emulated time; the timer runs at
/// 25 MHz, on the AN505 at 20 MHz.
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

/// Returns the current time in ticks.
#[inline(always)]
pub fn now() -> u32 {
    // SAFETY: as in `start`; reading has no effect.
    unsafe { ptr::read_volatile(VALUE) }
}

/// Returns the number of instructions between two times.
pub fn instructions(start: u32, end: u32) -> u32 {
    let ticks = u64::from(start.wrapping_sub(end));
    ((ticks * INSTRUCTIONS + TICKS / 2) / TICKS) as u32
}
