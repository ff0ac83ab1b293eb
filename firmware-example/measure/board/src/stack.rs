//! Measures how much stack a call uses.

use core::ptr;

use crate::arch::stack_pointer;

/// The word that the unused stack is painted with.
const PAINT: u32 = 0x5afe_57ac;

/// The bytes that are painted: the most that [`stack_bytes`] measures.
const WINDOW: usize = 4096;

/// Returns the bytes of stack below the caller's frame that `f` uses, and its result.
#[inline(always)]
pub fn stack_bytes<R>(f: impl FnOnce() -> R) -> (u32, R) {
    stack_bytes_within::<WINDOW, R>(f)
}

/// As [`stack_bytes`], of at most `N` bytes.
#[inline(always)]
pub fn stack_bytes_within<const N: usize, R>(f: impl FnOnce() -> R) -> (u32, R) {
    let top = stack_pointer();
    let window = || (top - N..top).step_by(4).map(|address| address as *mut u32);
    for word in window() {
        // SAFETY: the RAM below the stack pointer is unused, and no interrupt is enabled.
        unsafe { ptr::write_volatile(word, PAINT) }
    }
    let result = f();
    // SAFETY: as above.
    let untouched = window().take_while(|&word| unsafe { ptr::read_volatile(word) } == PAINT).count();
    ((N - 4 * untouched) as u32, result)
}
