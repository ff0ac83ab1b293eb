//! How good the predictions of a model are for what the targets are.

use std::ops::AddAssign;

use nalgebra::DMatrix;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use srfm_runtime::format::Confidence;
use srfm_trainer::data::{Dataset, decide, shortfalls};
use srfm_trainer::export::Blob;
use srfm_trainer::validate::{Metric, Metrics};

use crate::report::reliability::{Ranks, Reliability};

/// How good decisions between classes are. Rows count by their weights in all figures but the counts of rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClassMetrics {
    /// Number of rows.
    pub rows: usize,
    /// Share of the rows that are put into their class.
    pub accuracy: f64,
    /// Share of the rows that are not.
    pub error_rate: f64,
    /// Mean of the recalls of the classes that have rows.
    pub balanced_accuracy: f64,
    /// Mean of the negative logarithm of the probability of a row's class; none where probabilities are not known.
    pub log_loss: Option<f64>,
    /// Brier score: the mean over the rows of the squared distance of probabilities from indicators, over all classes;
    /// none where probabilities are not known.
    pub brier: Option<f64>,
    /// Area under the receiver operating characteristic of the second of two classes; none for more classes, and where
    /// rows of one class are missing.
    pub auc: Option<f64>,
    /// How well probabilities agree with shares of rows; none where probabilities are not known.
    pub reliability: Option<Reliability>,
    /// The scores that the area is computed from.
    #[serde(skip)]
    pub(crate) ranks: Option<Ranks>,
    /// How classes fare that are named only where the model is certain; left out where it names one for every row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Certain>,
    /// Names of the classes.
    pub classes: Vec<String>,
    /// Rows of each class (outer) that were put into each class (inner).
    pub confusion: Vec<Vec<usize>>,
    /// What these rows count.
    #[serde(skip)]
    pub(crate) masses: Vec<Vec<f64>>,
    /// Share of the rows of each class that are put into it; none for a class without rows.
    pub recall: Vec<Option<f64>>,
    /// Share of the rows put into each class that are of it; none for a class without such rows.
    pub precision: Vec<Option<f64>>,
}

/// How classes fare that are named only where the model is certain.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Certain {
    /// The share of rows that is to have its class among those that the model cannot rule out.
    pub level: f32,
    /// The share that has.
    pub coverage: f64,
    /// The share for which no class is named.
    pub rejected: f64,
    /// The share of the other rows whose class is another one; none where no class is named at all.
    pub error_rate: Option<f64>,
    /// What all rows count.
    #[serde(skip)]
    mass: f64,
}

impl Certain {
    /// Judges a model with a confidence by its scores (n×k) of rows with the indicators (n×k) of their classes; none
    /// for a model without. Rows without scores are left out.
    fn of(
        blob: &Blob,
        scores: &DMatrix<f64>,
        indicators: &DMatrix<f64>,
        weight: &dyn Fn(usize) -> f64,
    ) -> Option<Certain> {
        let Confidence { level, margin } = blob.model().confidence()?;
        let known: Vec<usize> =
            (0..scores.nrows()).filter(|&row| !scores.row(row).iter().any(|s| s.is_nan())).collect();
        let scores = scores.select_rows(&known);
        let members: Vec<usize> = decide(&indicators.select_rows(&known)).into_iter().flatten().collect();
        let shortfalls = shortfalls(&scores, &members);
        let (mut all, mut named, mut wrong, mut covered) = (0.0, 0.0, 0.0, 0.0);
        for (place, found) in blob.decide(&scores).into_iter().enumerate() {
            let weight = weight(known[place]);
            let if_holds = |holds: bool| if holds { weight } else { 0.0 };
            all += weight;
            named += if_holds(found.is_some());
            wrong += if_holds(found.is_some_and(|found| found != members[place]));
            covered += if_holds(shortfalls[place] <= f64::from(margin));
        }
        (all > 0.0).then_some(Certain {
            level,
            coverage: covered / all,
            rejected: (all - named) / all,
            error_rate: (named > 0.0).then_some(wrong / named),
            mass: all,
        })
    }

