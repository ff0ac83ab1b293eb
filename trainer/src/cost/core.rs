//! The table of cores.

use std::fmt;
use std::str::FromStr;

use crate::cost::board::Board;
use crate::cost::prices::{NumberPrices, OtherFeatures, Prices};

/// A row of the table.
struct Row {
    name: &'static str,
    /// The name of the family, for its smallest member.
    alias: Option<&'static str>,
    board: Board,
    prices: Prices,
}

/// Defines [`Core`] by its rows.
macro_rules! cores {
    ($($(#[$doc:meta])* $core:ident = $row:expr;)*) => {
        /// A processor core that can be emulated with exact instruction counts.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Core {
            $($(#[$doc])* $core,)*
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
        // A Cortex-M3 takes as many instructions for the code of a Cortex-M0, and its board has the memory for large
        // models.
        board: Board::arm("mps2-an385", "thumbv6m-none-eabi"),
        prices: Prices {
            f32: None,
            i32: integers([102, 5, 57], WARPS_M0, &[22, 29, 35, 42, 48], [260, 38, 9, 26, 14, 8], [68, 57]),
            // The number of features is divided by words, in software: up to 140 instructions a block.
            i16: integers([115, 5, 190], WARPS_M0, &[33, 39, 51, 56, 71], [325, 52, 13, 34, 12, 12], [68, 57]),
        },
    };
    /// Arm Cortex-M3: floating point in software.
    CortexM3 = Row {
        name: "cortex-m3",
        alias: None,
        board: Board::arm("mps2-an385", "thumbv7m-none-eabi"),
        prices: Prices {
            f32: None,
            i32: integers([91, 2, 46], WARPS_ARM, &[14, 17, 22, 26, 30], [96, 24, 7, 22, 7, 7], [40, 7]),
            i16: integers([106, 2, 69], WARPS_ARM, &[18, 22, 27, 35, 47], [90, 34, 7, 20, 8, 8], [40, 7]),
        },
    };
    /// Arm Cortex-M4 with the single-precision floating-point unit.
    CortexM4f = Row {
        name: "cortex-m4f",
        alias: None,
        board: Board::arm("mps2-an386", "thumbv7em-none-eabihf"),
        prices: PRICES_M4F,
    };
    /// Arm Cortex-M7 with a floating-point unit. It runs the code of a Cortex-M4F; a real one needs fewer cycles for
    /// it.
    CortexM7 = Row {
        name: "cortex-m7",
        alias: None,
        board: Board::arm("mps2-an500", "thumbv7em-none-eabihf"),
        prices: PRICES_M4F,
    };
    /// Arm Cortex-M33 with the single-precision floating-point unit.
    CortexM33 = Row {
        name: "cortex-m33",
        alias: None,
        board: Board::arm("mps2-an505", "thumbv8m.main-none-eabihf"),
        prices: Prices {
            f32: Some(F32_ARM),
            i32: integers([91, 2, 38], WARPS_ARM, &[15, 18, 22, 25, 29], [96, 24, 7, 22, 7, 7], [40, 7]),
            i16: integers([106, 2, 68], WARPS_ARM, &[18, 22, 27, 35, 46], [90, 35, 7, 20, 8, 8], [40, 7]),
        },
    };
    /// RISC-V with multiplication, atomic and compressed instructions: floating point in software.
    Riscv32imac = Row {
        name: "riscv32imac",
        alias: Some("riscv32"),
        board: Board::riscv("riscv32imac-unknown-none-elf"),
        prices: Prices { f32: None, i32: I32_RISCV, i16: I16_RISCV },
    };
    /// RISC-V with multiplication, atomic and compressed instructions and single-precision floating point.
    Riscv32imafc = Row {
        name: "riscv32imafc",
        alias: None,
        board: Board::riscv("riscv32imafc-unknown-none-elf"),
        prices: Prices {
            f32: Some(NumberPrices {
                call: 116,
                input: 3,
                prepared: 9,
                warps: [50, 2, 31, 28],
                block: 75,
                features: &[27, 35, 43],
                others: None,
                linear: [4, 11],
            }),
            i32: I32_RISCV,
            i16: I16_RISCV,
        },
    };
}

/// Prices of warps in integers. The logarithm of a Cortex-M0 counts zeros in software.
const WARPS_M0: [u32; 4] = [43, 12, 74, 205];
const WARPS_ARM: [u32; 4] = [26, 10, 25, 135];
const WARPS_RISCV: [u32; 4] = [64, 8, 49, 162];

/// Prices that several cores share.
const F32_ARM: NumberPrices = NumberPrices {
    call: 119,
    input: 2,
    prepared: 9,
    warps: [35, 6, 31, 27],
    block: 83,
    features: &[24, 27, 34],
    others: None,
    linear: [5, 9],
};
const PRICES_M4F: Prices = Prices {
    f32: Some(F32_ARM),
    i32: integers([91, 2, 37], WARPS_ARM, &[11, 14, 18, 21, 25], [97, 20, 7, 17, 7, 8], [40, 7]),
    i16: integers([106, 2, 69], WARPS_ARM, &[14, 18, 23, 32, 44], [90, 31, 7, 16, 8, 8], [40, 7]),
};
const I32_RISCV: NumberPrices =
    integers([105, 5, 62], WARPS_RISCV, &[24, 31, 38, 45, 52], [90, 24, 10, 30, 11, 6], [42, 15]);
const I16_RISCV: NumberPrices =
    integers([135, 5, 75], WARPS_RISCV, &[27, 35, 43, 51, 59], [86, 32, 11, 31, 11, 11], [42, 15]);

/// Returns prices of integers: of a call, an input and a block, of warps, of features, of other features (block,
/// feature, input, then feature, pair and last input where a feature uses all inputs), and of linear terms.
const fn integers(
    [call, input, block]: [u32; 3],
    warps: [u32; 4],
    features: &'static [u32],
    [others, feature, each, all, pair, last]: [u32; 6],
    linear: [u32; 2],
) -> NumberPrices {
    let others = Some(OtherFeatures { block: others, some: [feature, each], all: [all, pair, last] });
    NumberPrices { call, input, prepared: 0, warps, block, features, others, linear }
}

impl Core {
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
        self.row().prices.f32.is_some()
    }

    /// Returns the board that models run on.
    pub fn board(self) -> Board {
        self.row().board
    }

    /// Returns the Rust target of programs for the core.
    pub fn target(self) -> &'static str {
        self.row().board.target
    }

    /// Returns the prices of the parts of a prediction.
    pub(crate) fn prices(self) -> &'static Prices {
        &self.row().prices
    }
}

/// No core has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no core is called `{0}`: choose {names}", names = Core::ALL.map(Core::name).join(", "))]
pub struct UnknownCore(
    /// The name.
    String,
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
