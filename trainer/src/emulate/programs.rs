//! The host programs of all cores, which are part of this library.
//!
//! `firmware-example/measure` has their source. A test builds the programs anew and compares the bytes.

macro_rules! programs {
    ($($target:literal)*) => {
        /// Targets and the programs that were built for them.
        static PROGRAMS: &[(&str, &[u8])] =
            &[$(($target, include_bytes!(concat!("../../programs/", $target, ".elf")))),*];
    };
}

programs! {
    "thumbv6m-none-eabi"
    "thumbv7m-none-eabi"
    "thumbv7em-none-eabihf"
    "thumbv8m.main-none-eabihf"
    "riscv32imac-unknown-none-elf"
    "riscv32imafc-unknown-none-elf"
}

/// Returns the program for a target; none for a target that no core has.
pub(super) fn program(target: &str) -> Option<&'static [u8]> {
    PROGRAMS.iter().find(|(name, _)| *name == target).map(|&(_, program)| program)
}
