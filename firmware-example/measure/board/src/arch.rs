//! The differences between the architectures: the attribute of `main` and the stack pointer.

#[cfg(target_arch = "arm")]
pub use cortex_m_rt::entry;
#[cfg(target_arch = "riscv32")]
pub use riscv_rt::entry;

/// Returns the pointer of the main stack, the only one in use.
#[cfg(target_arch = "arm")]
#[inline(always)]
pub fn stack_pointer() -> usize {
    cortex_m::register::msp::read() as usize
}

/// Returns the stack pointer.
#[cfg(target_arch = "riscv32")]
#[inline(always)]
pub fn stack_pointer() -> usize {
    let pointer;
    // SAFETY: reading a register has no effect.
    unsafe { core::arch::asm!("mv {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) }
    pointer
}
