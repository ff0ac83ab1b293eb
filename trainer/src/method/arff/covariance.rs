//! Covariance of all points that a random walk has visited, for the shape of its further steps.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::linalg::{cholesky, gram};

/// Added to the diagonal of a covariance, as a share of its mean: no direction is ever closed.
const FLOOR: f64 = 1e-9;

/// Sums over points of one dimension D.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    count: u64,
    sum: Vec<f64>,
    /// Products of coordinates, D×D.
    products: Vec<f64>,
}

impl Spread {
    pub fn new(dimension: usize) -> Spread {
        Spread { count: 0, sum: vec![0.0; dimension], products: vec![0.0; dimension * dimension] }
    }

    pub fn add(&mut self, points: &[Vec<f64>]) {
        self.count += points.len() as u64;
        let points = DMatrix::from_fn(points.len(), self.sum.len(), |k, i| points[k][i]);
        self.sum.iter_mut().zip(points.column_iter()).for_each(|(sum, column)| *sum += column.sum());
        self.products.iter_mut().zip(gram(&points).iter()).for_each(|(sum, product)| *sum += product);
    }

    /// Their covariance (D×D), divided by their number.
    pub fn covariance(&self) -> DMatrix<f64> {
        let (count, dimension) = (self.count as f64, self.sum.len());
        let entry = |i, j| self.products[i + j * dimension] / count - self.sum[i] / count * (self.sum[j] / count);
        DMatrix::from_fn(dimension, dimension, entry)
    }

    /// A lower triangular factor `l` of the covariance `l lᵀ`; none as long as all points are one.
    pub fn factor(&self) -> Option<DMatrix<f64>> {
        let mut covariance = self.covariance();
        let floor = FLOOR * covariance.diagonal().mean();
        (0..self.sum.len()).for_each(|i| covariance[(i, i)] += floor);
        cholesky(&covariance)
    }
}
