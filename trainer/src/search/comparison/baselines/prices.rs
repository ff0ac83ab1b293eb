//! What a plain function for a baseline takes of a core.
//!
//! The functions are those of `firmware-example/measure/formulas`: `polynomial`, which multiplies each monomial of a
//! degree by the inputs, and `table_1` and `table_2`, which interpolate. The prices were measured with the program
//! `counted` of the same folder; `docs/sensors.md` says how.

use crate::cost::Core;
use crate::search::comparison::baselines::polynomial::Polynomial;
use crate::search::comparison::baselines::table::Table;

/// Flash with code, and instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Bytes of coefficients and code.
    pub flash_bytes: usize,
    /// Instructions of a prediction.
    pub instructions: u32,
}

/// The prices on a core.
struct Prices {
    /// Bytes of code of the polynomial, and of tables of one and of two inputs.
    code: [usize; 3],
    /// Instructions of a polynomial: a call, an input, a pair of input and degree, a term beyond the constant one.
    polynomial: [u32; 4],
    /// Instructions of tables of one and of two inputs.
    table: [u32; 2],
}

/// Code in floating point in hardware, and in software with its routines.
const CODE: [[usize; 3]; 2] = [[750, 270, 390], [2050, 1780, 1970]];

/// Returns the prices on a core. Floating point in software takes more or less with the readings: these are means.
fn prices(core: Core) -> Prices {
    match core {
        Core::CortexM0 => Prices { code: CODE[1], polynomial: [60, 310, 17, 352], table: [635, 1533] },
        Core::CortexM3 => Prices { code: CODE[1], polynomial: [30, 160, 8, 197], table: [435, 1018] },
        Core::CortexM4f | Core::CortexM7 | Core::CortexM33 => {
            Prices { code: CODE[0], polynomial: [25, 32, 8, 16], table: [44, 74] }
        }
        Core::Riscv32imac => Prices { code: CODE[1], polynomial: [40, 170, 9, 181], table: [406, 969] },
        Core::Riscv32imafc => Prices { code: CODE[0], polynomial: [25, 32, 10, 19], table: [41, 75] },
    }
}

/// Returns the cost of a polynomial for each of `outputs` outputs.
pub(crate) fn polynomial_cost(core: Core, polynomial: &Polynomial, outputs: usize) -> Cost {
    let prices = prices(core);
    let [call, input, block, term] = prices.polynomial;
    let (inputs, degree, terms) = (polynomial.inputs.len(), polynomial.degree as u32, polynomial.terms());
    let each = call + inputs as u32 * (input + block * degree) + term * (terms as u32 - 1);
    // Mean and deviation of every input.
    let words = 2 * inputs + outputs * terms;
    Cost { flash_bytes: 4 * words + prices.code[0], instructions: each * outputs as u32 }
}

/// Returns the cost of a table for each of `outputs` outputs.
pub(crate) fn table_cost(core: Core, table: &Table, outputs: usize) -> Cost {
    let (prices, axes) = (prices(core), table.inputs.len());
    // The first knot and the distance of the knots of every input.
    let words = 2 * axes + outputs * table.values();
    Cost { flash_bytes: 4 * words + prices.code[axes], instructions: prices.table[axes - 1] * outputs as u32 }
}
