//! Amplitudes from sums, and their errors on other rows.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::refit::moments::Moments;
use crate::refit::sums::Sums;
use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::{NormalEquations, Reduced};

/// The ridge parameter with which the halves of the rows predict each other best, and the amplitudes that each half and
/// all rows have with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solved {
    pub(crate) lambda: f64,
    pub(crate) halves: [Solution; 2],
    pub(crate) whole: Solution,
    /// The sums of targets and ranges, which are small for any number of features.
    pub(crate) sums: Sums,
    /// The sums of squared errors of each target over the rows of each half, with the amplitudes of the other half.
    pub(crate) squared_errors: [Vec<f64>; 2],
}

/// The normal equations of some rows.
pub(crate) struct Equations {
    reduced: Reduced,
    rows: usize,
    means: Vec<f64>,
    targets: usize,
    /// The standard deviation of each linear term, which is the unit of its column.
    scales: Vec<f64>,
}

/// Coefficients of linear terms and features (p×k) and intercepts (1×k), in scaled coordinates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    #[serde(with = "crate::data::matrix")]
    pub coefficients: DMatrix<f64>,
    #[serde(with = "crate::data::matrix")]
    pub intercept: DMatrix<f64>,
}

impl Equations {
    /// Returns the equations that the sums give for `shape` linear terms, features and targets.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] if the sums are not finite.
    pub fn of(sums: &Moments, [linear, features, targets]: [usize; 3]) -> Result<Equations, SolveError> {
        let columns = linear + features;
        let mut gram = sums.products.view((0, 0), (columns, columns)).into_owned();
        let mut moments = sums.products.view((columns, 0), (targets, columns)).transpose();
        let spread = |term: usize| (gram[(term, term)] / sums.rows.max(1) as f64).sqrt();
        let scales: Vec<f64> = (0..linear).map(spread).map(|spread| if spread > 0.0 { spread } else { 1.0 }).collect();
        for (term, scale) in scales.iter().enumerate() {
            gram.row_mut(term).scale_mut(1.0 / scale);
            gram.column_mut(term).scale_mut(1.0 / scale);
            moments.row_mut(term).scale_mut(1.0 / scale);
        }
        let reduced = NormalEquations::of_products(gram, moments, linear).reduce()?;
        Ok(Equations { reduced, rows: sums.rows, means: sums.means.clone(), targets, scales })
    }

    /// Returns the solution with λ times the number of rows on the diagonal of the features.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] if the factorisation does not converge.
    pub fn solve(&self, lambda: f64) -> Result<Solution, SolveError> {
        let (linear, amplitudes) = self.reduced.solve(lambda * self.rows as f64)?;
        let terms = linear.nrows();
        let mut coefficients = linear.resize_vertically(terms + amplitudes.nrows(), 0.0);
        coefficients.rows_mut(terms, amplitudes.nrows()).copy_from(&amplitudes);
        self.scales.iter().enumerate().for_each(|(term, scale)| coefficients.row_mut(term).scale_mut(1.0 / scale));
        let columns = coefficients.nrows();
        let intercept = DMatrix::from_fn(1, self.targets, |_, target| {
            let explained: f64 = (0..columns).map(|column| self.means[column] * coefficients[(column, target)]).sum();
            self.means[columns + target] - explained
        });
        Ok(Solution { coefficients, intercept })
    }
}

impl Solution {
    /// Returns the sum of squared errors of each target over the rows of `sums`, in scaled coordinates.
    pub fn squared_errors(&self, sums: &Moments) -> Vec<f64> {
        (0..self.intercept.ncols()).map(|target| self.squared_error(sums, target)).collect()
    }

    fn squared_error(&self, sums: &Moments, target: usize) -> f64 {
        let columns = self.coefficients.nrows();
        let place = columns + target;
        let of = self.coefficients.column(target);
        let along: f64 = (0..columns).map(|i| of[i] * sums.products[(place, i)]).sum();
        // The products below the diagonal stand for those above it as well.
        let square = |i: usize| {
            let below = sums.products.view((i + 1, i), (columns - i - 1, 1));
            of[i] * (of[i] * sums.products[(i, i)] + 2.0 * below.dot(&of.rows(i + 1, columns - i - 1)))
        };
        let mean = (0..columns).map(|i| of[i] * sums.means[i]).sum::<f64>() + self.intercept[target];
        let off = sums.means[place] - mean;
        let centred = sums.products[(place, place)] - 2.0 * along + (0..columns).map(square).sum::<f64>();
        centred.max(0.0) + sums.rows as f64 * off * off
    }
}
