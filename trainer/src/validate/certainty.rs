//! What cross-validation says about single predictions: intervals around quantities, and probabilities of classes.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

/// How certain predictions are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Certainty {
    /// Half the width of the interval around a prediction of each output, as in
    /// [`conformal`](crate::validate::conformal); empty where the targets are classes, the rows too few, or a fold's
    /// model cannot go to the device.
    pub half_widths: Vec<f64>,
    /// The slope that turns scores into log-odds; none for quantities and where no scores are known.
    pub slope: Option<f64>,
    /// The margin of [`Confidence`](srfm_runtime::format::Confidence); none where a class is named for every row, and
    /// where the rows are too few.
    pub margin: Option<f64>,
}

impl Certainty {
    /// Returns the mean over several divisions of the same rows, of slopes the geometric one.
    pub fn mean(divisions: &[&Certainty]) -> Certainty {
        let n = divisions.len() as f64;
        let outputs = divisions.iter().map(|one| one.half_widths.len()).min().unwrap_or(0);
        let half_width = |output: usize| divisions.iter().map(|one| one.half_widths[output]).sum::<f64>() / n;
        let logarithms = divisions.iter().map(|one| one.slope.map(libm::log));
        let slope = logarithms.sum::<Option<f64>>().map(|sum| libm::exp(sum / n));
        let margin = divisions.iter().map(|one| one.margin).sum::<Option<f64>>().map(|sum| sum / n);
        Certainty { half_widths: (0..outputs).map(half_width).collect(), slope, margin }
    }
}

/// The least and the largest logarithm of a slope: slopes from 0.1 to 100.
const SLOPES: [f64; 2] = [-2.3, 4.6];

/// The difference of logarithms at which the search for a slope ends.
const CLOSE: f64 = 1e-4;

/// Returns the slope that gives scores (n×k) of rows with these classes the least log loss (C. Guo, G. Pleiss, Y. Sun,
/// K. Weinberger, 2017); none without rows.
///
/// A row is of another class with a small probability, as if two more rows had been seen (J. Platt, 1999). So rows that
/// scores divide without an error do not give certainty. `weights` says what each row counts; empty counts all alike.
pub(crate) fn slope(scores: &DMatrix<f64>, members: &[usize], weights: &[f64]) -> Option<f64> {
    let rows = scores.nrows();
    if rows == 0 || scores.iter().any(|score| !score.is_finite()) {
        return None;
    }
    let doubt = 1.0 / (rows as f64 + 2.0);
    let loss = |logarithm: f64| {
        let shares = probabilities(scores, libm::exp(logarithm));
        let others = (shares.ncols() - 1) as f64;
        let of_share = |(class, share): (usize, &f64), own: usize| {
            let wanted = if class == own { 1.0 - doubt } else { doubt / others };
            -wanted * libm::log(share.max(f64::MIN_POSITIVE))
        };
        let of_row =
            |row: usize| shares.row(row).iter().enumerate().map(|entry| of_share(entry, members[row])).sum::<f64>();
        (0..rows).map(|row| weights.get(row).unwrap_or(&1.0) * of_row(row)).sum::<f64>()
    };
    // The loss is convex in the slope: the golden section closes in on its only minimum.
    let ratio = 0.5 * (libm::sqrt(5.0) - 1.0);
    let [mut low, mut high] = SLOPES;
    let mut inner = [high - ratio * (high - low), low + ratio * (high - low)];
    let mut losses = inner.map(loss);
    while high - low > CLOSE {
        if losses[0] <= losses[1] {
            high = inner[1];
            inner = [high - ratio * (high - low), inner[0]];
            losses = [loss(inner[0]), losses[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + ratio * (high - low)];
            losses = [losses[1], loss(inner[1])];
        }
    }
    Some(libm::exp(0.5 * (low + high)))
}

/// Returns the probability of every class (n×c) by scores (n×k), as the device computes it but for its rounding.
pub(crate) fn probabilities(scores: &DMatrix<f64>, slope: f64) -> DMatrix<f64> {
    let two = scores.ncols() == 1;
    let mut all = DMatrix::zeros(scores.nrows(), if two { 2 } else { scores.ncols() });
    for row in 0..scores.nrows() {
        let odds = |class: usize| match (two, class) {
            (true, 0) => 0.0,
            (true, _) => slope * (scores[(row, 0)] - 0.5),
            (false, class) => slope * scores[(row, class)],
        };
        let largest = (0..all.ncols()).map(odds).fold(f64::NEG_INFINITY, f64::max);
        let powers: Vec<f64> = (0..all.ncols()).map(|class| libm::exp(odds(class) - largest)).collect();
        let total: f64 = powers.iter().sum();
        powers.iter().enumerate().for_each(|(class, power)| all[(row, class)] = power / total);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    /// Classes that are drawn with the probabilities of log-odds give back their slope.
    #[test]
    fn slopes_are_found() {
        for seed in 0..4 {
            let mut sampler = Sampler::new(seed);
            let rows = 20_000;
            for (classes, truth) in [(2, 7.0), (4, 2.0)] {
                let scores = DMatrix::from_fn(rows, if classes == 2 { 1 } else { classes }, |_, _| sampler.normal());
                let shares = probabilities(&scores, truth);
                let draw = |row: usize, sampler: &mut Sampler| {
                    let mut left = sampler.uniform(0.0, 1.0);
                    let taken = shares.row(row).iter().position(|share| {
                        left -= share;
                        left < 0.0
                    });
                    taken.unwrap_or(classes - 1)
                };
                let members: Vec<usize> = (0..rows).map(|row| draw(row, &mut sampler)).collect();
                // A standard error is about 1 %.
                let found = slope(&scores, &members, &[]).unwrap();
                assert!((found / truth - 1.0).abs() < 0.05, "seed {seed}: {found} for {truth}");
            }
        }
    }

    #[test]
    fn rows_without_an_error_leave_doubt() {
        let scores = DMatrix::from_fn(40, 1, |row, _| f64::from(u8::from(row < 20)));
        let members: Vec<usize> = (0..40).map(|row| usize::from(row < 20)).collect();
        let found = slope(&scores, &members, &[]).unwrap();
        let least = probabilities(&scores, found).row(0)[1];
        // One in 42 rows of another class.
        assert!((least - (1.0 - 1.0 / 42.0)).abs() < 1e-3, "{least}");
        assert_eq!(slope(&DMatrix::zeros(0, 1), &[], &[]), None);
    }
}
