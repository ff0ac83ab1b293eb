//! The engine for rows in memory, by threads.

use std::convert::Infallible;
use std::ops::Range;

use nalgebra::DMatrix;

use super::tiles::{branches, rows_of, spans, tiles_of};
use super::{Rows, Statistic};

/// Rows in memory.
#[derive(Clone, Copy)]
pub struct InMemory<'a> {
    /// Inputs, n×d.
    pub x: &'a DMatrix<f64>,
    /// Targets, n×k.
    pub y: &'a DMatrix<f64>,
}

impl InMemory<'_> {
    /// Returns the sum over successive spans.
    fn sum_of<S: Statistic>(&self, statistic: &S, part: Range<usize>) -> S::Sum {
        if let Some([first, later]) = branches(&part) {
            let (mut sum, later) = rayon::join(|| self.sum_of(statistic, first), || self.sum_of(statistic, later));
            statistic.merge(&mut sum, later);
            return sum;
        }
        let mut sum = statistic.zero();
        for rows in tiles_of(rows_of(&part, self.x.nrows())) {
            let tile = |m: &DMatrix<f64>| m.rows(rows.start, rows.len()).into_owned();
            statistic.add(&mut sum, &tile(self.x), &tile(self.y));
        }
        sum
    }
}

impl Rows for InMemory<'_> {
    type Error = Infallible;

    fn sum<S: Statistic>(&self, statistic: &S) -> Result<S::Sum, Infallible> {
        Ok(self.sum_of(statistic, 0..spans(self.x.nrows())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;
    use crate::sums::Variances;

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let mut sampler = Sampler::new(1);
        // Five spans.
        let x = DMatrix::from_fn(270_000, 3, |_, _| sampler.normal());
        let y = DMatrix::from_fn(270_000, 3, |_, _| sampler.normal());
        let sums = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let Ok(sum) =
                pool.install(|| InMemory { x: &x, y: &y }.sum(&Variances { values: DMatrix::clone, columns: 3 }));
            sum
        });
        assert!(sums[0] == sums[1] && sums[0] == sums[2]);
    }
}
