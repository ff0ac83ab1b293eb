//! Ends the emulator with exit status 1 on a panic, a fault or a failure.
#![no_std]

#[cfg(target_arch = "arm")]
mod arm;
#[cfg(target_arch = "riscv32")]
mod riscv;

use core::fmt::Display;
use core::panic::PanicInfo;

use semihosting::{eprintln, process};

/// Ignores the location of the panic: paths in the program would depend on the folder that it was built in.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    fail("the program panicked")
}

/// Prints the reason and ends the emulator.
pub fn fail(reason: impl Display) -> ! {
    eprintln!("{reason}");
    process::exit(1)
}
