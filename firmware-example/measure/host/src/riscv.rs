//! Exceptions of a 32-bit RISC-V core.

use riscv::register::{mcause, mepc};
use riscv_rt::TrapFrame;

// SAFETY: riscv-rt calls this name on an exception, with these arguments.
#[unsafe(export_name = "ExceptionHandler")]
extern "C" fn exception(_: &TrapFrame) -> ! {
    let (cause, at) = (mcause::read().code(), mepc::read());
    crate::fail(format_args!("exception {cause} at {at:#010x}"))
}
