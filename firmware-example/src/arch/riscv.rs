//! 32-bit RISC-V.

use core::arch::asm;

use riscv::register::{mcause, mepc};
use riscv_rt::TrapFrame;

/// The stack pointer.
#[inline(always)]
pub fn stack_pointer() -> usize {
    let pointer;
    // SAFETY: reading a register has no effect.
    unsafe { asm!("mv {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) }
    pointer
}

// SAFETY: the name that riscv-rt calls on an exception, with the arguments that it gives.
#[unsafe(export_name = "ExceptionHandler")]
extern "C" fn exception(_: &TrapFrame) -> ! {
    let (cause, at) = (mcause::read().code(), mepc::read());
    crate::fault::fail(format_args!("exception {cause} at {at:#010x}"))
}