    /// What the rows count for which a class is named.
    fn named(&self) -> f64 {
        (1.0 - self.rejected) * self.mass
    }

    /// Returns the figures of these rows and others together.
    fn with(self, other: Certain) -> Certain {
        let mass = self.mass + other.mass;
        let mean = |own: f64, more: f64| (own * self.mass + more * other.mass) / mass;
        let wrong = |one: &Certain| one.error_rate.map_or(0.0, |rate| rate * one.named());
        let named = self.named() + other.named();
        Certain {
            level: self.level,
            coverage: mean(self.coverage, other.coverage),
            rejected: mean(self.rejected, other.rejected),
            error_rate: (named > 0.0).then(|| (wrong(&self) + wrong(&other)) / named),
            mass,
        }
    }
}

impl ClassMetrics {
    /// Compares the decisions of scores (n×k) with indicators (n×k) of the right classes. Rows without a decision are
    /// left out; the others count by `weights`, alike where there are none.
    pub fn of(scores: &DMatrix<f64>, indicators: &DMatrix<f64>, classes: &[String], weights: &[f64]) -> ClassMetrics {
        let mut confusion = vec![vec![0; classes.len()]; classes.len()];
        let mut masses = vec![vec![0.0; classes.len()]; classes.len()];
        for (row, decided) in decide(indicators).into_iter().zip(decide(scores)).enumerate() {
            if let (Some(class), Some(decision)) = decided {
                confusion[class][decision] += 1;
                masses[class][decision] += weights.get(row).copied().unwrap_or(1.0);
            }
        }
        ClassMetrics::of_confusion(confusion, masses, classes)
    }

    /// Adds what the scores (n×k) of a model say beyond decisions, of rows with the indicators (n×k) of their classes:
    /// log loss, Brier score and reliability of the probabilities, the area of two classes, and how certain classes
    /// fare. Rows without scores are left out, as rows without a decision are; the others count by `weights`.
    pub fn judge(&mut self, blob: &Blob, scores: &DMatrix<f32>, indicators: &DMatrix<f64>, weights: &[f64]) {
        let weight = |row: usize| weights.get(row).copied().unwrap_or(1.0);
        self.judge_probabilities(&blob.probabilities(scores), indicators, &weight);
        self.confidence = Certain::of(blob, &scores.clone().cast(), indicators, &weight);
        if scores.ncols() == 1 {
            let ranks = Ranks::of(scores, &decide(indicators), &weight);
            self.auc = ranks.area();
            self.ranks = Some(ranks);
        }
    }

    /// Adds log loss and Brier score by probabilities (n×c).
    fn judge_probabilities(
        &mut self,
        probabilities: &DMatrix<f32>,
        indicators: &DMatrix<f64>,
        weight: &dyn Fn(usize) -> f64,
    ) {
        let mut loss = 0.0;
        let mut squares = 0.0;
        let mut mass = 0.0;
        for (row, (class, of_row)) in decide(indicators).into_iter().zip(probabilities.row_iter()).enumerate() {
            let Some(class) = class.filter(|_| of_row.iter().all(|share| !share.is_nan())) else { continue };
            loss -= weight(row) * f64::from(of_row[class]).max(Metric::LEAST_PROBABILITY).ln();
            let indicator = |place: usize| f64::from(u8::from(place == class));
            let squared = |(place, share): (usize, &f32)| (f64::from(*share) - indicator(place)).powi(2);
            squares += weight(row) * of_row.iter().enumerate().map(squared).sum::<f64>();
            mass += weight(row);
        }
        self.reliability = (mass > 0.0).then(|| Reliability::of(probabilities, &decide(indicators), weight));
        self.log_loss = (mass > 0.0).then(|| loss / mass);
        self.brier = (mass > 0.0).then(|| squares / mass);
    }

