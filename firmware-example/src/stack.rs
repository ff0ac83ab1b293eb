//! Measures how much stack a call uses.

use core::ptr;

use crate::arch::stack_pointer;

/// What the stack is painted with.
const PAINT: u32 = 0x5afe_57ac;

/// Bytes that are painted: the most that can be measured.
const WINDOW: usize = 4096;

/// Bytes of stack below the caller's frame that `f` uses, and its result.
#[inline(always)]
pub fn measure<R>(f: impl FnOnce() -> R) -> (u32, R) {
    let top = stack_pointer();
    let window = || (top - WINDOW..top).step_by(4).map(|address| address as *mut u32);
    for word in window() {
        // SAFETY: what lies below the stack pointer is unused RAM, and no interrupt is enabled.
        unsafe { ptr::write_volatile(word, PAINT) }
    }
    let result = f();
    // SAFETY: as above.
    let untouched = window().take_while(|&word| unsafe { ptr::read_volatile(word) } == PAINT).count();
    ((WINDOW - 4 * untouched) as u32, result)
}
