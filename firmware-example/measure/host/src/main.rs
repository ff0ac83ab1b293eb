//! The program that `srfm device` runs.
#![no_std]
#![no_main]

mod serve;

use board::entry;
use semihosting::process;
use serve::{Buffers, serve};

static mut BUFFERS: Buffers = Buffers::new();

#[entry]
fn main() -> ! {
    let buffers = &raw mut BUFFERS;
    // SAFETY: `main` is entered once, so this is the only reference.
    match serve(unsafe { &mut *buffers }) {
        Ok(()) => process::exit(0),
        Err(failure) => host::fail(failure),
    }
}