    /// The figures of counts and masses: rows of each class (outer) that were put into each class (inner), and what
    /// these rows count.
    pub(crate) fn of_confusion(confusion: Vec<Vec<usize>>, masses: Vec<Vec<f64>>, classes: &[String]) -> ClassMetrics {
        let mass: f64 = masses.iter().flatten().sum();
        let right: f64 = (0..classes.len()).map(|class| masses[class][class]).sum();
        let share = |part: f64, all: f64| (all > 0.0).then(|| part / all);
        let recall = |(class, decisions): (usize, &Vec<f64>)| share(decisions[class], decisions.iter().sum());
        let recall: Vec<Option<f64>> = masses.iter().enumerate().map(recall).collect();
        let precision =
            |class: usize| share(masses[class][class], masses.iter().map(|decisions| decisions[class]).sum());
        let precision = (0..classes.len()).map(precision).collect();
        let known: Vec<f64> = recall.iter().copied().flatten().collect();
        ClassMetrics {
            rows: confusion.iter().flatten().sum(),
            balanced_accuracy: known.iter().sum::<f64>() / known.len() as f64,
            log_loss: None,
            brier: None,
            auc: None,
            reliability: None,
            ranks: None,
            confidence: None,
            accuracy: right / mass,
            error_rate: (mass - right) / mass,
            classes: classes.to_vec(),
            recall,
            precision,
            confusion,
            masses,
        }
    }

    /// Returns what all rows count.
    fn mass(&self) -> f64 {
        self.masses.iter().flatten().sum()
    }
}

impl AddAssign<&ClassMetrics> for ClassMetrics {
    /// Adds other rows of the same classes.
    fn add_assign(&mut self, other: &ClassMetrics) {
        let counts = self.confusion.iter_mut().flatten().zip(other.confusion.iter().flatten());
        counts.for_each(|(all, more)| *all += more);
        let [own, more] = [self.mass(), other.mass()];
        let share = if more > 0.0 { more / (own + more) } else { 0.0 };
        let masses = self.masses.iter_mut().flatten().zip(other.masses.iter().flatten());
        masses.for_each(|(all, more)| *all += more);
        let mean = |own: Option<f64>, other: Option<f64>| match (own, other) {
            (Some(own), Some(other)) => Some((1.0 - share) * own + share * other),
            (known, None) | (None, known) => known,
        };
        let log_loss = mean(self.log_loss, other.log_loss);
        let brier = mean(self.brier, other.brier);
        let confidence = match (self.confidence, other.confidence) {
            (Some(own), Some(more)) => Some(own.with(more)),
            (known, None) | (None, known) => known,
        };
        let mut reliability = self.reliability.take().or_else(|| other.reliability.clone());
        if let (Some(own), Some(more), true) = (&mut reliability, &other.reliability, self.log_loss.is_some()) {
            *own += more;
        }
        let mut ranks = self.ranks.take();
        if let (Some(own), Some(more)) = (&mut ranks, &other.ranks) {
            own.add(more);
        }
        let auc = ranks.as_ref().and_then(Ranks::area);
        let confusion = std::mem::take(&mut self.confusion);
        let masses = std::mem::take(&mut self.masses);
        let counted = ClassMetrics::of_confusion(confusion, masses, &self.classes);
        *self = ClassMetrics { log_loss, brier, auc, reliability, ranks, confidence, ..counted };
    }
}

/// Writes names of outputs and their errors as a list of `{"output": NAME, "rows": …}`.
fn by_output<S: Serializer>(outputs: &[(String, Metrics)], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Named<'a> {
        output: &'a str,
        #[serde(flatten)]
        metrics: Metrics,
    }
    let mut list = serializer.serialize_seq(Some(outputs.len()))?;
    for (output, metrics) in outputs {
        list.serialize_element(&Named { output, metrics: *metrics })?;
    }
    list.end()
}

