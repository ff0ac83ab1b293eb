//! Divides rows into training and test rows.

mod blocks;
mod error;
mod given;
mod groups;
mod inner;
mod splitter;
#[cfg(test)]
mod tests;

pub use error::SplitError;
pub(crate) use given::{checked, is_forward, selected};
pub(crate) use inner::{inner_folds, inner_holdout};
pub use splitter::Splitter;

use serde::{Deserialize, Serialize};

use crate::sampling::Sampler;

/// Training and test rows, each in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// The training rows.
    pub train: Vec<usize>,
    /// The test rows.
    pub test: Vec<usize>,
}

/// Draws a random `fraction` of `rows` rows as test rows. Both parts have at least one row if there are two rows.
pub(crate) fn holdout(rows: usize, fraction: f64, sampler: &mut Sampler) -> Split {
    let test = ((rows as f64 * fraction).round() as usize).clamp(1.min(rows), rows.saturating_sub(1).max(1));
    let order = sampler.permutation(rows);
    split(&order, |position| position < test)
}

/// Divides `rows` rows at random into `folds` parts whose sizes differ by at most one.
///
/// Each part is the test part of one split.
pub(crate) fn k_fold(rows: usize, folds: usize, sampler: &mut Sampler) -> Vec<Split> {
    let order = sampler.permutation(rows);
    (0..folds).map(|fold| split(&order, |position| position % folds == fold)).collect()
}

/// Draws about a `fraction` of the rows of every class as test rows; `members` are the classes of the rows.
///
/// At least one row of every class is a training row. At least one row is a test row if a class has two rows.
pub(crate) fn stratified_holdout(members: &[usize], fraction: f64, sampler: &mut Sampler) -> Split {
    let order = by_class(members, sampler);
    let is_first = |position: usize| position == 0 || members[order[position]] != members[order[position - 1]];
    let spare = (0..order.len()).filter(|&position| !is_first(position)).count();
    let test = ((order.len() as f64 * fraction).round() as usize).clamp(1.min(spare), spare);
    // The test rows are evenly spaced among the spare rows, so that every class gives its share.
    let mut seen = 0;
    let is_test = |position: usize| {
        if is_first(position) {
            return false;
        }
        seen += 1;
        (2 * seen * test + spare) / (2 * spare) > (2 * (seen - 1) * test + spare) / (2 * spare)
    };
    let tested: Vec<bool> = (0..order.len()).map(is_test).collect();
    split(&order, |position| tested[position])
}

/// Divides rows as [`k_fold`] does, with the rows of every class divided evenly among the parts.
///
/// `members` are the classes of the rows.
pub(crate) fn stratified_k_fold(members: &[usize], folds: usize, sampler: &mut Sampler) -> Vec<Split> {
    let order = by_class(members, sampler);
    (0..folds).map(|fold| split(&order, |position| position % folds == fold)).collect()
}

/// Returns the rows class by class, in random order within a class.
fn by_class(members: &[usize], sampler: &mut Sampler) -> Vec<usize> {
    let mut order = sampler.permutation(members.len());
    order.sort_by_key(|&row| members[row]);
    order
}

/// Returns the split of the rows `order` whose test rows are at the positions that `is_test` accepts.
fn split(order: &[usize], is_test: impl Fn(usize) -> bool) -> Split {
    let part = |wanted: bool| {
        let mut rows: Vec<usize> = order
            .iter()
            .enumerate()
            .filter(|&(position, _)| is_test(position) == wanted)
            .map(|(_, &row)| row)
            .collect();
        rows.sort_unstable();
        rows
    };
    Split { train: part(false), test: part(true) }
}
