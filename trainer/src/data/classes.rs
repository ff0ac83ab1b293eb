//! Classes: labels in files, indicator columns in a data set and decisions from scores.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::error::DatasetError;

/// The largest number of classes of a model. A target with more labels is a quantity.
pub(crate) const MOST_CLASSES: usize = 1000;

/// The kind of the targets: quantities (regression) or classes (classification).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// Numbers to predict.
    Quantities,
    /// Labels that divide the rows into classes.
    Classes,
    /// No targets: all rows are normal, and the model tells novel ones from them.
    Novelty,
}

/// The name of the target of models that tell novel rows from normal ones, and the names of their classes.
pub const NOVELTY: &str = "novelty";
/// The class of the rows of a fit.
pub const NORMAL: &str = "normal";
/// The class of other rows.
pub const NOVEL: &str = "novel";

/// Returns the classes among the labels, sorted by value if all labels are numbers, and by code point otherwise.
///
/// Several spellings of one number, such as `1` and `1.0`, are one class, which is named by the number. A class with a
/// single spelling keeps it.
pub(crate) fn classes_among<'a>(labels: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let distinct: BTreeSet<&str> = labels.into_iter().collect();
    let values: Option<Vec<(f64, &str)>> = distinct.iter().map(|label| Some((value(label)?, *label))).collect();
    let Some(mut values) = values else { return distinct.into_iter().map(str::to_owned).collect() };
    values.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let name = |same: &[(f64, &str)]| if same.len() == 1 { same[0].1.to_owned() } else { same[0].0.to_string() };
    values.chunk_by(|(a, _), (b, _)| a == b).map(name).collect()
}

/// What errors in rows of a class count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeights {
    /// An error in any row counts the same.
    #[default]
    Equal,
    /// The errors in all rows of a class count the same together: n / (k n_c) for n rows of k classes, n_c of the
    /// class. Rows with weights count by them.
    Balanced,
    /// Weights by names of classes, as multiples of those of the others, which have 1.
    #[serde(untagged)]
    Named(BTreeMap<String, f64>),
}

impl ClassWeights {
    /// Returns the weight of every class, by the class of every row and what the row counts otherwise; empty where
    /// errors count alike.
    ///
    /// # Errors
    /// [`DatasetError`]: no classes, a class that there is not, a weight that is not positive and finite.
    pub(crate) fn of(
        &self,
        members: Option<&[usize]>,
        rows: &[f64],
        classes: &[String],
    ) -> Result<Vec<f64>, DatasetError> {
        if *self == ClassWeights::Equal {
            return Ok(Vec::new());
        }
        let members = members.ok_or(DatasetError::WeightsOfQuantities)?;
        let count = classes.len();
        let ClassWeights::Named(named) = self else {
            let mut sums = vec![0.0; count];
            let own = |row: usize| rows.get(row).copied().unwrap_or(1.0);
            members.iter().enumerate().for_each(|(row, &class)| sums[class] += own(row));
            let total: f64 = sums.iter().sum();
            let weight = |of_class: f64| if of_class > 0.0 { total / (count as f64 * of_class) } else { 1.0 };
            return Ok(sums.into_iter().map(weight).collect());
        };
        let lookup = Lookup::new(classes);
        let mut weights = vec![1.0; count];
        for (name, &weight) in named {
            let Some(class) = lookup.class(name) else {
                let known = classes.join(", ");
                return Err(DatasetError::UnknownClass { name: name.clone(), known });
            };
            if !(weight > 0.0 && weight.is_finite()) {
                return Err(DatasetError::Weight { name: name.clone(), weight });
            }
            weights[class] = weight;
        }
        Ok(weights)
    }
}

/// Finds classes by their labels.
#[derive(Clone, Debug)]
pub(crate) struct Lookup<'a> {
    by_name: HashMap<&'a str, usize>,
    /// Classes by the bits of their values; empty unless all classes are numbers.
    by_value: HashMap<u64, usize>,
}

impl Lookup<'_> {
    /// Creates a look-up of `classes`.
    pub fn new(classes: &[String]) -> Lookup<'_> {
        let by_name = classes.iter().enumerate().map(|(class, name)| (name.as_str(), class)).collect();
        let values: Option<HashMap<u64, usize>> =
            classes.iter().enumerate().map(|(class, name)| Some((value(name)?.to_bits(), class))).collect();
        Lookup { by_name, by_value: values.unwrap_or_default() }
    }

    /// Returns the class of a label, or none if the label is unknown.
    pub fn class(&self, label: &str) -> Option<usize> {
        let by_value = || self.by_value.get(&value(label)?.to_bits());
        self.by_name.get(label).or_else(by_value).copied()
    }
}

/// Returns the finite number that a label spells; −0 becomes 0.
fn value(label: &str) -> Option<f64> {
    label.parse::<f64>().ok().filter(|value| value.is_finite()).map(|value| value + 0.0)
}

/// Returns the targets of rows with the classes `members`, numbers below `count`.
///
/// Two classes share one column, which is 1 in rows of the second class. Three or more classes have a column each,
/// which is 1 in rows of the class.
pub(crate) fn indicators(members: &[usize], count: usize) -> DMatrix<f64> {
    let (columns, first) = if count == 2 { (1, 1) } else { (count, 0) };
    let mut y = DMatrix::zeros(members.len(), columns);
    for (row, &class) in members.iter().enumerate().filter(|&(_, &class)| class >= first) {
        y[(row, class - first)] = 1.0;
    }
    y
}

