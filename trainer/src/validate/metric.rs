//! What candidates for classes are chosen by: the losses of rows.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::decide;
use crate::validate::certainty::{probabilities, slope};

/// The figure that candidates for classes are chosen by.
///
/// Every metric is the mean of a loss of the rows, which count by their weights. `p` is the probability of a class,
/// which cross-validation calibrates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The share of errors: the loss of a row is 1 where another class is decided for, else 0. Where shares differ by
    /// less than half a standard error, the squared errors of the probabilities decide.
    #[default]
    Accuracy,
    /// One less the mean of the recalls: the loss of an error in a row of a class is `n / (c nₖ)`, where `nₖ` of the
    /// `n` rows are of this class, and `c` classes have rows. The squared errors of the probabilities decide as above.
    Balanced,
    /// Log loss: `−ln p` of the class of the row, where a probability below 1e-15 counts as 1e-15.
    LogLoss,
    /// Brier score: the sum over all classes of `(p − 1)²` for the class of the row and of `p²` for the others.
    Brier,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Metric; 4] = [Metric::Accuracy, Metric::Balanced, Metric::LogLoss, Metric::Brier];

    /// The names of all metrics.
    pub const NAMES: [&str; 4] = ["accuracy", "balanced", "log-loss", "brier"];

    /// The least probability in a log loss: a single row is no infinite loss.
    pub const LEAST_PROBABILITY: f64 = 1e-15;

    /// Returns the metric of a name.
    pub fn named(name: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Metric::NAMES[self as usize]
    }

    /// Returns whether decisions count, and not the probabilities themselves. Errors are too coarse for the paired
    /// test: of a rare class, a few rows would decide.
    pub(crate) fn counts_errors(self) -> bool {
        matches!(self, Metric::Accuracy | Metric::Balanced)
    }

    /// Returns the loss of every row. The mean is the figure.
    pub(crate) fn losses(self, rows: &ClassRows) -> Vec<f64> {
        match self {
            Metric::Accuracy => rows.times(&rows.errors(), &rows.shares_of_rows()),
            Metric::Balanced => rows.times(&rows.errors(), &rows.shares_of_classes()),
            Metric::LogLoss => rows.times(&rows.logarithms(), &rows.shares_of_rows()),
            Metric::Brier => rows.times(&rows.squares(), &rows.shares_of_rows()),
        }
    }
}

/// Rows of classes, and what a model says of them.
pub(crate) struct ClassRows {
    /// The scores (n×k) that decide.
    pub scores: DMatrix<f64>,
    /// The class of every row.
    pub members: Vec<usize>,
    /// What every row counts; empty where all count alike.
    pub weights: Vec<f64>,
    /// The slope that turns scores into log-odds; none where scores are not known.
    pub slope: Option<f64>,
}

impl ClassRows {
    /// The slope is the one of the least log loss on these rows.
    pub fn new(scores: DMatrix<f64>, members: Vec<usize>, weights: Vec<f64>) -> ClassRows {
        let slope = slope(&scores, &members, &weights);
        ClassRows { scores, members, weights, slope }
    }

    /// Returns the probabilities (n×c).
    fn probabilities(&self) -> DMatrix<f64> {
        probabilities(&self.scores, self.slope.unwrap_or(1.0))
    }

    /// Returns 1 for every row that is put into another class, else 0.
    fn errors(&self) -> Vec<f64> {
        let decided = decide(&self.scores).into_iter().zip(&self.members);
        decided.map(|(found, &class)| f64::from(u8::from(found != Some(class)))).collect()
    }

    /// Returns the negative logarithms of the probabilities of the rows' classes.
    fn logarithms(&self) -> Vec<f64> {
        let all = self.probabilities();
        let of_row = |(row, &class): (usize, &usize)| -libm::log(all[(row, class)].max(Metric::LEAST_PROBABILITY));
        self.members.iter().enumerate().map(of_row).collect()
    }

