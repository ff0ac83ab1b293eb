//! How well probabilities of classes agree with what happens.

use std::ops::AddAssign;

use nalgebra::DMatrix;
use serde::Serialize;

/// The number of ranges of probabilities.
const BINS: usize = 10;

/// Rows whose most probable class has a probability in one range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Bin {
    /// The number of rows.
    pub rows: usize,
    /// The mean probability of the most probable class; 0 without rows.
    pub probability: f64,
    /// The share of the rows that are of this class; 0 without rows.
    pub right: f64,
    /// What the rows count, in mean and share.
    #[serde(skip)]
    pub mass: f64,
}

/// How well the probability of the most probable class agrees with the share of rows that are of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reliability {
    /// Expected calibration error: the mean over the rows of the distance between share and mean probability of a bin.
    pub error: f64,
    /// Ten bins of the same width, from the probability 0 to 1.
    pub bins: Vec<Bin>,
}

impl Reliability {
    /// Judges the probabilities (n×c) of rows by their classes. Rows without a class or probabilities are left out; the
    /// others count by their weights.
    pub fn of(probabilities: &DMatrix<f32>, members: &[Option<usize>], weight: &dyn Fn(usize) -> f64) -> Reliability {
        let mut bins = vec![Bin::default(); BINS];
        for (row, class) in members.iter().enumerate() {
            let shares = probabilities.row(row);
            let Some(class) = class.filter(|_| shares.iter().all(|share| !share.is_nan())) else { continue };
            let (found, share) = shares.transpose().argmax();
            let place = (share * BINS as f32) as usize;
            let right = f64::from(u8::from(found == class));
            let one = Bin { rows: 1, probability: share.into(), right, mass: weight(row) };
            let bin = &mut bins[place.min(BINS - 1)];
            *bin = bin.with(one);
        }
        Reliability::of_bins(bins)
    }

    fn of_bins(bins: Vec<Bin>) -> Reliability {
        let mass: f64 = bins.iter().map(|bin| bin.mass).sum();
        let gap = |bin: &Bin| bin.mass * (bin.right - bin.probability).abs();
        Reliability { error: bins.iter().map(gap).sum::<f64>() / mass.max(f64::MIN_POSITIVE), bins }
    }
}

impl Bin {
    /// Returns the bin of these rows and others together.
    fn with(self, other: Bin) -> Bin {
        let mass = self.mass + other.mass;
        let mean = |own: f64, more: f64| (own * self.mass + more * other.mass) / mass.max(f64::MIN_POSITIVE);
        let probability = mean(self.probability, other.probability);
        let right = mean(self.right, other.right);
        Bin { rows: self.rows + other.rows, probability, right, mass }
    }
}

impl AddAssign<&Reliability> for Reliability {
    /// Adds other rows.
    fn add_assign(&mut self, other: &Reliability) {
        self.bins.iter_mut().zip(&other.bins).for_each(|(own, more)| *own = own.with(*more));
        *self = Reliability::of_bins(std::mem::take(&mut self.bins));
    }
}

/// Scores of the second of two classes, to compare rows of one class with those of the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranks {
    /// Scores of the rows of the first class and of the second one, each with what its row counts.
    scores: [Vec<(f32, f64)>; 2],
}

impl Ranks {
    /// Takes the scores of rows by their classes. Rows without a class or a score are left out; the others count by
    /// their weights.
    pub fn of(scores: &DMatrix<f32>, members: &[Option<usize>], weight: &dyn Fn(usize) -> f64) -> Ranks {
        let mut ranks = Ranks::default();
        for (row, (score, class)) in scores.column(0).iter().zip(members).enumerate() {
            if let Some(class) = class.filter(|_| !score.is_nan()) {
                ranks.scores[class.min(1)].push((*score, weight(row)));
            }
        }
        ranks
    }

    /// Adds other rows.
    pub fn add(&mut self, other: &Ranks) {
        self.scores.iter_mut().zip(&other.scores).for_each(|(own, more)| own.extend(more));
    }

