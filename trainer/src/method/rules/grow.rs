//! Trees of least squares, grown leaf by leaf on histograms (J. Friedman, 2001; G. Ke et al., 2017).

use nalgebra::DMatrix;

use super::bins::{BINS, Bins};
use super::bits::Bits;

/// A comparison in a grown tree.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Split {
    /// The input.
    pub input: usize,
    /// Codes up to this one take the lower branch.
    pub bin: u8,
    /// The split that leads to this one and the side of it, 0 for the lower one; none for the root.
    pub parent: Option<(usize, usize)>,
    /// The next split on each side.
    pub next: [Option<usize>; 2],
    /// Whether missing values take the upper branch: where rows have such values, they take the lower one; otherwise
    /// the branch of more rows.
    pub missing_upper: bool,
}

/// A grown tree: the root comes first, and every other split behind its parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Grown {
    pub splits: Vec<Split>,
}

/// How a tree is grown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth {
    /// The largest number of leaves.
    pub leaves: usize,
    /// The least number of rows of a leaf.
    pub least_rows: usize,
}

/// A leaf that may still be divided.
struct Leaf {
    rows: Vec<usize>,
    /// The split that leads to the leaf and the side of it.
    parent: Option<(usize, usize)>,
    best: Option<Best>,
}

/// The best way to divide a leaf.
#[derive(Clone, Copy, Debug)]
struct Best {
    gain: f64,
    input: usize,
    bin: u8,
}

impl Grown {
    /// Grows a tree that predicts the residuals (n×k) at `rows` from the `inputs`. Errors count by the `weights` of the
    /// n rows; alike where there are none.
    pub fn new(
        bins: &Bins,
        (residuals, weights): (&DMatrix<f64>, &[f64]),
        rows: Vec<usize>,
        inputs: &[usize],
        growth: Growth,
    ) -> Grown {
        let mut splits: Vec<Split> = Vec::new();
        let mut search = Search::new(bins, (residuals, weights), inputs, growth.least_rows);
        let best = search.best(&rows);
        let mut leaves = vec![Leaf { rows, parent: None, best }];
        while leaves.len() < growth.leaves {
            let gain = |leaf: &Leaf| leaf.best.map_or(0.0, |best| best.gain);
            // The first of the leaves with the largest gain.
            let place = (0..leaves.len()).rev().max_by(|&a, &b| gain(&leaves[a]).total_cmp(&gain(&leaves[b])));
            let Some((place, best)) = place.and_then(|place| Some((place, leaves[place].best?))) else { break };
            let Leaf { rows, parent, .. } = leaves.swap_remove(place);
            let split = splits.len();
            if let Some((parent, side)) = parent {
                splits[parent].next[side] = Some(split);
            }
            let codes = bins.codes(best.input);
            let (lower, upper): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(|&row| codes[row] <= best.bin);
            let missing_upper = !bins.misses(best.input) && upper.len() > lower.len();
            splits.push(Split { input: best.input, bin: best.bin, parent, next: [None; 2], missing_upper });
            for (side, rows) in [lower, upper].into_iter().enumerate() {
                let best = search.best(&rows);
                leaves.push(Leaf { rows, parent: Some((split, side)), best });
            }
        }
        Grown { splits }
    }

    /// Returns the rows of both branches of every split.
    pub fn branches(&self, bins: &Bins, rows: usize) -> Vec<[Bits; 2]> {
        let mut branches: Vec<[Bits; 2]> = Vec::new();
        let all = Bits::new(rows, |_| true);
        for split in &self.splits {
            let codes = bins.codes(split.input);
            let lower = Bits::new(rows, |row| codes[row] <= split.bin);
            let within = split.parent.map_or(&all, |(parent, side)| &branches[parent][side]);
            branches.push(within.divided(&lower));
        }
        branches
    }

    /// Returns the splits on the path to a branch of a split, from that split to the root.
    pub fn path(&self, split: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(split), |&split| self.splits[split].parent.map(|(parent, _)| parent))
    }
}

