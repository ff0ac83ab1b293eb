//! Counts executed instructions in the emulator.

use core::arch::asm;
use core::ptr;
use core::sync::atomic::{Ordering, compiler_fence};

/// Timer 0 of the MPS2 boards: 25 MHz, 32 bits, counting down. The 24 bits of SysTick would wrap too soon.
const CTRL: *mut u32 = 0x4000_0000 as *mut u32;
const VALUE: *mut u32 = 0x4000_0004 as *mut u32;
const RELOAD: *mut u32 = 0x4000_0008 as *mut u32;

/// One instruction takes 2¹⁰ ns of emulated time, which is 25.6 = 128 / 5 ticks.
const TICKS_PER_5_INSTRUCTIONS: u64 = 128;

/// A running counter; up to 167 million instructions at a time.
pub struct Counter {
    /// Instructions that an empty measurement counts.
    overhead: u32,
}

impl Counter {
    /// Starts the timer.
    ///
    /// # Panics
    /// Where it does not count instructions, because QEMU was started without `-icount shift=10`.
    pub fn start() -> Self {
        // SAFETY: the addresses are the timer's on every MPS2 board, and nothing else uses it.
        unsafe {
            ptr::write_volatile(RELOAD, u32::MAX);
            ptr::write_volatile(VALUE, u32::MAX);
            ptr::write_volatile(CTRL, 1);
        }
        let mut counter = Counter { overhead: 0 };
        counter.overhead = counter.count(|| ()).0;
        let (instructions, ()) = counter.count(thousand_nops);
        assert_eq!(instructions, 1000, "instruction counts need -icount shift=10");
        counter
    }

    /// Instructions that `f` executes, and its result.
    ///
    /// Not inlined: otherwise the compiler schedules instructions of the surroundings in between.
    #[inline(never)]
    pub fn count<R>(&self, f: impl FnOnce() -> R) -> (u32, R) {
        let start = ticks();
        let result = f();
        let ticks = start.wrapping_sub(ticks());
        let instructions = (u64::from(ticks) * 5 + TICKS_PER_5_INSTRUCTIONS / 2) / TICKS_PER_5_INSTRUCTIONS;
        ((instructions as u32).wrapping_sub(self.overhead), result)
    }
}

#[inline(always)]
fn ticks() -> u32 {
    // The fences keep the measured code between two readings.
    compiler_fence(Ordering::SeqCst);
    // SAFETY: as in `start`; reading has no effect.
    let ticks = unsafe { ptr::read_volatile(VALUE) };
    compiler_fence(Ordering::SeqCst);
    ticks
}

#[inline(always)]
fn thousand_nops() {
    // SAFETY: does nothing.
    unsafe { asm!(".rept 1000", "nop", ".endr") }
}
