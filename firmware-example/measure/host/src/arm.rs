//! Faults of a Cortex-M.

use cortex_m_rt::{ExceptionFrame, exception};

// SAFETY: the handler does not return, so no state that the fault left behind is used.
#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    crate::fail(format_args!("hard fault at {:#010x}", frame.pc()))
}
