//! Cortex-M.

use cortex_m::register::msp;
use cortex_m_rt::{ExceptionFrame, exception};

/// The main stack's pointer, the only stack here.
#[inline(always)]
pub fn stack_pointer() -> usize {
    msp::read() as usize
}

// SAFETY: it does not return, so that no state that the fault left behind is used.
#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    crate::fault::fail(format_args!("hard fault at {:#010x}", frame.pc()))
}
