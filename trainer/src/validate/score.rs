//! How good predictions are: metrics, the scores of cross-validation, how they rank candidates, and the paired test.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::validate::certainty::Certainty;
use crate::validate::metric::ClassLoss;

/// The cross-validated error of a candidate, in which rows count by their weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// The number of rows that were tested.
    pub rows: usize,
    /// Root of the mean over the folds of the mean squared error, in units of the target.
    pub rmse: f64,
    /// Root mean squared error in the fold of the largest error, in units of the target.
    pub largest_rmse: f64,
    /// Mean over the folds of the mean squared error, in units of the targets' variances over all rows; infinite where
    /// a fold's model cannot go to the device.
    pub standardised_mse: f64,
    /// Its standard error, from the spread over the folds.
    pub(crate) standard_error: f64,
    /// Mean over the folds of the share of rows that are put into a wrong class; none for quantities.
    pub error_rate: Option<f64>,
    /// The loss that candidates for classes are chosen by; none for quantities.
    pub class_loss: Option<ClassLoss>,
    /// Correlation of the residuals of neighbouring rows, the largest of all outputs; none for classes and where the
    /// folds keep neighbours together.
    pub residual_autocorrelation: Option<f64>,
}

/// The errors of a fold's model on the test rows.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct FoldError {
    /// Mean squared error in units of the targets' variances over all rows, of classes that of their probabilities;
    /// infinite if the device cannot hold the model. Rows count by their weights, here as in all figures.
    pub standardised_mse: f64,
    /// Mean squared error in units of the targets.
    pub mse: f64,
    /// Share of rows that are put into a wrong class; none for quantities.
    pub error_rate: Option<f64>,
    /// Residuals of the test rows, one list an output; empty where there are none. Those of classes are scores less
    /// indicators.
    pub residuals: Vec<Vec<f64>>,
}

impl FoldError {
    /// The error of a model that the device cannot hold.
    pub const INFINITE: FoldError =
        FoldError { standardised_mse: f64::INFINITY, mse: f64::INFINITY, error_rate: None, residuals: Vec::new() };
}

/// The result of cross-validation for a candidate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Validated {
    /// Its error.
    pub(crate) score: Score,
    /// How certain predictions are.
    pub(crate) certainty: Certainty,
    /// The loss of every tested row times what the row counts, in the order of the rows: the squared error in units of
    /// the targets' variances, or the loss of the metric of classes. Empty where the metric counts errors, and where a
    /// fold's model cannot go to the device.
    pub(crate) losses: Vec<f64>,
}