    /// Returns the squared distances of the probabilities from the indicators.
    fn squares(&self) -> Vec<f64> {
        let all = self.probabilities();
        let square = |share: f64, is_own: bool| (share - f64::from(u8::from(is_own))).powi(2);
        let of_row = |(row, &own): (usize, &usize)| -> f64 {
            all.row(row).iter().enumerate().map(|(class, &share)| square(share, class == own)).sum()
        };
        self.members.iter().enumerate().map(of_row).collect()
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// Returns what rows count, with a mean of 1.
    fn shares_of_rows(&self) -> Vec<f64> {
        let rows = self.members.len();
        let mass: f64 = (0..rows).map(|row| self.weight(row)).sum();
        (0..rows).map(|row| self.weight(row) * rows as f64 / mass).collect()
    }

    /// Returns what rows count where every class that has rows counts the same, with a mean of 1.
    fn shares_of_classes(&self) -> Vec<f64> {
        let rows = self.members.len();
        let mut masses = vec![0.0; self.members.iter().max().map_or(0, |last| last + 1)];
        self.members.iter().enumerate().for_each(|(row, &class)| masses[class] += self.weight(row));
        let classes = masses.iter().filter(|&&mass| mass > 0.0).count() as f64;
        let share = |mass: f64| if mass > 0.0 { rows as f64 / (classes * mass) } else { 0.0 };
        self.members.iter().enumerate().map(|(row, &class)| self.weight(row) * share(masses[class])).collect()
    }

    /// Returns the products of losses and shares.
    fn times(&self, losses: &[f64], shares: &[f64]) -> Vec<f64> {
        losses.iter().zip(shares).map(|(loss, share)| loss * share).collect()
    }
}

/// The loss of a candidate for classes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassLoss {
    /// What the loss is a mean of.
    pub metric: Metric,
    /// The mean over the rows: the error rate, one less the balanced accuracy, the log loss or the Brier score.
    pub loss: f64,
    /// The variance of the loss of a row.
    pub(crate) variance: f64,
    /// The loss that a search follows.
    pub(crate) search_loss: f64,
}

impl ClassLoss {
    /// The loss of accuracy by the share of errors; a search follows the mean squared error of the probabilities.
    pub(crate) fn of_errors(rate: f64, squares: f64) -> ClassLoss {
        ClassLoss { metric: Metric::Accuracy, loss: rate, variance: rate * (1.0 - rate), search_loss: squares }
    }

    /// The loss of rows. A search follows the mean squared error of the probabilities, `squares`, where errors count.
    pub(crate) fn of_rows(metric: Metric, losses: &[f64], squares: f64) -> ClassLoss {
        let loss = losses.iter().sum::<f64>() / losses.len() as f64;
        let variance = losses.iter().map(|own| (own - loss).powi(2)).sum::<f64>() / losses.len() as f64;
        let search_loss = if metric.counts_errors() { squares } else { loss };
        ClassLoss { metric, loss, variance, search_loss }
    }

    /// Returns the mean over several divisions of the same rows.
    pub(crate) fn mean(divisions: &[ClassLoss]) -> ClassLoss {
        let mean =
            |value: &dyn Fn(&ClassLoss) -> f64| divisions.iter().map(value).sum::<f64>() / divisions.len() as f64;
        let loss = mean(&|division| division.loss);
        let search_loss = mean(&|division| division.search_loss);
        match divisions[0].metric {
            Metric::Accuracy => ClassLoss::of_errors(loss, search_loss),
            metric => ClassLoss { metric, loss, variance: mean(&|division| division.variance), search_loss },
        }
    }

    /// Returns the loss of rows whose losses are `ratio` times as large.
    pub(crate) fn times(self, ratio: f64) -> ClassLoss {
        let ClassLoss { metric, loss, variance, search_loss } = self;
        ClassLoss { metric, loss: ratio * loss, variance: ratio * ratio * variance, search_loss: ratio * search_loss }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, Split, Splitter};
    use crate::export::{self, Encoding};
    use crate::fit::{FitConfig, Grid, fit};
    use crate::method::{Fourier, Linear, MethodConfig, Terms};
    use crate::run::Run;
    use crate::sampling::Sampler;
    use crate::scaling::Preprocessing;
    use crate::validate::cross_validation::{Folds, validate};
    use crate::validate::ranked;

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// Four rows of two classes with the log-odds ln 3, −ln 3, ln 3 and 0 of the second class.
    fn four_rows(members: [usize; 4], weights: &[f64]) -> ClassRows {
        let odds = [3.0_f64.ln(), -(3.0_f64.ln()), 3.0_f64.ln(), 0.0];
        let scores = DMatrix::from_fn(4, 1, |row, _| 0.5 + odds[row]);
        ClassRows { scores, members: members.to_vec(), weights: weights.to_vec(), slope: Some(1.0) }
    }

