//! Sums over the rows of a table.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::refit::features::Features;
use crate::refit::moments::Moments;
use crate::sums::{InputRanges, Statistic, parts};

/// The largest number of rows of a part: sums over thousands of parts count without overflow.
const MOST_ROWS: usize = 1 << 48;

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
    pub(crate) fn of_targets(&self) -> Sums {
        let Sums { halves, inputs, targets } = self;
        let of_half = |half: &Moments| half.of_columns_from(half.means.len() - targets.len());
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
            half.rows <= MOST_ROWS && half.means.iter().all(|mean| mean.is_finite()) && products
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
