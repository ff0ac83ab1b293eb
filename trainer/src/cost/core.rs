//! The cores that can be emulated, and the boards that carry them.

use std::fmt;
use std::str::FromStr;

/// A processor core that can be emulated with exact instruction counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Core {
    /// Arm Cortex-M0: no division, no multiplication to 64 bits, floating point in software.
    CortexM0,
    /// Arm Cortex-M3: floating point in software.
    CortexM3,
    /// Arm Cortex-M4 with the single-precision floating-point unit.
    CortexM4f,
    /// Arm Cortex-M7 with a floating-point unit. It runs the code of a Cortex-M4F; a real one needs fewer cycles for it.
    CortexM7,
    /// Arm Cortex-M33 with the single-precision floating-point unit.
    CortexM33,
    /// RISC-V with multiplication, atomic and compressed instructions: floating point in software.
    Riscv32imac,
    /// The same with single-precision floating point.
    Riscv32imafc,
}

impl Core {
    /// All cores.
    pub const ALL: [Core; 7] = [
        Core::CortexM0,
        Core::CortexM3,
        Core::CortexM4f,
        Core::CortexM7,
        Core::CortexM33,
        Core::Riscv32imac,
        Core::Riscv32imafc,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Another name on the command line: that of the family, for its least member.
    pub fn alias(self) -> Option<&'static str> {
        (self == Core::Riscv32imac).then_some("riscv32")
    }

    /// Whether it computes in single precision by itself; where not, an integer model takes a thirtieth of the
    /// instructions.
    pub fn floating_point(self) -> bool {
        matches!(self, Core::CortexM4f | Core::CortexM7 | Core::CortexM33 | Core::Riscv32imafc)
    }

    /// The Rust target that programs for this core are built for.
    pub fn target(self) -> &'static str {
        self.board().target
    }

    /// The board that models run on.
    pub fn board(self) -> Board {
        self.row().1
    }

    /// Name and board.
    fn row(self) -> (&'static str, Board) {
        match self {
            // A Cortex-M3 takes as many instructions for the code of a Cortex-M0, and has the memory for large models.
            Core::CortexM0 => ("cortex-m0", Board::arm("mps2-an385", "thumbv6m-none-eabi")),
            Core::CortexM3 => ("cortex-m3", Board::arm("mps2-an385", "thumbv7m-none-eabi")),
            Core::CortexM4f => ("cortex-m4f", Board::arm("mps2-an386", "thumbv7em-none-eabihf")),
            Core::CortexM7 => ("cortex-m7", Board::arm("mps2-an500", "thumbv7em-none-eabihf")),
            Core::CortexM33 => ("cortex-m33", Board::arm("mps2-an505", "thumbv8m.main-none-eabihf")),
            Core::Riscv32imac => ("riscv32imac", Board::riscv("riscv32imac-unknown-none-elf")),
            Core::Riscv32imafc => ("riscv32imafc", Board::riscv("riscv32imafc-unknown-none-elf")),
        }
    }
}

/// No core has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no core is called `{0}`: choose {names}", names = Core::ALL.map(Core::name).join(", "))]
pub struct UnknownCore(
    /// The name.
    pub String,
);

impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Core {
    type Err = UnknownCore;

    fn from_str(name: &str) -> Result<Self, UnknownCore> {
        let core = Core::ALL.into_iter().find(|core| core.name() == name || core.alias() == Some(name));
        core.ok_or_else(|| UnknownCore(name.to_owned()))
    }
}

/// A board that QEMU emulates, with the memory and the clock that the firmware must be built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// QEMU's name of it.
    pub machine: &'static str,
    /// The Rust target that programs for it are built for.
    pub target: &'static str,
    /// What the firmware needs to be built for it beyond the target.
    pub(crate) feature: Option<&'static str>,
    /// The emulator.
    pub(crate) emulator: Program,
    /// Arguments of the emulator beyond the machine.
    pub(crate) arguments: &'static [&'static str],
}

impl Board {
    /// The BBC micro:bit, with a Cortex-M0, 256 KiB of flash and 16 KiB of RAM: room for a model of less than 4 KiB with
    /// up to 256 inputs and outputs. Unlike the board of [`Core::CortexM0`] it faults where a load is not aligned.
    pub const MICROBIT: Board = Board { feature: Some("microbit"), ..Board::arm("microbit", "thumbv6m-none-eabi") };

    const fn arm(machine: &'static str, target: &'static str) -> Self {
        let emulator = Program { name: "qemu-system-arm", package: "qemu-system-arm" };
        // An instruction takes 2¹⁰ ns of emulated time, which the firmware reads from a timer.
        Board { machine, target, feature: None, emulator, arguments: &["-icount", "shift=10,sleep=off"] }
    }

    const fn riscv(target: &'static str) -> Self {
        let emulator = Program { name: "qemu-system-riscv32", package: "qemu-system-misc" };
        // The core counts instructions itself.
        let arguments = &["-bios", "none", "-icount", "shift=0,sleep=off"];
        Board { machine: "virt", target, feature: None, emulator, arguments }
    }
}

/// A program, and the Debian package that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub name: &'static str,
    pub package: &'static str,
}
