//! Piecewise linear tables of one or two inputs by least squares.

use nalgebra::DMatrix;

use crate::linalg::{cholesky_solve, gram, transpose_product};
use crate::search::comparison::baselines::rating::Basis;
use crate::solve::SolveError;

/// Penalty on second differences of the table, as a share of the rows of a value. It fills values without rows.
const SMOOTHING: f64 = 1e-3;

/// Penalty on the values, as a share of the rows of a value; it keeps the system regular.
const REGULAR: f64 = 1e-9;

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