    #[test]
    fn names_are_read_back() {
        for metric in Metric::ALL {
            assert_eq!(Metric::named(metric.name()), Some(metric));
            assert_eq!(serde_json::to_string(&metric).unwrap(), format!("{:?}", metric.name()));
        }
        assert_eq!(Metric::named("f1"), None);
    }

    #[test]
    fn losses_of_two_classes_by_hand() {
        // The probabilities of the second class are 3/4, 1/4, 3/4 and 1/2; a tie is the first class.
        let rows = four_rows([1, 0, 0, 1], &[]);
        assert_eq!(Metric::Accuracy.losses(&rows), [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(Metric::Balanced.losses(&rows), [0.0, 0.0, 1.0, 1.0]);
        let close = |found: &[f64], expected: [f64; 4]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?} {expected:?}");
        };
        let third = (4.0_f64 / 3.0).ln();
        close(&Metric::LogLoss.losses(&rows), [third, third, 4.0_f64.ln(), 2.0_f64.ln()]);
        close(&Metric::Brier.losses(&rows), [0.125, 0.125, 1.125, 0.5]);
        // One row of the first class counts as much as three of the second one.
        let rows = four_rows([1, 1, 0, 1], &[]);
        close(&Metric::Balanced.losses(&rows), [0.0, 4.0 / 6.0, 2.0, 4.0 / 6.0]);
        // Weights of 1, 1, 4 and 2 are shares of 1/8, 1/8, 1/2 and 1/4.
        let rows = four_rows([1, 0, 0, 1], &[1.0, 1.0, 4.0, 2.0]);
        close(&Metric::Accuracy.losses(&rows), [0.0, 0.0, 2.0, 1.0]);
        // Recalls of 1/5 and 1/3.
        assert!((mean(&Metric::Balanced.losses(&rows)) - (1.0 - (0.2 + 1.0 / 3.0) / 2.0)).abs() < 1e-12);
        close(&Metric::Brier.losses(&rows), [0.0625, 0.0625, 2.25, 0.5]);
    }

    #[test]
    fn losses_of_three_classes_by_hand() {
        let scores = DMatrix::from_row_slice(2, 3, &[2.0_f64.ln(), 0.0, 0.0, 0.0, 1e3, 0.0]);
        let rows = ClassRows { scores, members: vec![0, 2], weights: Vec::new(), slope: Some(1.0) };
        let log_losses = Metric::LogLoss.losses(&rows);
        // A probability of 0 counts as 1e-15.
        assert!((log_losses[0] - 2.0_f64.ln()).abs() < 1e-12 && (log_losses[1] - 15.0 * 10.0_f64.ln()).abs() < 1e-9);
        let brier = Metric::Brier.losses(&rows);
        assert!((brier[0] - (0.25 + 2.0 / 16.0)).abs() < 1e-12 && (brier[1] - 2.0).abs() < 1e-12);
        assert_eq!(Metric::Balanced.losses(&rows), [0.0, 1.0]);
    }

