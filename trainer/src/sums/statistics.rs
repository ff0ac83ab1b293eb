//! Quantities that are summed over rows for any purpose.

use nalgebra::DMatrix;

use super::Statistic;
use super::tiles::parts;

/// The smallest and the largest value of every input.
pub struct InputRanges {
    /// The number of inputs.
    pub inputs: usize,
}

impl Statistic for InputRanges {
    type Sum = Vec<(f64, f64)>;

    fn zero(&self) -> Self::Sum {
        vec![(f64::INFINITY, f64::NEG_INFINITY); self.inputs]
    }

    fn add(&self, sum: &mut Self::Sum, x: &DMatrix<f64>, _: &DMatrix<f64>) {
        let columns = x.column_iter().map(|column| (column.min(), column.max()));
        self.merge(sum, columns.collect());
    }

    fn merge(&self, sum: &mut Self::Sum, later: Self::Sum) {
        for (range, (low, high)) in sum.iter_mut().zip(later) {
            *range = (range.0.min(low), range.1.max(high));
        }
    }
}

/// The variances of columns of values, such as those of features.
pub struct Variances<V> {
    /// Returns the values (r×N) for inputs (r×d).
    pub values: V,
    /// The number of columns, N.
    pub columns: usize,
}

/// The means and the variances of columns over some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The number of rows.
    pub rows: usize,
    /// The mean of each column.
    pub means: Vec<f64>,
    /// The variance of each column: the mean square of the distance from the mean.
    pub variances: Vec<f64>,
}

impl<V: Fn(&DMatrix<f64>) -> DMatrix<f64> + Sync> Statistic for Variances<V> {
    type Sum = Spread;

    fn zero(&self) -> Spread {
        Spread { rows: 0, means: vec![0.0; self.columns], variances: vec![0.0; self.columns] }
    }

    fn add(&self, sum: &mut Spread, x: &DMatrix<f64>, _: &DMatrix<f64>) {
        for (_, x) in parts(x, self.columns) {
            let values = (self.values)(&x);
            let means = values.column_iter().map(|column| column.mean()).collect();
            let variances = values.column_iter().map(|column| column.variance()).collect();
            self.merge(sum, Spread { rows: x.nrows(), means, variances });
        }
    }

    /// T. F. Chan, G. H. Golub and R. J. LeVeque, *Algorithms for computing the sample variance*, 1983.
    fn merge(&self, sum: &mut Spread, later: Spread) {
        if sum.rows == 0 {
            *sum = later;
            return;
        }
        let rows = sum.rows + later.rows;
        let share = later.rows as f64 / rows as f64;
        let columns = sum.means.iter_mut().zip(&mut sum.variances).zip(later.means.iter().zip(&later.variances));
        for ((mean, variance), (later_mean, later_variance)) in columns {
            let apart = later_mean - *mean;
            *variance += share * (later_variance - *variance) + share * (1.0 - share) * apart * apart;
            *mean += share * apart;
        }
        sum.rows = rows;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sums::{InMemory, Rows};

    #[test]
    fn ranges_and_variances_are_those_of_all_rows() {
        // Three spans.
        let rows = 140_000;
        let x = DMatrix::from_fn(rows, 2, |i, j| if j == 0 { i as f64 } else { -(i as f64) / 2.0 });
        let all = InMemory { x: &x, y: &DMatrix::zeros(rows, 1) };
        let Ok(ranges) = all.sum(&InputRanges { inputs: 2 });
        assert_eq!(ranges, [(0.0, 139_999.0), (-69_999.5, 0.0)]);
        let Ok(spread) = all.sum(&Variances { values: |x: &DMatrix<f64>| x * 3.0, columns: 2 });
        // The numbers 0 to n − 1 have the mean (n − 1)/2 and the variance (n² − 1)/12.
        let n = rows as f64;
        let mean = 3.0 * (n - 1.0) / 2.0;
        let variance = 9.0 * (n * n - 1.0) / 12.0;
        let near = |value: f64, exact: f64| assert!((value - exact).abs() < 1e-12 * exact.abs(), "{value} {exact}");
        near(spread.means[0], mean);
        near(spread.means[1], -mean / 2.0);
        near(spread.variances[0], variance);
        near(spread.variances[1], variance / 4.0);
        assert_eq!(spread.rows, rows);
    }
}