/// Returns the candidates that the device can run, best first; ties go to the first. `rows` is the number of rows that
/// were divided into folds.
///
/// Candidates for quantities are ranked by the mean squared error, candidates for classes by the loss of their metric.
/// Where the loss is a rate of errors, rates of at most half a standard error above the lowest one,
/// `√(p(1 − p) / rows)` for a share p of the rows, count as equal, and the squared errors of the probabilities decide
/// among them. The rate alone is too coarse on few rows. The squared error alone can prefer settings that fit the
/// indicators closely and decide worse. Half a standard error suffices because candidates are compared on the same
/// rows, so that their difference varies less than either rate.
pub(crate) fn ranked(scores: &[Score], rows: usize) -> Vec<usize> {
    const ALLOWED: f64 = 0.5;
    let mut usable: Vec<usize> = (0..scores.len()).filter(|&c| scores[c].standardised_mse.is_finite()).collect();
    let least = usable.iter().map(|&c| &scores[c]).min_by(|a, b| a.loss().total_cmp(&b.loss()));
    let bound = least.map_or(0.0, |least| least.loss() + ALLOWED * least.coarseness(rows));
    // Rates that do not differ from the lowest count as the lowest. The sort is stable.
    let key = |candidate: usize| (scores[candidate].loss().max(bound), scores[candidate].search_loss());
    usable.sort_by(|&a, &b| key(a).0.total_cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
    usable
}

/// Tails are heavy if this share of the residuals is below this multiple of their root mean square. The multiple of
/// normal residuals is 1.64. It is 0.77 where one residual in twenty has ten times the deviation of the others.
/// Models that are too small leave residuals with multiples between the two.
const SHARE: f64 = 0.9;
const HEAVY_TAILS: f64 = 1.0;

/// The least number of rows for a judgement of tails. On data sets of about 100 rows, Huber's loss did not lower the
/// error.
const ROWS_OF_TAILS: usize = 200;

impl Validated {
    /// Returns whether the residuals of a single target have heavy tails: most are small for their root mean square.
    pub(crate) fn has_heavy_tails(&self) -> bool {
        let mut squares = self.losses.clone();
        if squares.len() < ROWS_OF_TAILS {
            return false;
        }
        let mean = squares.iter().sum::<f64>() / squares.len() as f64;
        let place = (SHARE * squares.len() as f64) as usize;
        let (_, &mut most, _) = squares.select_nth_unstable_by(place, f64::total_cmp);
        most < HEAVY_TAILS * HEAVY_TAILS * mean
    }

    /// Returns the mean over several divisions of the same rows. The standard errors of the divisions are not
    /// independent, so the mean is not smaller than each of them.
    pub(crate) fn mean(divisions: &[&Validated]) -> Validated {
        let n = divisions.len() as f64;
        let mean = |value: &dyn Fn(&Validated) -> f64| divisions.iter().map(|v| value(v)).sum::<f64>() / n;
        let optional = |value: &dyn Fn(&Score) -> Option<f64>| {
            divisions.iter().map(|v| value(&v.score)).sum::<Option<f64>>().map(|sum| sum / n)
        };
        let losses: Option<Vec<ClassLoss>> = divisions.iter().map(|v| v.score.class_loss).collect();
        let score = Score {
            rows: divisions[0].score.rows,
            rmse: mean(&|v| v.score.rmse * v.score.rmse).sqrt(),
            largest_rmse: mean(&|v| v.score.largest_rmse),
            standardised_mse: mean(&|v| v.score.standardised_mse),
            standard_error: mean(&|v| v.score.standard_error),
            error_rate: optional(&|score| score.error_rate),
            class_loss: losses.map(|losses| ClassLoss::mean(&losses)),
            residual_autocorrelation: optional(&|score| score.residual_autocorrelation),
        };
        let rows = divisions.iter().map(|v| v.losses.len()).min().unwrap_or(0);
        let certainty = Certainty::mean(&divisions.iter().map(|v| &v.certainty).collect::<Vec<_>>());
        Validated { score, certainty, losses: (0..rows).map(|row| mean(&|v| v.losses[row])).collect() }
    }
}

impl Score {
    /// Returns the loss that candidates are compared by: that of the metric of classes, else the mean squared error.
    pub(crate) fn loss(&self) -> f64 {
        self.class_loss.map_or(self.standardised_mse, |of_metric| of_metric.loss)
    }

    /// Returns the loss that the steps of a search lower: the squared error of the probabilities where
    /// [`loss`](Self::loss) is a rate of errors, which is coarse, else the same loss.
    pub(crate) fn search_loss(&self) -> f64 {
        self.class_loss.map_or(self.standardised_mse, |of_metric| of_metric.search_loss)
    }

    /// Returns the standard error of a rate of errors; 0 for other losses.
    fn coarseness(&self, rows: usize) -> f64 {
        if self.class_loss.is_some_and(|of_metric| of_metric.metric.counts_errors()) {
            self.allowance(rows)
        } else {
            0.0
        }
    }

    /// Returns how far two losses may differ by chance: a standard error.
    pub(crate) fn allowance(&self, rows: usize) -> f64 {
        self.class_loss.map_or(self.standard_error, |of_metric| (of_metric.variance / rows as f64).sqrt())
    }

    /// Returns whether the residuals of neighbouring rows correlate, beyond chance and by as much as matters.
    ///
    /// Independent residuals have a correlation of standard deviation `1/√rows`, so that four times as much comes about
    /// by chance in 3 of 100,000 data sets. A correlation below 0.2 says little about a neighbour: it explains 4 % of
    /// the variance.
    pub fn neighbours_correlate(&self) -> bool {
        let least = (4.0 / (self.rows as f64).sqrt()).max(0.2);
        self.residual_autocorrelation.is_some_and(|correlation| correlation > least)
    }

    /// Returns the score of losses of rows that are `ratio` times as large.
    pub(crate) fn times(&self, ratio: f64) -> Score {
        Score {
            rmse: ratio.sqrt() * self.rmse,
            largest_rmse: ratio.sqrt() * self.largest_rmse,
            standardised_mse: ratio * self.standardised_mse,
            standard_error: ratio * self.standard_error,
            error_rate: self.error_rate.map(|rate| (ratio * rate).min(1.0)),
            class_loss: self.class_loss.map(|of_metric| of_metric.times(ratio)),
            ..*self
        }
    }

    /// Returns the score of the errors in some folds, which tested `rows` rows.
    pub(crate) fn over_folds(errors: &[FoldError], rows: usize) -> Score {
        let n = errors.len() as f64;
        let mean = |value: &dyn Fn(&FoldError) -> f64| errors.iter().map(value).sum::<f64>() / n;
        let standardised_mse = mean(&|error| error.standardised_mse);
        let rmse = mean(&|error| error.mse).sqrt();
        let residual_autocorrelation = None;
        let largest_rmse = errors.iter().map(|error| error.mse).fold(0.0, f64::max).sqrt();
        if !standardised_mse.is_finite() {
            return Score {
                rows,
                rmse,
                largest_rmse,
                standardised_mse: f64::INFINITY,
                standard_error: f64::INFINITY,
                error_rate: None,
                class_loss: None,
                residual_autocorrelation,
            };
        }
        let squared = |error: &FoldError| (error.standardised_mse - standardised_mse).powi(2);
        let variance = errors.iter().map(squared).sum::<f64>() / (n - 1.0).max(1.0);
        let error_rate = errors.iter().map(|error| error.error_rate).sum::<Option<f64>>().map(|sum| sum / n);
        Score {
            rows,
            rmse,
            largest_rmse,
            standardised_mse,
            standard_error: (variance / n).sqrt(),
            error_rate,
            class_loss: error_rate.map(|rate| ClassLoss::of_errors(rate, standardised_mse)),
            residual_autocorrelation,
        }
    }
}

/// Errors of predictions, over all rows and outputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Number of rows.
    pub rows: usize,
    /// Root of the mean squared error, in units of the target.
    pub rmse: f64,
    /// Mean squared error.
    pub mse: f64,
    /// Share of the variance explained, averaged over the outputs; not a number for targets that do not vary.
    pub r2: f64,
}