/// How good predictions are for what the targets are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Evaluation {
    /// Targets that are quantities.
    Quantities {
        /// Over all outputs.
        #[serde(flatten)]
        total: Metrics,
        /// The name and the errors of each output, where there are several.
        #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "by_output")]
        outputs: Vec<(String, Metrics)>,
    },
    /// Targets that are classes.
    Classes(Box<ClassMetrics>),
}

impl Evaluation {
    /// The number of rows that were compared.
    pub fn rows(&self) -> usize {
        match self {
            Evaluation::Quantities { total, .. } => total.rows,
            Evaluation::Classes(metrics) => metrics.rows,
        }
    }

    /// Compares predictions (n×k) with the targets of `data`, whose rows count by `weights`; alike without weights.
    pub fn of(predictions: &DMatrix<f64>, data: &Dataset, weights: &[f64]) -> Evaluation {
        if !data.classes.is_empty() {
            return Evaluation::Classes(Box::new(ClassMetrics::of(predictions, &data.y, &data.classes, weights)));
        }
        let sum: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|weight| weight * weights.len() as f64 / sum).collect();
        let column = |m: &DMatrix<f64>, output| m.columns(output, 1).into_owned();
        let of_output = |(output, name): (usize, &String)| {
            (name.clone(), Metrics::weighted(&column(predictions, output), &column(&data.y, output), &weights))
        };
        let several = data.outputs() > 1;
        let outputs = data.output_names.iter().enumerate().filter(|_| several).map(of_output).collect();
        Evaluation::Quantities { total: Metrics::weighted(predictions, &data.y, &weights), outputs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_counted_by_hand() {
        let classes = ["a", "b", "c"].map(str::to_owned);
        let right = DMatrix::from_row_slice(4, 3, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
        let scores = DMatrix::from_row_slice(4, 3, &[0.9, 0.2, 0.0, 0.1, 0.0, 0.3, 0.5, 0.6, -1.0, 0.0, 9.0, 0.0]);
        let metrics = ClassMetrics::of(&scores, &right, &classes, &[]);
        assert_eq!((metrics.rows, metrics.accuracy, metrics.error_rate), (4, 0.75, 0.25));
        assert_eq!(metrics.confusion, [[1, 0, 1], [0, 2, 0], [0, 0, 0]]);
        assert_eq!(metrics.recall, [Some(0.5), Some(1.0), None]);
        assert_eq!(metrics.precision, [Some(1.0), Some(1.0), Some(0.0)]);
        assert_eq!((metrics.balanced_accuracy, metrics.log_loss, metrics.brier), (0.75, None, None));
        // Two classes share a column.
        let scores = DMatrix::from_column_slice(3, 1, &[0.5, 0.7, 0.2]);
        let two = ClassMetrics::of(&scores, &DMatrix::from_column_slice(3, 1, &[0.0, 0.0, 1.0]), &classes[..2], &[]);
        assert_eq!(two.confusion, [[1, 1], [1, 0]]);
    }

    #[test]
    fn losses_by_hand() {
        let classes = ["a", "b"].map(str::to_owned);
        let right = DMatrix::from_column_slice(3, 1, &[0.0, 1.0, 1.0]);
        let scores = DMatrix::from_column_slice(3, 1, &[0.2, 0.9, f64::NAN]);
        let shares = DMatrix::from_row_slice(3, 2, &[0.75, 0.25, 0.5, 0.5, f32::NAN, f32::NAN]);
        let mut metrics = ClassMetrics::of(&scores, &right, &classes, &[]);
        metrics.judge_probabilities(&shares, &right, &|_| 1.0);
        let log_loss = (4.0_f64 / 3.0).ln().midpoint(2.0_f64.ln());
        assert!((metrics.log_loss.unwrap() - log_loss).abs() < 1e-12);
        assert!((metrics.brier.unwrap() - (0.125 + 0.5) / 2.0).abs() < 1e-12);
        // Other rows count by their number.
        let mut more = metrics.clone();
        more += &metrics;
        assert_eq!((more.rows, more.log_loss, more.brier), (4, metrics.log_loss, metrics.brier));
    }
}
