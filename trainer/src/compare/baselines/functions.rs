//! Polynomials and piecewise linear tables, and what they cost as plain functions on a core.

use nalgebra::DMatrix;

use crate::cost::Core;
use crate::data::is_constant;
use crate::linalg::{cholesky_solve, gram, transpose_product};
use crate::solve::SolveError;
use crate::solve::least_squares::min_norm::min_norm;

/// Penalty on second differences of the table, as a share of the rows of a value. It fills values without rows.
const SMOOTHING: f64 = 1e-3;

/// Penalty on the values, as a share of the rows of a value; it keeps the system regular.
const REGULAR: f64 = 1e-9;

/// A model that is linear in its coefficients.
pub(crate) trait Basis: Sync {
    /// What the model learns of the inputs before its coefficients.
    type Scaling;

    /// Returns the columns of the data that the model uses. The columns of `x` are these alone, in this order.
    fn inputs(&self) -> &[usize];

    /// Learns the scaling from the rows of `x` (n×d).
    fn scaling(&self, x: &DMatrix<f64>) -> Self::Scaling;

    /// Returns the values (n×m) of the basis at the rows of `x` (n×d).
    fn values(&self, scaling: &Self::Scaling, x: &DMatrix<f64>) -> DMatrix<f64>;

    /// Returns the coefficients (m×k) for the values (n×m) and the targets (n×k).
    ///
    /// # Errors
    /// [`SolveError`] where the rows do not determine them.
    fn coefficients(&self, values: &DMatrix<f64>, y: &DMatrix<f64>) -> Result<DMatrix<f64>, SolveError>;
}

/// Values at knots of equal distances over the range of the inputs, with linear interpolation between them. Readings
/// beyond the range take its ends.
pub(crate) struct Table {
    /// One or two inputs.
    pub inputs: Vec<usize>,
    /// The number of knots of each input, at least two.
    pub knots: usize,
}

impl Table {
    /// Returns the number of values.
    pub fn values(&self) -> usize {
        self.knots.pow(self.inputs.len() as u32)
    }

    /// Returns the knot below a reading and the share of the knot above.
    fn place(&self, (low, high): (f64, f64), reading: f64) -> (usize, f64) {
        let last = (self.knots - 1) as f64;
        let along = if high > low { (last * (reading - low) / (high - low)).clamp(0.0, last) } else { 0.0 };
        let knot = (along as usize).min(self.knots - 2);
        (knot, along - knot as f64)
    }

    /// Returns the penalty on second differences along every axis.
    fn penalty(&self) -> DMatrix<f64> {
        let values = self.values();
        let mut penalty = DMatrix::zeros(values, values);
        for axis in 0..self.inputs.len() {
            let step = self.knots.pow(axis as u32);
            for middle in (0..values).filter(|value| (1..self.knots - 1).contains(&(value / step % self.knots))) {
                let difference = [(middle - step, 1.0), (middle, -2.0), (middle + step, 1.0)];
                for (a, at_a) in difference {
                    for (b, at_b) in difference {
                        penalty[(a, b)] += at_a * at_b;
                    }
                }
            }
        }
        penalty
    }
}

impl Basis for Table {
    /// The range of each input.
    type Scaling = Vec<(f64, f64)>;

    fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    fn scaling(&self, x: &DMatrix<f64>) -> Self::Scaling {
        x.column_iter().map(|column| (column.min(), column.max())).collect()
    }

    fn values(&self, ranges: &Self::Scaling, x: &DMatrix<f64>) -> DMatrix<f64> {
        let mut values = DMatrix::zeros(x.nrows(), self.values());
        for row in 0..x.nrows() {
            let mut corners = vec![(0, 1.0)];
            for (axis, &range) in ranges.iter().enumerate() {
                let (knot, above) = self.place(range, x[(row, axis)]);
                let step = self.knots.pow(axis as u32);
                let divided = |(at, weight): (usize, f64)| {
                    [(at + knot * step, weight * (1.0 - above)), (at + (knot + 1) * step, weight * above)]
                };
                corners = corners.into_iter().flat_map(divided).collect();
            }
            corners.into_iter().for_each(|(at, weight)| values[(row, at)] += weight);
        }
        values
    }

    fn coefficients(&self, values: &DMatrix<f64>, y: &DMatrix<f64>) -> Result<DMatrix<f64>, SolveError> {
        let rows = values.nrows() as f64 / self.values() as f64;
        let mut system = gram(values) + SMOOTHING * rows * self.penalty();
        (0..self.values()).for_each(|value| system[(value, value)] += REGULAR * rows);
        cholesky_solve(&system, &transpose_product(values, y)).ok_or(SolveError::NotFinite)
    }
}

/// All monomials of the standardised inputs up to a degree.
pub(crate) struct Polynomial {
    /// The inputs.
    pub inputs: Vec<usize>,
    /// The largest degree of a monomial.
    pub degree: usize,
}

impl Polynomial {
    /// Returns the number of monomials, the constant one included: `(d + p)! / (d! p!)`.
    pub fn terms(&self) -> usize {
        let d = self.inputs.len();
        (1..=self.degree).fold(1, |terms: usize, degree| terms.saturating_mul(d + degree) / degree)
    }
}

impl Basis for Polynomial {
    /// Mean and deviation of each input; an infinite deviation of an input that is constant in the rows.
    type Scaling = Vec<(f64, f64)>;

    fn inputs(&self) -> &[usize] {
        &self.inputs
    }

    fn scaling(&self, x: &DMatrix<f64>) -> Self::Scaling {
        let of = |place: usize| {
            let column = x.column(place);
            let constant = is_constant(column.as_slice());
            (column.mean(), if constant { f64::INFINITY } else { column.variance().sqrt() })
        };
        (0..x.ncols()).map(of).collect()
    }

    fn values(&self, scaling: &Self::Scaling, x: &DMatrix<f64>) -> DMatrix<f64> {
        let mut values = DMatrix::from_element(x.nrows(), self.terms(), 1.0);
        // The monomials of each degree follow from those of the degree before: `starts[i]` is the first monomial of
        // that degree without the inputs before input i.
        let mut starts = vec![0; self.inputs.len()];
        let mut end = 1;
        for _ in 0..self.degree {
            let last = end;
            for (place, &(mean, deviation)) in scaling.iter().enumerate() {
                let first = std::mem::replace(&mut starts[place], end);
                for monomial in first..last {
                    for row in 0..x.nrows() {
                        values[(row, end)] = values[(row, monomial)] * (x[(row, place)] - mean) / deviation;
                    }
                    end += 1;
                }
            }
        }
        values
    }

    fn coefficients(&self, values: &DMatrix<f64>, y: &DMatrix<f64>) -> Result<DMatrix<f64>, SolveError> {
        min_norm(values, y)
    }
}

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
    let inputs = polynomial.inputs.len();
    let degree = polynomial.degree as u32;
    let terms = polynomial.terms();
    let each = call + inputs as u32 * (input + block * degree) + term * (terms as u32 - 1);
    // Mean and deviation of every input.
    let words = 2 * inputs + outputs * terms;
    Cost { flash_bytes: 4 * words + prices.code[0], instructions: each * outputs as u32 }
}

/// Returns the cost of a table for each of `outputs` outputs.
pub(crate) fn table_cost(core: Core, table: &Table, outputs: usize) -> Cost {
    let prices = prices(core);
    let axes = table.inputs.len();
    // The first knot and the distance of the knots of every input.
    let words = 2 * axes + outputs * table.values();
    Cost { flash_bytes: 4 * words + prices.code[axes], instructions: prices.table[axes - 1] * outputs as u32 }
}
