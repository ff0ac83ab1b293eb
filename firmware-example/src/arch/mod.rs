//! What differs between the architectures: the stack pointer and the handler of faults.

#[cfg(target_arch = "arm")]
mod arm;
#[cfg(target_arch = "riscv32")]
mod riscv;

#[cfg(target_arch = "arm")]
pub use arm::stack_pointer;
#[cfg(target_arch = "riscv32")]
pub use riscv::stack_pointer;