/// The search for the best split of a leaf.
struct Search<'a> {
    bins: &'a Bins,
    residuals: &'a DMatrix<f64>,
    /// What rows count; empty where all count alike.
    weights: &'a [f64],
    inputs: &'a [usize],
    least_rows: usize,
    /// The number of rows of every bin.
    counts: Vec<f64>,
    /// What the rows of every bin count, where rows have weights.
    masses: Vec<f64>,
    /// The sum of residuals of every bin, for every output.
    sums: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(
        bins: &'a Bins,
        (residuals, weights): (&'a DMatrix<f64>, &'a [f64]),
        inputs: &'a [usize],
        least_rows: usize,
    ) -> Search<'a> {
        let sums = vec![0.0; BINS * residuals.ncols()];
        let [counts, masses] = [vec![0.0; BINS], vec![0.0; BINS]];
        Search { bins, residuals, weights, inputs, least_rows, counts, masses, sums }
    }

    /// Returns what the rows of every bin count.
    fn masses(&self) -> &[f64] {
        if self.weights.is_empty() { &self.counts } else { &self.masses }
    }

    /// Returns the split of the rows that lowers the squared error most; none where none lowers it.
    fn best(&mut self, rows: &[usize]) -> Option<Best> {
        if rows.len() < 2 * self.least_rows {
            return None;
        }
        let mut best: Option<Best> = None;
        for &input in self.inputs {
            let found = self.best_of(input, rows);
            if found.is_some_and(|found| best.is_none_or(|best| found.gain > best.gain)) {
                best = found;
            }
        }
        best
    }

    /// Returns the best split of the rows by one input.
    fn best_of(&mut self, input: usize, rows: &[usize]) -> Option<Best> {
        let thresholds = self.bins.count(input);
        let outputs = self.residuals.ncols();
        self.fill(input, rows);
        let total: Vec<f64> =
            (0..outputs).map(|output| self.sums[output * BINS..][..=thresholds].iter().sum()).collect();
        let all_rows = rows.len() as f64;
        let all: f64 = self.masses()[..=thresholds].iter().sum();
        let whole: f64 = total.iter().map(|sum| sum * sum).sum::<f64>() / all;
        let least = self.least_rows as f64;
        let mut lower_count = 0.0;
        let mut lower_mass = 0.0;
        let mut lower = vec![0.0; outputs];
        let mut best: Option<Best> = None;
        for bin in 0..thresholds {
            lower_count += self.counts[bin];
            lower_mass += self.masses()[bin];
            lower.iter_mut().enumerate().for_each(|(output, sum)| *sum += self.sums[output * BINS + bin]);
            if lower_count < least || all_rows - lower_count < least {
                continue;
            }
            let of_lower: f64 = lower.iter().map(|sum| sum * sum).sum::<f64>() / lower_mass;
            let of_upper =
                lower.iter().zip(&total).map(|(lower, total)| (total - lower) * (total - lower)).sum::<f64>();
            let gain = of_lower + of_upper / (all - lower_mass) - whole;
            if gain > 1e-12 * whole.max(f64::MIN_POSITIVE) && best.is_none_or(|best| gain > best.gain) {
                best = Some(Best { gain, input, bin: bin as u8 });
            }
        }
        best
    }

    /// Fills the histogram of an input.
    fn fill(&mut self, input: usize, rows: &[usize]) {
        self.counts.fill(0.0);
        self.sums.fill(0.0);
        let codes = self.bins.codes(input);
        rows.iter().for_each(|&row| self.counts[usize::from(codes[row])] += 1.0);
        for (residuals, sums) in self.residuals.column_iter().zip(self.sums.chunks_mut(BINS)) {
            let residuals = residuals.as_slice();
            match self.weights.is_empty() {
                true => rows.iter().for_each(|&row| sums[usize::from(codes[row])] += residuals[row]),
                false => {
                    rows.iter().for_each(|&row| sums[usize::from(codes[row])] += self.weights[row] * residuals[row]);
                }
            }
        }
        if !self.weights.is_empty() {
            self.masses.fill(0.0);
            rows.iter().for_each(|&row| self.masses[usize::from(codes[row])] += self.weights[row]);
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::RowDVector;

    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn the_first_split_is_that_of_all_pairs() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            let x = DMatrix::from_fn(60, 3, |_, _| sampler.normal());
            let y = DMatrix::from_fn(60, 2, |row, _| f64::from(u8::from(x[(row, 1)] > 0.3)) + 0.3 * sampler.normal());
            let bins = Bins::new(&x);
            let growth = Growth { leaves: 2, least_rows: 5 };
            // Every other seed has weights.
            let weights: Vec<f64> = (0..60).map(|_| sampler.uniform(0.5, 3.0)).filter(|_| seed % 2 == 1).collect();
            let weight = |row: usize| weights.get(row).copied().unwrap_or(1.0);
            let grown = Grown::new(&bins, (&y, &weights), (0..60).collect(), &[0, 1, 2], growth);
            let error = |input: usize, bin: u8| {
                let mut error = 0.0;
                for upper in [false, true] {
                    let rows: Vec<usize> = (0..60).filter(|&row| (bins.codes(input)[row] > bin) == upper).collect();
                    let all: f64 = rows.iter().map(|&row| weight(row)).sum();
                    let mut mean = RowDVector::zeros(2);
                    rows.iter().for_each(|&row| mean += y.row(row) * (weight(row) / all));
                    error += rows.iter().map(|&row| weight(row) * (y.row(row) - &mean).norm_squared()).sum::<f64>();
                }
                error
            };
            let own = error(grown.splits[0].input, grown.splits[0].bin);
            for input in 0..3 {
                // At least five rows on either side.
                assert!((4..55).all(|bin| error(input, bin) >= own - 1e-9), "seed {seed}, input {input}");
            }
        }
    }

    #[test]
    fn branches_divide_the_rows_of_their_parents() {
        let mut sampler = Sampler::new(3);
        let x = DMatrix::from_fn(200, 4, |_, _| sampler.normal());
        let y = DMatrix::from_fn(200, 1, |row, _| x[(row, 0)] * x[(row, 1)] + x[(row, 2)]);
        let bins = Bins::new(&x);
        let growth = Growth { leaves: 16, least_rows: 3 };
        let grown = Grown::new(&bins, (&y, &[]), (0..200).collect(), &[0, 1, 2, 3], growth);
        assert_eq!(grown.splits.len(), 15);
        let branches = grown.branches(&bins, 200);
        for (place, split) in grown.splits.iter().enumerate() {
            let rows = split.parent.map_or(200, |(parent, side)| branches[parent][side].count());
            assert_eq!(branches[place].iter().map(Bits::count).sum::<usize>(), rows);
            assert!(branches[place].iter().all(|bits| bits.count() >= 3));
            assert!(split.parent.is_none_or(|(parent, side)| grown.splits[parent].next[side] == Some(place)));
        }
    }
}
