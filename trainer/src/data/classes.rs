//! Classes: labels in files, indicator columns in a data set and decisions from scores.

use std::collections::{BTreeSet, HashMap};

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

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
}

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
}
