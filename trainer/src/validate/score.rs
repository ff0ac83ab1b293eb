//! The scores of cross-validation, and how they rank candidates.

use serde::{Deserialize, Serialize};

/// The cross-validated error of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Mean over the folds of the mean squared error, in units of the targets' variances over all rows; infinite where
    /// a fold's model cannot go to the device.
    pub mse: f64,
    /// Its standard error, from the spread over the folds.
    pub(crate) standard_error: f64,
    /// Mean over the folds of the share of rows that are put into a wrong class; none for quantities.
    pub error_rate: Option<f64>,
}

/// The result of cross-validation for a candidate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Validated {
    /// Its error.
    pub(crate) score: Score,
    /// Half the width of the interval around a prediction of each output, as in
    /// [`conformal`](crate::validate::conformal); empty where the targets are classes, the rows too few, or a fold's
    /// model cannot go to the device.
    pub(crate) half_widths: Vec<f64>,
}

/// Returns the candidates that the device can run, best first; ties go to the first. `rows` is the number of rows that
/// were divided into folds.
///
/// Candidates for quantities are ranked by the mean squared error. Candidates for classes are ranked by the error rate.
/// Rates of at most half a standard error, `√(p(1 − p) / rows)`, above the lowest rate p count as equal, and the mean
/// squared error decides among them. The rate alone is too coarse on few rows. The squared error alone can prefer
/// settings that fit the indicators closely and decide worse. Half a standard error suffices because candidates are
/// compared on the same rows, so that their difference varies less than either rate.
pub(crate) fn ranked(scores: &[Score], rows: usize) -> Vec<usize> {
    const ALLOWED: f64 = 0.5;
    let rate = |candidate: usize| scores[candidate].error_rate.unwrap_or(0.0);
    let mut usable: Vec<usize> = (0..scores.len()).filter(|&c| scores[c].mse.is_finite()).collect();
    let lowest = usable.iter().map(|&c| rate(c)).fold(1.0, f64::min);
    let bound = lowest + ALLOWED * (lowest * (1.0 - lowest) / rows as f64).sqrt();
    // Rates that do not differ from the lowest count as the lowest. The sort is stable.
    let key = |candidate: usize| (rate(candidate).max(bound), scores[candidate].mse);
    usable.sort_by(|&a, &b| key(a).0.total_cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
    usable
}

impl Validated {
    /// Returns the mean over several divisions of the same rows. The standard errors of the divisions are not
    /// independent, so the mean is not smaller than each of them.
    pub(crate) fn mean<'a>(divisions: impl Iterator<Item = &'a Validated> + Clone) -> Validated {
        let n = divisions.clone().count() as f64;
        let mean = |value: &dyn Fn(&Validated) -> f64| divisions.clone().map(value).sum::<f64>() / n;
        let error_rate = divisions.clone().map(|v| v.score.error_rate).sum::<Option<f64>>().map(|sum| sum / n);
        let (mse, standard_error) = (mean(&|v| v.score.mse), mean(&|v| v.score.standard_error));
        let outputs = divisions.clone().map(|v| v.half_widths.len()).min().unwrap_or(0);
        let half_widths = (0..outputs).map(|output| mean(&|v| v.half_widths[output])).collect();
        Validated { score: Score { mse, standard_error, error_rate }, half_widths }
    }
}

impl Score {
    /// Returns the loss that candidates are compared by: the error rate of classes, else the mean squared error.
    pub(crate) fn loss(&self) -> f64 {
        self.error_rate.unwrap_or(self.mse)
    }

    /// Returns how far two losses may differ by chance: a standard error.
    pub(crate) fn allowance(&self, rows: usize) -> f64 {
        self.error_rate.map_or(self.standard_error, |rate| (rate * (1.0 - rate) / rows as f64).sqrt())
    }

    /// Returns the score of mean squared errors and error rates in all folds.
    pub(crate) fn over_folds(errors: &[(f64, Option<f64>)]) -> Score {
        let n = errors.len() as f64;
        let mse = errors.iter().map(|(mse, _)| mse).sum::<f64>() / n;
        if !mse.is_finite() {
            return Score { mse: f64::INFINITY, standard_error: f64::INFINITY, error_rate: None };
        }
        let variance = errors.iter().map(|(of_fold, _)| (of_fold - mse) * (of_fold - mse)).sum::<f64>() / (n - 1.0);
        let error_rate = errors.iter().map(|(_, rate)| *rate).sum::<Option<f64>>().map(|sum| sum / n);
        Score { mse, standard_error: (variance / n).sqrt(), error_rate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_go_by_the_error_rate_where_it_tells() {
        let score = |mse, error_rate| Score { mse, standard_error: 0.0, error_rate };
        let quantities = [score(0.3, None), score(f64::INFINITY, None), score(0.2, None), score(0.3, None)];
        assert_eq!(ranked(&quantities, 100), [2, 0, 3]);
        // A standard error of 0.04 for a rate of 0.2: rates up to 0.22 are as good.
        let classes = [(0.1, 0.23), (0.4, 0.2), (0.3, 0.219), (f64::INFINITY, 0.0), (0.5, 0.22)];
        let classes = classes.map(|(mse, rate)| score(mse, Some(rate)));
        assert_eq!(ranked(&classes, 100), [2, 1, 4, 0]);
        assert_eq!(ranked(&classes, 1_000_000), [1, 2, 4, 0]);
    }
}
