//! Blocks of successive rows that keep groups together.

use std::collections::BTreeSet;

use crate::data::Dataset;
use crate::data::split::SplitError;

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