    /// Returns the area under the receiver operating characteristic: the share of pairs of rows, one of each class, in
    /// which that of the second class has the larger score; half for equal ones. None without rows of both classes.
    pub fn area(&self) -> Option<f64> {
        let [mut first, mut second] = self.scores.clone();
        if first.is_empty() || second.is_empty() {
            return None;
        }
        first.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        second.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut pairs = 0.0;
        let (mut below, mut through) = (0, 0);
        // What the rows of the first class with lower scores count, and those with scores that are not larger.
        let (mut lower, mut not_larger) = (0.0, 0.0);
        for &(score, weight) in &second {
            while below < first.len() && first[below].0 < score {
                lower += first[below].1;
                below += 1;
            }
            while through < first.len() && first[through].0 <= score {
                not_larger += first[through].1;
                through += 1;
            }
            pairs += weight * (lower + 0.5 * (not_larger - lower));
        }
        let mass = |scores: &[(f32, f64)]| scores.iter().map(|(_, weight)| weight).sum::<f64>();
        Some(pairs / (mass(&first) * mass(&second)))
    }
}

#[cfg(test)]
mod tests {
    use srfm_trainer::sampling::Sampler;

    use super::*;

    #[test]
    fn bins_by_hand() {
        let shares = DMatrix::from_row_slice(5, 2, &[0.9, 0.1, 0.05, 0.95, 0.25, 0.75, 1.0, 0.0, f32::NAN, f32::NAN]);
        let members = [Some(0), Some(0), Some(1), Some(0), Some(1)];
        let mut found = Reliability::of(&shares, &members, &|_| 1.0);
        let last = Bin { rows: 3, probability: f64::from(0.9_f32 + 0.95 + 1.0) / 3.0, right: 2.0 / 3.0, mass: 3.0 };
        assert_eq!(found.bins[9].rows, 3);
        assert!((found.bins[9].probability - last.probability).abs() < 1e-7 && found.bins[9].right == last.right);
        assert_eq!(found.bins[7], Bin { rows: 1, probability: 0.75, right: 1.0, mass: 1.0 });
        let error = (3.0 * (last.probability - last.right) + 0.25) / 4.0;
        assert!((found.error - error).abs() < 1e-7, "{}", found.error);
        // The same rows again change nothing but their number.
        let once = found.clone();
        found += &once;
        assert_eq!(found.bins[9].rows, 6);
        assert!((found.error - once.error).abs() < 1e-12);
    }

    #[test]
    fn the_area_is_the_share_of_pairs_in_order() {
        for seed in 0..20 {
            let mut sampler = Sampler::new(seed);
            // Few different scores, so that some are equal.
            let scores = DMatrix::from_fn(60, 1, |_, _| (3.0 * sampler.normal()).round() as f32);
            let members: Vec<Option<usize>> = (0..60).map(|_| Some(sampler.below(2))).collect();
            // Every other seed has weights: pairs count by both.
            let weight = |row: usize| if seed % 2 == 0 { 1.0 } else { (1 + row % 4) as f64 };
            let mut sum = 0.0;
            let mut pairs = 0.0;
            for (a, b) in (0..60).flat_map(|a| (0..60).map(move |b| (a, b))) {
                if members[a] == Some(0) && members[b] == Some(1) {
                    pairs += weight(a) * weight(b);
                    let order = scores[b].partial_cmp(&scores[a]).unwrap();
                    sum += weight(a) * weight(b) * [0.0, 0.5, 1.0][(order as i8 + 1) as usize];
                }
            }
            let mut ranks = Ranks::of(&scores.rows(0, 20).into_owned(), &members[..20], &weight);
            ranks.add(&Ranks::of(&scores.rows(20, 40).into_owned(), &members[20..], &|row| weight(20 + row)));
            assert!((ranks.area().unwrap() - sum / pairs).abs() < 1e-12, "{seed}");
        }
        assert_eq!(Ranks::of(&DMatrix::from_element(2, 1, 0.5), &[Some(1), None], &|_| 1.0).area(), None);
    }
}