impl Metrics {
    /// Compares predictions with targets, both n×k, of rows that count by `weights` of mean 1; alike without weights.
    pub fn weighted(predictions: &DMatrix<f64>, targets: &DMatrix<f64>, weights: &[f64]) -> Metrics {
        if weights.is_empty() {
            return Metrics::from_predictions(predictions, targets);
        }
        let rows = targets.nrows();
        let sum = |values: &dyn Fn(usize) -> f64| (0..rows).map(|row| weights[row] * values(row)).sum::<f64>();
        let square = |output: usize| sum(&|row| (predictions[(row, output)] - targets[(row, output)]).powi(2));
        let explained = |output: usize| {
            let mean = sum(&|row| targets[(row, output)]) / rows as f64;
            1.0 - square(output) / sum(&|row| (targets[(row, output)] - mean).powi(2))
        };
        let outputs = targets.ncols();
        let mse = (0..outputs).map(square).sum::<f64>() / targets.len() as f64;
        let r2 = (0..outputs).map(explained).sum::<f64>() / outputs as f64;
        Metrics { rows, rmse: mse.sqrt(), mse, r2: if r2.is_finite() { r2 } else { f64::NAN } }
    }

    /// Compares predictions with targets, both n×k.
    pub fn from_predictions(predictions: &DMatrix<f64>, targets: &DMatrix<f64>) -> Metrics {
        let residual = predictions - targets;
        let mse = residual.norm_squared() / residual.len() as f64;
        let explained = residual.column_iter().zip(targets.column_iter()).map(|(residual, target)| {
            let mean = target.mean();
            1.0 - residual.norm_squared() / target.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>()
        });
        let r2 = explained.sum::<f64>() / targets.ncols() as f64;
        Metrics { rows: targets.nrows(), rmse: mse.sqrt(), mse, r2: if r2.is_finite() { r2 } else { f64::NAN } }
    }
}

