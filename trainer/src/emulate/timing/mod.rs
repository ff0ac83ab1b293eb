//! Clock cycles of executed instructions, by the documented timing of cores at zero wait states.

mod avr;
mod cycles;
mod thumb;

use crate::cost::Core;

pub use cycles::Cycles;
pub(crate) use cycles::Step;

/// Returns the cycles of steps from the first to the one before the last; none for a core whose timing is not
/// published. `code` returns the halfword at an address.
pub(crate) fn cycles(core: Core, steps: &[Step], code: impl Fn(u32) -> u16) -> Option<Cycles> {
    Some(match core {
        Core::CortexM0 => thumb::M0.cycles(steps, code),
        Core::CortexM0Plus => thumb::M0_PLUS.cycles(steps, code),
        Core::CortexM3 => thumb::M3.cycles(steps, code),
        Core::CortexM4f => thumb::M4.cycles(steps, code),
        Core::Atmega328p => avr::cycles(steps, code),
        Core::CortexM7 | Core::CortexM33 | Core::Riscv32imac | Core::Riscv32imafc => return None,
    })
}
