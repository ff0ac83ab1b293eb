//! The table of cores, and the machines that QEMU emulates.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::export::NumberFormat;
use crate::message::message_by_display;

/// A row of the table.
struct Row {
    name: &'static str,
    /// The name of the family, for its smallest member.
    alias: Option<&'static str>,
    machine: Machine,
    /// Whether the runtime, which reads model files, is there for the core.
    runtime: bool,
    /// Whether the core computes in single precision by itself.
    floating_point: bool,
}

/// Defines [`Core`] by its rows.
macro_rules! cores {
    ($($(#[$attribute:meta])* $core:ident = $row:expr;)*) => {
        /// A processor core that can be emulated with exact counts of instructions, or of clock cycles.
        ///
        /// Settings name a core by [`Core::name`] or [`Core::alias`].
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum Core {
            $($(#[$attribute])* $core,)*
        }

        impl Core {
            /// All cores.
            pub const ALL: [Core; [$(Core::$core),*].len()] = [$(Core::$core),*];

            fn row(self) -> &'static Row {
                match self {
                    $(Core::$core => {
                        static ROW: Row = $row;
                        &ROW
                    })*
                }
            }
        }
    };
}

cores! {
    /// Arm Cortex-M0: no division, no multiplication to 64 bits, floating point in software.
    CortexM0 = Row {
        name: "cortex-m0",
        alias: None,
        // A Cortex-M3 takes as many instructions for the code of a Cortex-M0, and its machine has the memory for large
        // models.
        machine: Machine::arm("mps2-an385", "thumbv6m-none-eabi"),
        runtime: true,
        floating_point: false,
    };
    /// Arm Cortex-M0+: the instructions of a Cortex-M0, some of them in fewer cycles.
    CortexM0Plus = Row {
        name: "cortex-m0plus",
        alias: Some("cortex-m0+"),
        machine: Machine::arm("mps2-an385", "thumbv6m-none-eabi"),
        runtime: true,
        floating_point: false,
    };
    /// Arm Cortex-M3: floating point in software.
    CortexM3 = Row {
        name: "cortex-m3",
        alias: None,
        machine: Machine::arm("mps2-an385", "thumbv7m-none-eabi"),
        runtime: true,
        floating_point: false,
    };
    /// Arm Cortex-M4 with the single-precision floating-point unit.
    #[default]
    CortexM4f = Row {
        name: "cortex-m4f",
        alias: None,
        machine: Machine::arm("mps2-an386", "thumbv7em-none-eabihf"),
        runtime: true,
        floating_point: true,
    };
    /// Arm Cortex-M7 with a floating-point unit. It runs the code of a Cortex-M4F; a real one needs fewer cycles for
    /// it.
    CortexM7 = Row {
        name: "cortex-m7",
        alias: None,
        machine: Machine::arm("mps2-an500", "thumbv7em-none-eabihf"),
        runtime: true,
        floating_point: true,
    };
    /// Arm Cortex-M33 with the single-precision floating-point unit.
    CortexM33 = Row {
        name: "cortex-m33",
        alias: None,
        machine: Machine::arm("mps2-an505", "thumbv8m.main-none-eabihf"),
        runtime: true,
        floating_point: true,
    };
    /// RISC-V with multiplication, atomic and compressed instructions: floating point in software.
    Riscv32imac = Row {
        name: "riscv32imac",
        alias: Some("riscv32"),
        machine: Machine::riscv("riscv32imac-unknown-none-elf"),
        runtime: true,
        floating_point: false,
    };
    /// RISC-V with multiplication, atomic and compressed instructions and single-precision floating point.
    Riscv32imafc = Row {
        name: "riscv32imafc",
        alias: None,
        machine: Machine::riscv("riscv32imafc-unknown-none-elf"),
        runtime: true,
        floating_point: true,
    };
    /// Microchip ATmega328P, an AVR of 8 bits: generated C alone, floating point in software.
    Atmega328p = Row {
        name: "atmega328p",
        alias: Some("avr"),
        machine: Machine::avr(),
        runtime: false,
        floating_point: false,
    };
}

impl Core {
    /// Returns whether the runtime, which reads model files, is there for the core. Other cores take generated C.
    pub fn has_runtime(self) -> bool {
        self.row().runtime
    }

    /// Returns the cores that run model files, those with the same instructions on the same machine once.
    pub fn of_runtime() -> Vec<Core> {
        let mut cores: Vec<Core> = Core::ALL.into_iter().filter(|core| core.has_runtime()).collect();
        cores.dedup_by_key(|core| core.machine());
        cores
    }

    /// Returns the name of the core.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns another name of the core: that of the family, for its smallest member.
    pub fn alias(self) -> Option<&'static str> {
        self.row().alias
    }

    /// Returns whether the core computes in single precision by itself. On other cores an integer model takes a
    /// thirtieth of the instructions.
    pub fn floating_point(self) -> bool {
        self.row().floating_point
    }

    /// Returns the emulated machine that models run on.
    pub fn machine(self) -> Machine {
        self.row().machine
    }

    /// Returns the Rust target of programs for the core.
    pub fn target(self) -> &'static str {
        self.row().machine.target
    }
}

/// No core has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no core is called `{0}`: choose {names}", names = Core::ALL.map(Core::name).join(", "))]
pub struct UnknownCore(
    /// The name.
    String,
);

message_by_display!(UnknownCore);

impl From<Core> for NumberFormat {
    /// Returns the number format that suits a core: integers where it computes floating point in software.
    fn from(core: Core) -> NumberFormat {
        if core.floating_point() { NumberFormat::F32 } else { NumberFormat::Int }
    }
}

impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<Core> for String {
    fn from(core: Core) -> String {
        core.name().to_owned()
    }
}

impl TryFrom<String> for Core {
    type Error = UnknownCore;

    fn try_from(name: String) -> Result<Core, UnknownCore> {
        name.parse()
    }
}

impl FromStr for Core {
    type Err = UnknownCore;

    fn from_str(name: &str) -> Result<Self, UnknownCore> {
        let core = Core::ALL.into_iter().find(|core| core.name() == name || core.alias() == Some(name));
        core.ok_or_else(|| UnknownCore(name.to_owned()))
    }
}

/// A machine that QEMU emulates, with the memory and the clock that the firmware must be built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// QEMU's name of the machine.
    pub(crate) machine: &'static str,
    /// The Rust target of programs for the machine.
    pub(crate) target: &'static str,
    /// The feature that the firmware needs for the machine beyond the target.
    pub(crate) feature: Option<&'static str>,
    /// The emulator.
    pub(crate) emulator: Program,
    /// Arguments of the emulator beyond the machine.
    pub(crate) arguments: &'static [&'static str],
}

