//! Counts executed instructions in the emulator.

use core::arch::asm;
use core::sync::atomic::{Ordering, compiler_fence};

use crate::board::clock;

/// A running counter; see the board's clock for how far it counts.
pub struct Counter {
    /// Instructions that an empty measurement counts.
    overhead: u32,
}

impl Counter {
    /// Starts the clock.
    ///
    /// # Panics
    /// Where it does not count instructions, because QEMU was started without `-icount`, or with another shift than the
    /// board's in `.cargo/config.toml`.
    pub fn start() -> Self {
        clock::start();
        let mut counter = Counter { overhead: 0 };
        counter.overhead = counter.count(|| ()).0;
        let (instructions, ()) = counter.count(nops);
        assert_eq!(instructions, NOPS, "instruction counts need -icount as in .cargo/config.toml");
        counter
    }

    /// Instructions that `f` executes, and its result.
    ///
    /// Not inlined: otherwise the compiler schedules instructions of the surroundings in between.
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
    // The fences keep the measured code between two readings.
    compiler_fence(Ordering::SeqCst);
    let now = clock::now();
    compiler_fence(Ordering::SeqCst);
    now
}

/// Instructions of [`nops`]: with more, a Cortex-M0 would not reach the constants behind them.
const NOPS: u32 = 250;

#[inline(always)]
fn nops() {
    // SAFETY: does nothing.
    unsafe { asm!(".rept {}", "nop", ".endr", const NOPS) }
}