    #[test]
    fn a_loss_has_the_spread_of_its_rows() {
        let found = ClassLoss::of_rows(Metric::LogLoss, &[1.0, 2.0, 3.0, 6.0], 9.0);
        assert_eq!((found.loss, found.variance, found.search_loss), (3.0, 3.5, 3.0));
        let errors = ClassLoss::of_rows(Metric::Balanced, &[0.0, 2.0], 9.0);
        assert_eq!((errors.loss, errors.variance, errors.search_loss), (1.0, 1.0, 9.0));
        let twice = found.times(2.0);
        assert_eq!((twice.loss, twice.variance, twice.search_loss), (6.0, 14.0, 6.0));
        let both = ClassLoss::mean(&[found, twice]);
        assert_eq!((both.loss, both.variance, both.search_loss), (4.5, 8.75, 4.5));
        let errors = ClassLoss::mean(&[ClassLoss::of_errors(0.25, 0.5), ClassLoss::of_errors(0.75, 1.0)]);
        assert_eq!(errors, ClassLoss::of_errors(0.5, 0.75));
    }

    /// Rows of two classes: a row is of the second one with a probability of 35 % where the first input is above 0,
    /// else of 5 %. No decision has fewer errors than the first class for every row.
    fn seldom(rows: usize, seed: u64) -> Dataset {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(rows, 4, |_, _| sampler.normal());
        let share = |row: usize| if x[(row, 0)] > 0.0 { 0.35 } else { 0.05 };
        let label = |row: usize| if sampler.uniform(0.0, 1.0) < share(row) { "2" } else { "1" };
        let labels: Vec<&str> = (0..rows).map(label).collect();
        Dataset::from_labels(x, &labels).unwrap()
    }

    fn folds(metric: Metric, given: Option<Split>) -> Folds {
        let given = given.map(|split| [split].into());
        let (preprocessing, encoding) = (Preprocessing::default(), Encoding::default());
        Folds { count: 5, fitted: 5, split: Splitter::Random, given, preprocessing, encoding, metric }
    }

    #[test]
    fn the_balanced_loss_of_a_fold_is_that_of_its_model() {
        let data = seldom(400, 1);
        let split = Split { train: (0..300).collect(), test: (300..400).collect() };
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let method = MethodConfig::from(Linear { terms: Terms::Linear, ..Linear::default() });
        let of_metric = |metric: Metric| {
            let folds = folds(metric, Some(split.clone()));
            validate(std::slice::from_ref(&method), &data, &folds, &Run::new(1))
        };
        let validated = of_metric(Metric::Balanced).unwrap();
        let by_brier = of_metric(Metric::Brier).unwrap();
        let score = by_brier[0].score.class_loss.unwrap();
        assert!(by_brier[0].losses.len() == 100 && (mean(&by_brier[0].losses) - score.loss).abs() < 1e-12);
        let model =
            fit(&train, &FitConfig { grid: Grid::from([]), ..FitConfig::new(method.clone()) }, &Run::new(1)).unwrap();
        let found = decide(&export::predict(&model.blob, &test.x).cast());
        let members = test.members().unwrap();
        let recall = |class: usize| {
            let own: Vec<usize> = (0..100).filter(|&row| members[row] == class).collect();
            own.iter().filter(|&&row| found[row] == Some(class)).count() as f64 / own.len() as f64
        };
        let loss = validated[0].score.class_loss.unwrap();
        assert_eq!((loss.metric, validated[0].losses.len()), (Metric::Balanced, 0));
        assert!((loss.loss - (1.0 - (recall(0) + recall(1)) / 2.0)).abs() < 1e-12, "{loss:?}");
    }

    #[test]
    fn metrics_choose_differently_where_a_class_is_rare() {
        // Waves that follow the noise, and waves that a penalty holds at the share of the classes.
        let waves =
            |lambda: f64| MethodConfig::from(Fourier { features: 60, lambda: Some(lambda), ..Fourier::default() });
        let methods = [waves(1e-6), waves(1e3)];
        for seed in 0..3 {
            let data = seldom(500, seed);
            let chosen = |metric: Metric| {
                let found = validate(&methods, &data, &folds(metric, None), &Run::new(seed)).unwrap();
                let scores: Vec<_> = found.iter().map(|one| one.score).collect();
                ranked(&scores, data.rows())[0]
            };
            let [accuracy, balanced, log_loss, brier] = Metric::ALL.map(chosen);
            assert_eq!((accuracy, balanced, log_loss, brier), (1, 0, 1, 1), "{seed}");
        }
    }
}
