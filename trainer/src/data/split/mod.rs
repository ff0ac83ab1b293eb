//! Divides rows into training and test rows.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::message::setting::{FOLDS, GROUP, HOLDOUT, SPLIT};
use crate::message::{Explain, Message, display_by_message, message};
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

/// The reason why rows cannot be divided into training and test rows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// There are fewer than two rows.
    TooFewRows {
        /// The number of rows.
        rows: usize,
    },
    /// No class has two rows.
    OneRowPerClass,
    /// There are fewer groups than parts.
    TooFewGroups {
        /// The number of groups.
        groups: usize,
        /// The number of parts, each of which takes a group.
        needed: usize,
    },
    /// Another group stands between two rows of a group.
    ScatteredGroup {
        /// The row, from 1.
        row: usize,
    },
    /// A fold that the caller has divided is none.
    Fold {
        /// The fold, from 0.
        fold: usize,
        /// What is wrong with the fold.
        problem: String,
    },
    /// None of the caller's folds has training and test rows among those that candidates are compared on.
    NoFoldLeft {
        /// The number of rows.
        rows: usize,
    },
}

impl Explain for SplitError {
    fn message(&self) -> Message {
        match self {
            SplitError::TooFewRows { rows } => {
                message!("{rows} row cannot be divided for ", HOLDOUT, "; add rows")
            }
            SplitError::OneRowPerClass => message!("no class has a second row for ", HOLDOUT, "; add rows"),
            SplitError::TooFewGroups { groups, needed } => {
                message!("{groups} groups cannot be divided into {needed} parts; add groups or lower ", FOLDS)
            }
            SplitError::ScatteredGroup { row } => message!(
                "row {row} continues an earlier ",
                GROUP,
                " after rows of another one; ",
                SPLIT.with("blocked"),
                " and ",
                SPLIT.with("forward"),
                " take groups that follow each other: sort the rows by group, or set ",
                SPLIT.to("random")
            ),
            SplitError::Fold { fold, problem } => message!("fold {fold} {problem}; folds and rows count from 0"),
            SplitError::NoFoldLeft { rows } => message!(
                "no fold has training and test rows among the {rows} rows that a search compares on; give larger folds"
            ),
        }
    }
}

display_by_message!(SplitError);

/// Returns the first row of every group, or every row where there are no groups.
pub(crate) fn starts(data: &Dataset) -> Result<Vec<usize>, SplitError> {
    if data.groups.is_empty() {
        return Ok((0..data.rows()).collect());
    }
    let mut starts = vec![0];
    let mut seen = BTreeSet::from([data.groups[0]]);
    for row in (1..data.rows()).filter(|&row| data.groups[row] != data.groups[row - 1]) {
        if !seen.insert(data.groups[row]) {
            return Err(SplitError::ScatteredGroup { row: row + 1 });
        }
        starts.push(row);
    }
    Ok(starts)
}

/// Returns ascending starts, the closest ones to the `wanted` rows that leave every block between two of them, the
/// first and the last block at least one start.
pub(crate) fn cuts(starts: &[usize], wanted: &[usize]) -> Result<Vec<usize>, SplitError> {
    let blocks = wanted.len() + 1;
    if starts.len() < blocks {
        return Err(SplitError::TooFewGroups { groups: starts.len(), needed: blocks });
    }
    let mut last = 0;
    let cut = |(place, &row): (usize, &usize)| {
        let next = starts.partition_point(|&start| start < row).min(starts.len() - 1);
        let closer = next > 0 && row.saturating_sub(starts[next - 1]) < starts[next].abs_diff(row);
        last = (next - usize::from(closer)).clamp(last + 1, starts.len() - wanted.len() + place);
        starts[last]
    };
    Ok(wanted.iter().enumerate().map(cut).collect())
}

/// Returns the groups with their numbers of rows, in random order.
fn drawn(groups: &[usize], needed: usize, sampler: &mut Sampler) -> Result<Vec<(usize, usize)>, SplitError> {
    let mut rows = BTreeMap::new();
    groups.iter().for_each(|&group| *rows.entry(group).or_insert(0) += 1);
    if rows.len() < needed {
        return Err(SplitError::TooFewGroups { groups: rows.len(), needed });
    }
    let sizes: Vec<(usize, usize)> = rows.into_iter().collect();
    Ok(sampler.permutation(sizes.len()).into_iter().map(|place| sizes[place]).collect())
}

/// Returns the split whose test rows are those of some groups.
fn group_split(groups: &[usize], tested: impl Fn(usize) -> bool) -> Split {
    let (test, train) = (0..groups.len()).partition(|&row| tested(groups[row]));
    Split { train, test }
}

