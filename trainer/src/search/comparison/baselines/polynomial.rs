//! Polynomials of several inputs by least squares.

use nalgebra::DMatrix;

use crate::data::is_constant;
use crate::search::comparison::baselines::rating::Basis;
use crate::solve::SolveError;
use crate::solve::least_squares::min_norm::min_norm;

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
        let (mut starts, mut end) = (vec![0; self.inputs.len()], 1);
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
