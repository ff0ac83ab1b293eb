//! Ends the emulator with exit status 1 where the program cannot go on.

use core::panic::PanicInfo;

use cortex_m_rt::{ExceptionFrame, exception};
use cortex_m_semihosting::{debug, heprintln};

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    heprintln!("{}", info);
    fail()
}

// SAFETY: it does not return, so that no state that the fault left behind is used.
#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    heprintln!("hard fault at {:#010x}", frame.pc());
    fail()
}

fn fail() -> ! {
    loop {
        debug::exit(debug::EXIT_FAILURE);
    }
}
