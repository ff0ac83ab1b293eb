//! The residuals of rows that a fit did not see.

use std::collections::BTreeMap;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::model::{INTERVAL_LEVEL, Model};
use crate::refit::sums::first_half;
use crate::sums::Statistic;

/// The bits of an `f32` that are dropped when residuals are counted: neighbouring counts are 0.8 % apart.
const DROPPED_BITS: u32 = 16;

/// Every half of the rows is predicted by the model of the other half.
pub(crate) struct Crosswise<'a> {
    /// The models of the first and of the second half.
    pub models: &'a [Model; 2],
}

/// What the residuals of an output are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct OfOutput {
    /// The sums of squares over both halves.
    pub squares: [f64; 2],
    /// The sum of products of neighbours.
    neighbours: f64,
    /// How many residuals have each absolute value.
    counts: BTreeMap<u32, u64>,
}

/// How far the amplitudes of each half of the rows are off on the rows of the other half.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Residuals {
    /// The number of rows of each half.
    pub(crate) rows: [usize; 2],
    pub(crate) outputs: Vec<OfOutput>,
}

impl Residuals {
    /// Adds the residuals of the rows that follow.
    pub fn merge(&mut self, later: Residuals) {
        (0..2).for_each(|half| self.rows[half] += later.rows[half]);
        for (output, later) in self.outputs.iter_mut().zip(later.outputs) {
            (0..2).for_each(|half| output.squares[half] += later.squares[half]);
            output.neighbours += later.neighbours;
            later.counts.into_iter().for_each(|(bits, count)| *output.counts.entry(bits).or_default() += count);
        }
    }
}

impl OfOutput {
    fn add(&mut self, half: usize, residuals: &[f64]) {
        self.squares[half] += residuals.iter().map(|residual| residual * residual).sum::<f64>();
        self.neighbours += residuals.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
        for residual in residuals {
            *self.counts.entry((residual.abs() as f32).to_bits() >> DROPPED_BITS).or_default() += 1;
        }
    }

    /// Returns the correlation of neighbouring residuals.
    pub fn autocorrelation(&self) -> f64 {
        let squares = self.squares[0] + self.squares[1];
        if squares > 0.0 { self.neighbours / squares } else { 0.0 }
    }

    /// Returns half the width of the interval: the ⌈(n + 1) level⌉-th smallest absolute residual, rounded up to the
    /// next count. None if the rows are too few.
    pub fn half_width(&self) -> Option<f64> {
        let rows: u64 = self.counts.values().sum();
        let place = ((rows + 1) as f64 * INTERVAL_LEVEL).ceil() as u64;
        let mut seen = 0;
        let count = self.counts.iter().find(|(_, count)| {
            seen += **count;
            seen >= place
        });
        count.map(|(bits, _)| f64::from(f32::from_bits((bits + 1) << DROPPED_BITS)))
    }
}

impl Statistic for Crosswise<'_> {
    type Sum = Residuals;

    fn zero(&self) -> Residuals {
        let outputs = self.models[0].expansion.intercept.ncols();
        Residuals { rows: [0; 2], outputs: vec![OfOutput::default(); outputs] }
    }

    fn add(&self, sum: &mut Residuals, x: &DMatrix<f64>, y: &DMatrix<f64>) {
        let first = first_half(x.nrows());
        for (half, rows) in [0..first, first..x.nrows()].into_iter().enumerate() {
            let of = |m: &DMatrix<f64>| m.rows(rows.start, rows.len()).into_owned();
            let residuals = of(y) - self.models[1 - half].predict(&of(x));
            sum.rows[half] += rows.len();
            for (output, residuals) in sum.outputs.iter_mut().zip(residuals.column_iter()) {
                output.add(half, residuals.as_slice());
            }
        }
    }

    fn merge(&self, sum: &mut Residuals, later: Residuals) {
        sum.merge(later);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_half_width_is_the_conformal_quantile() {
        let mut of = OfOutput::default();
        // The values 1 to 99: the 90th smallest of them.
        let residuals: Vec<f64> = (1..100).map(|i| if i % 2 == 0 { f64::from(i) } else { -f64::from(i) }).collect();
        of.add(0, &residuals);
        let width = of.half_width().unwrap();
        assert!((90.0..90.0 * 1.008).contains(&width), "{width}");
        assert_eq!(of.squares[0], (1..100).map(|i| f64::from(i * i)).sum::<f64>());
        assert!(of.autocorrelation() < -0.9);
        let mut few = OfOutput::default();
        few.add(1, &residuals[..8]);
        assert_eq!(few.half_width(), None);
    }
}
