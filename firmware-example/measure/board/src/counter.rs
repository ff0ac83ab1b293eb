//! Counts executed instructions in the emulator.

use core::arch::asm;
use core::fmt;
use core::sync::atomic::{Ordering, compiler_fence};

use crate::clock;

/// A running counter. The board's clock limits the instructions that one call of [`count`](Self::count) may take.
pub struct Counter {
    /// The instructions that an empty measurement counts.
    overhead: u32,
}

/// The clock does not count instructions: QEMU runs without `-icount`, or with another shift than the board's.
#[derive(Clone, Copy, Debug)]
pub struct NotCounting;

impl fmt::Display for NotCounting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the clock does not count instructions: QEMU needs -icount as in .cargo/config.toml")
    }
}

impl Counter {
    /// Starts the clock.
    ///
    /// # Errors
    /// [`NotCounting`], which a known number of instructions shows.
    pub fn start() -> Result<Self, NotCounting> {
        clock::start();
        let mut counter = Counter { overhead: 0 };
        counter.overhead = counter.count(|| ()).0;
        let (instructions, ()) = counter.count(nops);
        if instructions == NOPS { Ok(counter) } else { Err(NotCounting) }
    }

    /// Returns the number of instructions that `f` executes, and its result.
    ///
    /// Inlining would let the compiler move instructions of the surroundings in between.
    #[inline(never)]
    pub fn count<R>(&self, f: impl FnOnce() -> R) -> (u32, R) {
        let start = now();
        let result = f();
        let instructions = clock::instructions(start, now());
        (instructions.wrapping_sub(self.overhead), result)
    }
}

#[inline(always)]
fn now() -> u32 {
    // The fences keep the measured code between two times.
    compiler_fence(Ordering::SeqCst);
    let now = clock::now();
    compiler_fence(Ordering::SeqCst);
    now
}

/// The instructions of [`nops`]. A Cortex-M0 could not reach the constants behind a longer sequence.
const NOPS: u32 = 250;

#[inline(always)]
fn nops() {
    // SAFETY: does nothing.
    unsafe { asm!(".rept {}", "nop", ".endr", const NOPS) }
}