/// Draws groups at random whose rows are as close to a `share` of all rows as the groups allow.
pub(crate) fn group_holdout(groups: &[usize], share: f64, sampler: &mut Sampler) -> Result<Split, SplitError> {
    let mut drawn = drawn(groups, 2, sampler)?;
    let wanted = (groups.len() as f64 * share).round() as usize;
    let mut tested = BTreeSet::new();
    let mut rows = 0;
    for &(group, size) in &drawn {
        if (rows + size).abs_diff(wanted) < rows.abs_diff(wanted) && tested.len() + 1 < drawn.len() {
            tested.insert(group);
            rows += size;
        }
    }
    if tested.is_empty() {
        drawn.sort_by_key(|&(_, size)| size);
        tested.insert(drawn[0].0);
    }
    Ok(group_split(groups, |group| tested.contains(&group)))
}

/// Divides groups at random into `folds` parts. The largest groups are placed first, each in the part of the fewest
/// rows.
pub(crate) fn group_k_fold(groups: &[usize], folds: usize, sampler: &mut Sampler) -> Result<Vec<Split>, SplitError> {
    let mut drawn = drawn(groups, folds, sampler)?;
    drawn.sort_by_key(|&(_, size)| Reverse(size));
    let mut rows = vec![0; folds];
    let mut parts = BTreeMap::new();
    for (group, size) in drawn {
        let part = (0..folds).min_by_key(|&part| rows[part]).expect("there are folds");
        rows[part] += size;
        parts.insert(group, part);
    }
    Ok((0..folds).map(|fold| group_split(groups, |group| parts[&group] == fold)).collect())
}

/// Returns the folds with ascending rows after checking them for a data set of `rows` rows.
///
/// # Errors
/// [`SplitError::Fold`]: a part without rows, a row that there is not, or a row in both parts of a fold.
pub(crate) fn checked(folds: &[Split], rows: usize) -> Result<Vec<Split>, SplitError> {
    let wrong = |fold: usize, problem: String| Err(SplitError::Fold { fold, problem });
    let mut checked = Vec::with_capacity(folds.len());
    for (fold, split) in folds.iter().enumerate() {
        let mut parts = [split.train.clone(), split.test.clone()];
        let mut taken = vec![false; rows];
        for (rows_of_part, name) in parts.iter_mut().zip(["training", "test"]) {
            rows_of_part.sort_unstable();
            rows_of_part.dedup();
            match rows_of_part.last() {
                None => return wrong(fold, format!("has no {name} rows")),
                Some(last) if *last >= rows => {
                    return wrong(
                        fold,
                        format!("has row {last} among its {name} rows, but the last row is {}", rows - 1),
                    );
                }
                Some(_) => {}
            }
            if let Some(row) = rows_of_part.iter().find(|&&row| taken[row]) {
                return wrong(fold, format!("has row {row} among its training rows and among its test rows"));
            }
            rows_of_part.iter().for_each(|&row| taken[row] = true);
        }
        let [train, test] = parts;
        checked.push(Split { train, test });
    }
    Ok(checked)
}

/// Returns the folds of the `chosen` rows, which are numbered anew in this order. Folds that lose all their training or
/// test rows are left out.
///
/// # Errors
/// [`SplitError::NoFoldLeft`].
pub(crate) fn selected(folds: &[Split], chosen: &[usize]) -> Result<Vec<Split>, SplitError> {
    let rows = chosen.iter().max().map_or(0, |&last| last + 1);
    let mut places = vec![None; rows];
    chosen.iter().enumerate().for_each(|(place, &row)| places[row] = Some(place));
    let part = |rows: &[usize]| rows.iter().filter_map(|&row| *places.get(row)?).collect();
    let selected: Vec<Split> = folds
        .iter()
        .map(|fold| Split { train: part(&fold.train), test: part(&fold.test) })
        .filter(|fold| !fold.train.is_empty() && !fold.test.is_empty())
        .collect();
    if selected.is_empty() { Err(SplitError::NoFoldLeft { rows: chosen.len() }) } else { Ok(selected) }
}

/// Returns whether every fold tests rows after all its training rows.
pub(crate) fn is_forward(folds: &[Split]) -> bool {
    folds.iter().all(|fold| fold.train.iter().max() < fold.test.iter().min())
}

/// How rows are divided into folds, and into rows to fit and rows held out. All rows of a group are on one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Splitter {
    /// Rows, or groups of rows, drawn at random. Without groups, rows of every class are divided evenly.
    #[default]
    Random,
    /// Blocks of successive rows. Every fold tests one block. The last rows are held out.
    Blocked,
    /// Blocks of successive rows in the order of time (rolling origin). Every fold tests a block after a fit to all
    /// rows before the block. The last rows are held out.
    Forward,
}

