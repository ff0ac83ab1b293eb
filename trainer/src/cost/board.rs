//! The boards that QEMU emulates.

/// A board that QEMU emulates, with the memory and the clock that the firmware must be built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// QEMU's name of the board.
    pub(crate) machine: &'static str,
    /// The Rust target of programs for the board.
    pub(crate) target: &'static str,
    /// The feature that the firmware needs for the board beyond the target.
    pub(crate) feature: Option<&'static str>,
    /// The emulator.
    pub(crate) emulator: Program,
    /// Arguments of the emulator beyond the machine.
    pub(crate) arguments: &'static [&'static str],
}

impl Board {
    /// The BBC micro:bit, with a Cortex-M0, 256 KiB of flash and 16 KiB of RAM: room for a model of less than 4 KiB
    /// with up to 256 inputs and outputs. Unlike the board of [`Core::CortexM0`](crate::cost::Core::CortexM0) it faults
    /// on unaligned loads.
    pub const MICROBIT: Board = Board { feature: Some("microbit"), ..Board::arm("microbit", "thumbv6m-none-eabi") };

    /// Returns a board with an Arm core.
    pub(crate) const fn arm(machine: &'static str, target: &'static str) -> Self {
        let emulator = Program { name: "qemu-system-arm", package: "qemu-system-arm" };
        // An instruction takes 2¹⁰ ns of emulated time, which the firmware reads from a timer.
        Board { machine, target, feature: None, emulator, arguments: &["-icount", "shift=10,sleep=off"] }
    }

    /// Returns a board with a RISC-V core.
    pub(crate) const fn riscv(target: &'static str) -> Self {
        let emulator = Program { name: "qemu-system-riscv32", package: "qemu-system-misc" };
        // The core counts instructions itself.
        let arguments = &["-bios", "none", "-icount", "shift=0,sleep=off"];
        Board { machine: "virt", target, feature: None, emulator, arguments }
    }
}

/// A program, and the Debian package that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub name: &'static str,
    pub(crate) package: &'static str,
}
