//! The means and the centred products of linear terms, features and targets, as sums over rows.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::linalg::{add_lower_gram, add_scaled, zeros};

/// The number of rows, the mean of every column, and the sums of products of the distances from the means.
///
/// Sums around means keep their precision whatever the units of the columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    pub rows: usize,
    pub means: Vec<f64>,
    /// The products of columns p×p, on and below the diagonal.
    #[serde(with = "crate::data::matrix")]
    pub products: DMatrix<f64>,
}

impl Moments {
    /// The sums over no rows.
    pub fn new(columns: usize) -> Moments {
        Moments { rows: 0, means: vec![0.0; columns], products: zeros(columns, columns) }
    }

    /// Adds rows, r×p.
    pub fn add(&mut self, mut values: DMatrix<f64>) {
        let rows = values.nrows();
        if rows == 0 {
            return;
        }
        let means: Vec<f64> = values.column_iter().map(|column| column.mean()).collect();
        values.column_iter_mut().zip(&means).for_each(|(mut column, &mean)| column.add_scalar_mut(-mean));
        add_lower_gram(&mut self.products, &values);
        self.shift(rows, &means);
    }

    /// Adds the sums over the rows that follow.
    pub fn merge(&mut self, later: &Moments) {
        if later.rows > 0 {
            self.products += &later.products;
            self.shift(later.rows, &later.means);
        }
    }

    /// Returns the sums of the columns from `first` on.
    pub fn of_columns_from(&self, first: usize) -> Moments {
        let count = self.means.len() - first;
        let products = self.products.view((first, first), (count, count)).into_owned();
        Moments { rows: self.rows, means: self.means[first..].to_vec(), products }
    }

    /// Moves the means to those of `rows` more rows, whose products around their own means were added.
    ///
    /// T. F. Chan, G. H. Golub and R. J. LeVeque, *Algorithms for computing the sample variance*, 1983.
    fn shift(&mut self, rows: usize, means: &[f64]) {
        let before = self.rows as f64;
        let all = (self.rows + rows) as f64;
        let apart: Vec<f64> = means.iter().zip(&self.means).map(|(later, mean)| later - mean).collect();
        let weight = before * rows as f64 / all;
        let columns = self.products.as_mut_slice().chunks_exact_mut(apart.len().max(1));
        for (column, products) in columns.enumerate() {
            add_scaled(&mut products[column..], weight * apart[column], &apart[column..]);
        }
        self.means.iter_mut().zip(&apart).for_each(|(mean, apart)| *mean += rows as f64 / all * apart);
        self.rows += rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn merged_parts_have_the_covariances_of_all_rows() {
        let mut sampler = Sampler::new(1);
        // A column far from zero, whose plain sums of squares would lose its variance.
        let x = DMatrix::from_fn(500, 3, |row, j| [1e6, 0.0, row as f64][j] + sampler.normal());
        let mut all = Moments::new(3);
        for (first, rows) in [(0, 100), (100, 1), (101, 0), (101, 399)] {
            let mut part = Moments::new(3);
            part.add(x.rows(first, rows / 2).into_owned());
            part.add(x.rows(first + rows / 2, rows - rows / 2).into_owned());
            all.merge(&part);
        }
        assert_eq!(all.rows, 500);
        let means: Vec<f64> = x
            .column_iter()
            .map(|column| column.iter().map(|v| v - column[0]).sum::<f64>() / 500.0 + column[0])
            .collect();
        for i in 0..3 {
            assert!((all.means[i] - means[i]).abs() < 1e-12 * means[i].abs().max(1.0));
            for j in 0..=i {
                let direct: f64 = (0..500).map(|row| (x[(row, i)] - means[i]) * (x[(row, j)] - means[j])).sum();
                // Means of 1e6 are rounded to 1e-10, which up to 100 rows at a distance of 250 multiply. Sums of
                // squares of 5e14 would be rounded to 0.06.
                assert!((all.products[(i, j)] - direct).abs() < 1e-4, "{i} {j}: {} {direct}", all.products[(i, j)]);
            }
        }
    }
}