impl Dataset {
    /// Divides the rows at random into rows to fit and rows held out, about a `share` of them between 0 and 1. Rows of
    /// a group stay together, and every class gives its share. The same seed draws the same rows.
    ///
    /// ```
    /// use srfm_trainer::data::Task;
    ///
    /// let (train, test) = Task::Pressure.generate(200, 0.5, 1).split(0.25, 1).unwrap();
    /// assert_eq!((train.rows(), test.rows()), (150, 50));
    /// ```
    ///
    /// # Errors
    /// [`SplitError`]: too few rows, groups, or rows of a class.
    pub fn split(&self, share: f64, seed: u64) -> Result<(Dataset, Dataset), SplitError> {
        let split = Splitter::Random.holdout(self, share.clamp(0.0, 1.0), &mut Sampler::new(seed))?;
        Ok((self.select(&split.train), self.select(&split.test)))
    }
}

impl Splitter {
    /// The names of the splitters.
    pub const NAMES: [&str; 3] = ["random", "blocked", "forward"];

    /// Returns the splitter of a name.
    pub fn named(name: &str) -> Option<Splitter> {
        [Splitter::Random, Splitter::Blocked, Splitter::Forward].into_iter().find(|splitter| splitter.name() == name)
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Splitter::NAMES[self as usize]
    }

    /// Holds out about a `share` of the rows, between 0 and 1.
    ///
    /// # Errors
    /// [`SplitError`]: too few rows or groups, or groups in an order that the splitter cannot keep.
    pub fn holdout(self, data: &Dataset, share: f64, sampler: &mut Sampler) -> Result<Split, SplitError> {
        let rows = data.rows();
        if rows < 2 {
            return Err(SplitError::TooFewRows { rows });
        }
        if self != Splitter::Random {
            let first = rows - (rows as f64 * share).round() as usize;
            let cut = cuts(&starts(data)?, &[first])?[0];
            return Ok(Split { train: (0..cut).collect(), test: (cut..rows).collect() });
        }
        if !data.groups.is_empty() {
            return group_holdout(&data.groups, share, sampler);
        }
        let Some(members) = data.members() else { return Ok(holdout(rows, share, sampler)) };
        let split = stratified_holdout(&members, share, sampler);
        if split.test.is_empty() { Err(SplitError::OneRowPerClass) } else { Ok(split) }
    }

    /// Divides the rows into `folds` folds, at least two, whose test rows are about as many.
    ///
    /// # Errors
    /// [`SplitError`]: too few groups or blocks, or groups in an order that the splitter cannot keep.
    pub fn folds(self, data: &Dataset, folds: usize, sampler: &mut Sampler) -> Result<Vec<Split>, SplitError> {
        let rows = data.rows();
        if self == Splitter::Random {
            return match data.members() {
                _ if !data.groups.is_empty() => group_k_fold(&data.groups, folds, sampler),
                Some(members) => Ok(stratified_k_fold(&members, folds, sampler)),
                None => Ok(k_fold(rows, folds, sampler)),
            };
        }
        // The first block of a rolling origin is trained on alone.
        let blocks = if self == Splitter::Forward { folds + 1 } else { folds };
        let wanted: Vec<usize> = (1..blocks).map(|block| block * rows / blocks).collect();
        let mut bounds = cuts(&starts(data)?, &wanted)?;
        bounds.push(rows);
        if self == Splitter::Blocked {
            bounds.insert(0, 0);
        }
        let fold = |bounds: &[usize]| {
            let later = if self == Splitter::Forward { rows } else { bounds[1] };
            Split { train: (0..bounds[0]).chain(later..rows).collect(), test: (bounds[0]..bounds[1]).collect() }
        };
        Ok(bounds.windows(2).map(fold).collect())
    }
}

/// Draws test rows for a choice within a fit: whole groups where there are two or more, else as [`holdout`].
pub(crate) fn inner_holdout(data: &Dataset, fraction: f64, sampler: &mut Sampler) -> Split {
    group_holdout(&data.groups, fraction, sampler).unwrap_or_else(|_| holdout(data.rows(), fraction, sampler))
}

/// Divides rows for a choice within a fit: by groups where there is one for each fold, else as [`k_fold`].
pub(crate) fn inner_folds(data: &Dataset, folds: usize, sampler: &mut Sampler) -> Vec<Split> {
    group_k_fold(&data.groups, folds, sampler).unwrap_or_else(|_| k_fold(data.rows(), folds, sampler))
}
