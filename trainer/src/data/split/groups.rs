//! Random splits that keep groups together.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::data::split::{Split, SplitError};
use crate::sampling::Sampler;

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
fn split(groups: &[usize], tested: impl Fn(usize) -> bool) -> Split {
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
    Ok(split(groups, |group| tested.contains(&group)))
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
    Ok((0..folds).map(|fold| split(groups, |group| parts[&group] == fold)).collect())
}
