//! Inputs in bins: between two bins lies a threshold.

use nalgebra::DMatrix;

/// The largest number of bins of an input: codes have eight bits.
pub(super) const BINS: usize = 256;

/// The inputs of rows in bins.
pub(super) struct Bins {
    /// The thresholds of every input, ascending. A value has the number of the thresholds below it as its code.
    thresholds: Vec<Vec<f64>>,
    /// The codes of every input, one a row.
    codes: Vec<Vec<u8>>,
    /// Whether a value of the input is missing in a row.
    missing: Vec<bool>,
}

impl Bins {
    /// Divides the columns of `x` (n×d) at quantiles; where an input has few values, between all of them.
    pub fn new(x: &DMatrix<f64>) -> Bins {
        let thresholds: Vec<Vec<f64>> = x
            .column_iter()
            .map(|column| {
                let values = column.iter().copied().filter(|value| value.is_finite());
                thresholds(values.collect())
            })
            .collect();
        Bins::coded(x, thresholds)
    }

    /// Returns other rows in the same bins.
    pub fn of_rows(&self, x: &DMatrix<f64>) -> Bins {
        Bins::coded(x, self.thresholds.clone())
    }

    fn coded(x: &DMatrix<f64>, thresholds: Vec<Vec<f64>>) -> Bins {
        let code = |edges: &[f64], value: f64| edges.partition_point(|&edge| edge < value) as u8;
        let columns = x.column_iter().zip(&thresholds);
        let codes = columns.map(|(column, edges)| column.iter().map(|&value| code(edges, value)).collect()).collect();
        let missing = x.column_iter().map(|column| column.iter().any(|value| value.is_nan())).collect();
        Bins { thresholds, codes, missing }
    }

    /// Returns the codes of an input, one a row.
    pub fn codes(&self, input: usize) -> &[u8] {
        &self.codes[input]
    }

    /// Returns the number of thresholds of an input.
    pub fn count(&self, input: usize) -> usize {
        self.thresholds[input].len()
    }

    /// Returns the threshold above which codes are larger than `bin`.
    pub fn threshold(&self, input: usize, bin: u8) -> f64 {
        self.thresholds[input][usize::from(bin)]
    }

    /// Returns whether values of the input are missing; these have the lowest code.
    pub fn misses(&self, input: usize) -> bool {
        self.missing[input]
    }
}

/// Returns at most 255 thresholds between values, in the middle of neighbours that differ.
fn thresholds(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let mut distinct = values.clone();
    distinct.dedup();
    let mut edges: Vec<f64> = if distinct.len() <= BINS {
        distinct.windows(2).map(|pair| between(pair[0], pair[1])).collect()
    } else {
        let edge = |bin: usize| {
            let value = values[bin * values.len() / BINS - 1];
            let above = distinct.get(distinct.partition_point(|&other| other <= value))?;
            Some(between(value, *above))
        };
        (1..BINS).filter_map(edge).collect()
    };
    edges.dedup();
    edges
}

/// Returns a number from the lower value up to, but without, the upper one.
fn between(lower: f64, upper: f64) -> f64 {
    let middle = lower.midpoint(upper);
    if middle < upper { middle } else { lower }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_on_the_side_of_their_thresholds() {
        for (rows, levels) in [(2000, 2000), (2000, 256), (3000, 257), (100, 3)] {
            let x = DMatrix::from_fn(rows, 1, |row, _| ((row * 7919) % levels) as f64 * 0.1 - 3.0);
            let bins = Bins::new(&x);
            let thresholds = bins.count(0);
            assert!(thresholds < BINS && (levels > BINS || thresholds == levels - 1), "{thresholds} of {levels}");
            for row in 0..rows {
                let code = bins.codes(0)[row];
                assert!(
                    (0..thresholds).all(|bin| (x[row] > bins.threshold(0, bin as u8)) == (usize::from(code) > bin))
                );
            }
            let mut counts = vec![0; BINS];
            bins.codes(0).iter().for_each(|&code| counts[usize::from(code)] += 1);
            assert!(counts.iter().all(|&count| count <= 2 * rows / levels.min(BINS) + 2), "bins are quantiles");
        }
    }
}