/// Returns whether the losses of rows are less than others of the same rows by more than some standard errors
/// of the mean difference; true where there are none.
pub(crate) fn is_better(losses: &[f64], others: &[f64], standard_errors: f64) -> bool {
    let differences: Vec<f64> = others.iter().zip(losses).map(|(other, own)| other - own).collect();
    let rows = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / rows;
    let squared_error = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (rows * rows);
    differences.is_empty() || mean > standard_errors * squared_error.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_go_by_the_error_rate_where_it_tells() {
        let score = |mse: f64, error_rate| {
            let rows = 100;
            let rmse = mse.sqrt();
            let residual_autocorrelation = None;
            Score {
                rows,
                rmse,
                largest_rmse: rmse,
                standardised_mse: mse,
                standard_error: 0.0,
                error_rate,
                class_loss: error_rate.map(|rate| ClassLoss::of_errors(rate, mse)),
                residual_autocorrelation,
            }
        };
        let quantities = [score(0.3, None), score(f64::INFINITY, None), score(0.2, None), score(0.3, None)];
        assert_eq!(ranked(&quantities, 100), [2, 0, 3]);
        // A standard error of 0.04 for a rate of 0.2: rates up to 0.22 are as good.
        let classes = [(0.1, 0.23), (0.4, 0.2), (0.3, 0.219), (f64::INFINITY, 0.0), (0.5, 0.22)];
        let classes = classes.map(|(mse, rate)| score(mse, Some(rate)));
        assert_eq!(ranked(&classes, 100), [2, 1, 4, 0]);
        assert_eq!(ranked(&classes, 1_000_000), [1, 2, 4, 0]);
    }
    #[test]
    fn tails_are_heavy_where_few_rows_make_most_of_the_mean() {
        let score = Score::over_folds(&[], 0);
        let of = |rows: usize, large: f64| {
            let squares = (0..rows).map(|row| if row % 20 == 3 { large } else { 1.0 }).collect();
            Validated { score, certainty: Certainty::default(), losses: squares }.has_heavy_tails()
        };
        // 95 % of the residuals are 1, and the root of their mean square is 2.4.
        assert!(of(200, 100.0) && !of(199, 100.0) && !of(0, 1.0));
        // The quantiles of Laplace's distribution, with 1.63 root mean squares, and of a uniform one, with 1.56.
        let uniform = |row: usize| (row as f64 + 0.5) / 1000.0;
        let laplace = (0..1000).map(|row| uniform(row).ln().powi(2)).collect();
        let even = (0..1000).map(|row| 3.0 * uniform(row).powi(2)).collect();
        for squares in [laplace, even] {
            assert!(!Validated { score, certainty: Certainty::default(), losses: squares }.has_heavy_tails());
        }
    }

    #[test]
    fn figures_by_hand() {
        let targets = DMatrix::from_column_slice(4, 1, &[1.0, 2.0, 3.0, 4.0]);
        let predictions = DMatrix::from_column_slice(4, 1, &[1.0, 2.0, 3.0, 6.0]);
        let metrics = Metrics::from_predictions(&predictions, &targets);
        assert_eq!((metrics.rows, metrics.mse, metrics.rmse), (4, 1.0, 1.0));
        assert!((metrics.r2 - (1.0 - 4.0 / 5.0)).abs() < 1e-15);
        // A row that counts twice is two rows.
        let weighted = Metrics::weighted(&predictions, &targets, &[0.8, 0.8, 0.8, 1.6]);
        let twice = |m: &DMatrix<f64>| m.select_rows(&[0, 1, 2, 3, 3]);
        let copied = Metrics::from_predictions(&twice(&predictions), &twice(&targets));
        assert!((weighted.mse - copied.mse).abs() < 1e-14 && (weighted.r2 - copied.r2).abs() < 1e-14);
    }

    #[test]
    fn better_is_better_beyond_chance() {
        // Differences of 1 and 3 have the mean 2 and a standard error of √(2 / 4).
        assert!(is_better(&[1.0, 2.0], &[2.0, 5.0], 1.0));
        // Differences of -1 and 3 have the mean 1 and a standard error of √2.
        assert!(!is_better(&[1.0, 2.0], &[0.0, 5.0], 1.0));
        assert!(!is_better(&[1.0, 1.0], &[1.0, 1.0], 1.0));
        assert!(is_better(&[], &[], 1.0));
    }
}
