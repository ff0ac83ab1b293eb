//! Ends the emulator with exit status 1 where the program cannot go on.

use core::fmt;
use core::panic::PanicInfo;

use semihosting::{eprintln, process};

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    fail(format_args!("{info}"))
}

/// Says why, and ends.
pub fn fail(reason: fmt::Arguments<'_>) -> ! {
    eprintln!("{reason}");
    process::exit(1)
}
