//! How rare rows are among known ones.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::linalg::{gram, product, symmetric_eigen};

/// The number of the neighbour whose distance says how rare a row is.
pub const NEIGHBOURS: usize = 10;

/// The least variance of a direction, as a share of that of the direction with the largest one. Readings that depend on
/// each other exactly have none in some directions, and novel rows are found there.
const LEAST_VARIANCE: f64 = 1e-6;

/// The share of the usual distance between two rows that is added to every distance: rows that repeat each other have
/// a logarithm.
const FLOOR: f64 = 1e-3;

/// Known rows in coordinates in which all directions have the variance 1 (P. Mahalanobis, 1936).
pub struct Reference {
    means: Vec<f64>,
    /// The coordinates of a centred row, d×w.
    axes: DMatrix<f64>,
    /// The known rows, w×n.
    rows: DMatrix<f64>,
    floor: f64,
}

impl Reference {
    /// Takes known rows (n×d); none where all inputs are constant.
    pub fn new(x: &DMatrix<f64>) -> Option<Reference> {
        let rows = x.nrows() as f64;
        let means: Vec<f64> = x.column_iter().map(|column| column.sum() / rows).collect();
        let mut centred = x.clone();
        let mut scales = Vec::new();
        for (mut column, mean) in centred.column_iter_mut().zip(&means) {
            column.add_scalar_mut(-mean);
            let deviation = (column.norm_squared() / rows).sqrt();
            let scale = if deviation > 0.0 { 1.0 / deviation } else { 0.0 };
            column *= scale;
            scales.push(scale);
        }
        let (variances, directions) = symmetric_eigen(&(gram(&centred) / rows))?;
        let largest = variances.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return None;
        }
        let axis = |input: usize, direction: usize| {
            let variance = variances[direction].max(LEAST_VARIANCE * largest);
            scales[input] * directions[(input, direction)] / variance.sqrt()
        };
        let axes = DMatrix::from_fn(x.ncols(), variances.len(), axis);
        let floor = FLOOR * (2.0 * variances.len() as f64).sqrt();
        let mut reference = Reference { means, axes, rows: DMatrix::zeros(0, 0), floor };
        reference.rows = reference.coordinates(x);
        Some(reference)
    }

    /// Returns rows (n×d) in the coordinates of the reference, w×n.
    fn coordinates(&self, x: &DMatrix<f64>) -> DMatrix<f64> {
        let mut centred = x.clone();
        for (mut column, mean) in centred.column_iter_mut().zip(&self.means) {
            column.add_scalar_mut(-mean);
        }
        product(&centred, &self.axes).transpose()
    }

    /// Returns the rarity of every known row among the others.
    pub fn own_rarity(&self) -> Vec<f64> {
        // The nearest known row is the row itself.
        self.rarity_of(&self.rows, NEIGHBOURS + 1)
    }

    /// Returns the rarity of other rows (n×d).
    pub fn rarity(&self, x: &DMatrix<f64>) -> Vec<f64> {
        self.rarity_of(&self.coordinates(x), NEIGHBOURS)
    }

    /// Returns the logarithm of the distance of every row (w×n) to the known row of that rank, or to the last one.
    fn rarity_of(&self, rows: &DMatrix<f64>, rank: usize) -> Vec<f64> {
        let width = self.axes.ncols();
        let of_row = |row: &[f64]| {
            let known = self.rows.as_slice().chunks_exact(width);
            let mut distances: Vec<f64> = known.map(|other| squared_distance(row, other)).collect();
            let place = rank.min(distances.len()) - 1;
            let (_, &mut distance, _) = distances.select_nth_unstable_by(place, f64::total_cmp);
            libm::log(distance.sqrt() + self.floor)
        };
        rows.as_slice().par_chunks_exact(width).map(of_row).collect()
    }
}

/// Returns the squared distance between two rows, summed in the order of their coordinates.
fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