/// Returns the predicted class of each row of scores (n×k), as the device computes it; none where every score is NaN.
///
/// In one column, a score above ½ means the second of two classes. In several columns, the largest score wins, and ties
/// go to the first class.
pub fn decide(scores: &DMatrix<f64>) -> Vec<Option<usize>> {
    let largest = |row: usize| {
        let larger = |best: Option<usize>, class: usize| {
            let score = scores[(row, class)];
            let wins = best.map_or(!score.is_nan(), |best| score > scores[(row, best)]);
            if wins { Some(class) } else { best }
        };
        (0..scores.ncols()).fold(None, larger)
    };
    let second = |score: f64| if score.is_nan() { None } else { Some(usize::from(score > 0.5)) };
    let decide = |row| if scores.ncols() == 1 { second(scores[(row, 0)]) } else { largest(row) };
    (0..scores.nrows()).map(decide).collect()
}

/// As [`decide`], but none where the score of the class is not above all others by more than `margin`, or a single one
/// does not differ from ½ by more. Differences are those of single precision, as on the device.
pub fn decide_beyond(scores: &DMatrix<f64>, margin: f32) -> Vec<Option<usize>> {
    let is_ahead = |row: usize, class: usize| {
        let score = |class: usize| scores[(row, class)] as f32;
        match scores.ncols() {
            1 => (score(0) - 0.5).abs() > margin,
            count => (0..count).all(|other| other == class || score(class) - score(other) > margin),
        }
    };
    decide(scores).into_iter().enumerate().map(|(row, class)| class.filter(|&class| is_ahead(row, class))).collect()
}

/// Returns by how much the score of the class of every row is behind the largest other one, in the units of the margin
/// of [`decide_beyond`]; negative where it is ahead.
pub fn shortfalls(scores: &DMatrix<f64>, members: &[usize]) -> Vec<f64> {
    let shortfall = |(row, &class): (usize, &usize)| match scores.ncols() {
        1 if class == 1 => 0.5 - scores[(row, 0)],
        1 => scores[(row, 0)] - 0.5,
        count => {
            let others = (0..count).filter(|&other| other != class).map(|other| scores[(row, other)]);
            others.fold(f64::NEG_INFINITY, f64::max) - scores[(row, class)]
        }
    };
    members.iter().enumerate().map(shortfall).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_an_order_and_a_spelling() {
        let cases: [(&[&str], &[&str]); 6] = [
            (&["10", "9", "-1", "9"], &["-1", "9", "10"]),
            (&["b", "a", "B", "é"], &["B", "a", "b", "é"]),
            (&["10", "9", "x"], &["10", "9", "x"]),
            (&["007", "012"], &["007", "012"]),
            (&["1", "1.0", "-0", "0"], &["0", "1"]),
            (&["1.0", "2.0"], &["1.0", "2.0"]),
        ];
        for (labels, expected) in cases {
            assert_eq!(classes_among(labels.iter().copied()), expected);
        }
    }

    #[test]
    fn labels_are_found_by_name_and_numbers_by_value() {
        let classes = ["1", "02", "3.5"].map(str::to_owned);
        let lookup = Lookup::new(&classes);
        let found = ["1", "1.0", "2", "02", "35e-1", "4", "a"].map(|label| lookup.class(label));
        assert_eq!(found, [Some(0), Some(0), Some(1), Some(1), Some(2), None, None]);
        let classes = ["1", "a"].map(str::to_owned);
        let lookup = Lookup::new(&classes);
        assert_eq!(["1", "1.0", "a"].map(|label| lookup.class(label)), [Some(0), None, Some(1)]);
    }

    #[test]
    fn decisions_undo_indicators() {
        for count in 2..5 {
            let members: Vec<usize> = (0..count).chain([1, 0, 1]).collect();
            let y = indicators(&members, count);
            assert_eq!(y.ncols(), if count == 2 { 1 } else { count });
            assert!(decide(&y).into_iter().eq(members.iter().copied().map(Some)));
        }
        assert_eq!(decide(&DMatrix::from_row_slice(2, 3, &[0.1, 0.4, 0.4, f64::NAN, 0.1, 0.2])), [Some(1), Some(2)]);
        assert_eq!(decide(&DMatrix::from_element(1, 3, f64::NAN)), [None]);
        assert_eq!(decide(&DMatrix::from_row_slice(3, 1, &[0.5, 0.6, f64::NAN])), [Some(0), Some(1), None]);
    }

    /// A class is named where the classes within the margin are one.
    #[test]
    fn what_is_named_is_alone_within_the_margin() {
        let mut sampler = crate::sampling::Sampler::new(1);
        for outputs in [1, 3, 4] {
            let scores = DMatrix::from_fn(300, outputs, |_, _| f64::from((0.5 + 0.3 * sampler.normal()) as f32));
            let count = if outputs == 1 { 2 } else { outputs };
            let within = |margin: f32, row: usize| -> Vec<usize> {
                let of_row = scores.rows(row, 1).into_owned();
                (0..count).filter(|&class| shortfalls(&of_row, &[class])[0] <= f64::from(margin)).collect()
            };
            for margin in [0.0_f32, 0.1, 0.4] {
                let named = decide_beyond(&scores, margin);
                for (row, found) in named.iter().enumerate() {
                    let expected = match within(margin, row)[..] {
                        [class] => Some(class),
                        _ => None,
                    };
                    assert_eq!(*found, expected, "row {row} of {outputs} scores, margin {margin}");
                }
                let missing = named.iter().filter(|found| found.is_none()).count();
                assert!(if margin > 0.0 { (10..290).contains(&missing) } else { missing == 0 }, "{missing}");
            }
        }
        assert_eq!(decide_beyond(&DMatrix::from_row_slice(1, 3, &[0.9, f64::NAN, 0.1]), 0.2), [None]);
    }
}
