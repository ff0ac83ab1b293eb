//! Sums over the rows of a table.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::linalg::{add_lower_gram, add_scaled, zeros};
use crate::refit::features::Features;
use crate::sums::{InputRanges, Statistic, parts};

/// The largest number of rows of a part: sums over thousands of parts count without overflow.
const MOST_SUMMED_ROWS: usize = 1 << if usize::BITS < 64 { 20 } else { 48 };

/// What rows contribute to the amplitudes of features: means, sums of products, and ranges.
///
/// Sums over successive rows merge to the sums over all of them, up to rounding. Parts that begin at multiples of
/// [`Sums::SPAN`] rows, merged pair by pair, give the bits of all rows at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// The sums over the first and the second half of the rows of every tile.
    pub(crate) halves: [Moments; 2],
    /// The range of every input.
    pub(crate) inputs: Vec<(f64, f64)>,
    /// The range of every target.
    pub(crate) targets: Vec<(f64, f64)>,
}

impl Sums {
    /// The rows of a span, within which the order of sums does not depend on the division into parts.
    pub const SPAN: usize = crate::sums::SPAN_ROWS;

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.halves[0].rows + self.halves[1].rows
    }

    /// Adds the sums over the rows that follow, which must be sums of the same features.
    pub fn merge(&mut self, later: Sums) {
        InputRanges { inputs: later.inputs.len() }.merge(&mut self.inputs, later.inputs);
        InputRanges { inputs: later.targets.len() }.merge(&mut self.targets, later.targets);
        self.halves.iter_mut().zip(&later.halves).for_each(|(half, later)| half.merge(later));
    }

    /// Returns the products over both halves.
    pub(crate) fn all(&self) -> Moments {
        let mut all = self.halves[0].clone();
        all.merge(&self.halves[1]);
        all
    }

    /// Returns the sums of targets and ranges alone.
    pub(crate) fn targets_only(&self) -> Sums {
        let Sums { halves, inputs, targets } = self;
        let of_half = |half: &Moments| half.columns_from(half.means.len() - targets.len());
        let halves = [of_half(&halves[0]), of_half(&halves[1])];
        Sums { halves, inputs: inputs.clone(), targets: targets.clone() }
    }

    /// Returns whether the sums are those of so many inputs, and linear terms, features and targets.
    pub(crate) fn belong_to(&self, features: &Features) -> bool {
        let columns: usize = features.shape().iter().sum();
        let fits = |half: &Moments| half.means.len() == columns && half.products.shape() == (columns, columns);
        self.halves.iter().all(fits)
            && self.inputs.len() == features.input_names.len()
            && self.targets.len() == features.output_names.len()
    }
}

impl Sums {
    /// Returns whether some rows have these sums.
    pub(crate) fn is_possible(&self) -> bool {
        let none = self.halves.iter().all(|half| half.rows == 0);
        let range = |&(low, high): &(f64, f64)| none || (low.is_finite() && high.is_finite() && low <= high);
        let half = |half: &Moments| {
            let products = half.products.iter().all(|product| product.is_finite());
            half.rows <= MOST_SUMMED_ROWS && half.means.iter().all(|mean| mean.is_finite()) && products
        };
        self.inputs.iter().chain(&self.targets).all(range) && self.halves.iter().all(half)
    }
}

/// Returns how many of the rows of a tile are in the first half.
pub(crate) fn first_half(rows: usize) -> usize {
    rows.div_ceil(2)
}

impl Statistic for Features {
    type Sum = Sums;

    fn zero(&self) -> Sums {
        let ranges = |inputs: usize| InputRanges { inputs }.zero();
        let half = Moments::new(self.shape().iter().sum());
        let inputs = ranges(self.input_names.len());
        let targets = ranges(self.output_names.len());
        Sums { halves: [half.clone(), half], inputs, targets }
    }

    fn add(&self, sum: &mut Sums, x: &DMatrix<f64>, y: &DMatrix<f64>) {
        InputRanges { inputs: x.ncols() }.add(&mut sum.inputs, x, y);
        InputRanges { inputs: y.ncols() }.add(&mut sum.targets, y, y);
        let first = first_half(x.nrows());
        let width = self.shape().iter().sum();
        for (half, rows) in sum.halves.iter_mut().zip([0..first, first..x.nrows()]) {
            let of = |m: &DMatrix<f64>| m.rows(rows.start, rows.len()).into_owned();
            let x = of(x);
            let y = of(y);
            for (start, x) in parts(&x, width) {
                half.add(self.values(&x, &y.rows(start, x.nrows()).into_owned()));
            }
        }
    }

    fn merge(&self, sum: &mut Sums, later: Sums) {
        sum.merge(later);
    }
}

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
    pub fn columns_from(&self, first: usize) -> Moments {
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
