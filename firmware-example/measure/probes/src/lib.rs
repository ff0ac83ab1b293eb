//! A panic handler that cannot be linked: a program links only if no panic can be reached in it.
#![no_std]

use core::panic::PanicInfo;

unsafe extern "C" {
    /// Defined nowhere.
    fn a_panic_can_be_reached() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: never linked, never called.
    unsafe { a_panic_can_be_reached() }
}