impl Machine {
    /// The BBC micro:bit, with a Cortex-M0, 256 KiB of flash and 16 KiB of RAM: room for a model of less than 4 KiB
    /// with up to 256 inputs and outputs. Unlike the machine of [`Core::CortexM0`](crate::cost::Core::CortexM0)
    /// it faults on unaligned loads.
    pub const MICROBIT: Machine =
        Machine { feature: Some("microbit"), ..Machine::arm("microbit", "thumbv6m-none-eabi") };

    /// Returns a machine with an Arm core.
    pub(crate) const fn arm(machine: &'static str, target: &'static str) -> Self {
        let emulator = Program { name: "qemu-system-arm", package: "qemu-system-arm" };
        // An instruction takes 2¹⁰ ns of emulated time, which the firmware reads from a timer.
        Machine { machine, target, feature: None, emulator, arguments: &["-icount", "shift=10,sleep=off"] }
    }

    /// Returns a machine with a RISC-V core.
    pub(crate) const fn riscv(target: &'static str) -> Self {
        let emulator = Program { name: "qemu-system-riscv32", package: "qemu-system-misc" };
        // The core counts instructions itself.
        let arguments = &["-bios", "none", "-icount", "shift=0,sleep=off"];
        Machine { machine: "virt", target, feature: None, emulator, arguments }
    }

    /// Returns an ATmega328P, whose programs write to its serial port, in a simulator that keeps to the cycle.
    pub(crate) const fn avr() -> Self {
        let emulator = Program { name: "simavr", package: "simavr" };
        let arguments = &["-f", "16000000"];
        Machine { machine: "atmega328p", target: "avr-none", feature: None, emulator, arguments }
    }
}

/// A program, and the Debian package that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    pub name: &'static str,
    pub(crate) package: &'static str,
}
