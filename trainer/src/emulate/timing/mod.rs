//! Clock cycles of executed instructions, by the documented timing of cores at zero wait states.

mod cycles;
mod thumb;

use crate::cost::Core;

pub use cycles::Cycles;

/// Returns the published timing of a core that QEMU emulates.
fn timing(core: Core) -> Option<thumb::Timing> {
    Some(match core {
        Core::CortexM0 => thumb::M0,
        Core::CortexM0Plus => thumb::M0_PLUS,
        Core::CortexM3 => thumb::M3,
        Core::CortexM4f => thumb::M4,
        Core::CortexM7 | Core::CortexM33 | Core::Riscv32imac | Core::Riscv32imafc | Core::Atmega328p => return None,
    })
}

/// Returns whether the cycles of a core can be counted in QEMU.
pub(crate) fn has_timing(core: Core) -> bool {
    timing(core).is_some()
}

/// Returns the cycles of executed instructions by their addresses, from the first to the one before the last; none for
/// a core whose timing is not published. `code` returns the halfword at an address.
pub(crate) fn cycles(core: Core, addresses: &[u32], code: impl Fn(u32) -> u16) -> Option<Cycles> {
    timing(core).map(|timing| timing.cycles(addresses, code))
}
