//! Divides rows into training and test rows.

use crate::sampling::Sampler;

/// Training and test rows, each in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The training rows.
    pub train: Vec<usize>,
    /// The test rows.
    pub test: Vec<usize>,
}

/// Draws a random `fraction` of `rows` rows as test rows. Both parts have at least one row if there are two rows.
pub fn holdout(rows: usize, fraction: f64, sampler: &mut Sampler) -> Split {
    let test = ((rows as f64 * fraction).round() as usize).clamp(1.min(rows), rows.saturating_sub(1).max(1));
    let order = sampler.permutation(rows);
    split(&order, |position| position < test)
}

/// Divides `rows` rows at random into `folds` parts whose sizes differ by at most one.
///
/// Each part is the test part of one split.
pub fn k_fold(rows: usize, folds: usize, sampler: &mut Sampler) -> Vec<Split> {
    let order = sampler.permutation(rows);
    (0..folds).map(|fold| split(&order, |position| position % folds == fold)).collect()
}

/// Draws about a `fraction` of the rows of every class as test rows; `members` are the classes of the rows.
///
/// At least one row of every class is a training row. At least one row is a test row if a class has two rows.
pub fn stratified_holdout(members: &[usize], fraction: f64, sampler: &mut Sampler) -> Split {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_tested_exactly_once() {
        let folds = k_fold(103, 5, &mut Sampler::new(7));
        let mut tested: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..103).collect::<Vec<_>>());
        for Split { train, test } in folds {
            assert!((20..=21).contains(&test.len()));
            assert_eq!(train.len() + test.len(), 103);
            assert!(test.iter().all(|row| !train.contains(row)));
        }
    }

    #[test]
    fn a_holdout_has_the_given_share_and_both_parts_have_rows() {
        assert_eq!(holdout(1503, 0.25, &mut Sampler::new(1)).test.len(), 376);
        assert_eq!(holdout(2, 0.01, &mut Sampler::new(1)).test.len(), 1);
        assert_eq!(holdout(2, 0.99, &mut Sampler::new(1)).test.len(), 1);
        assert_ne!(holdout(100, 0.5, &mut Sampler::new(1)), holdout(100, 0.5, &mut Sampler::new(2)));
    }

    /// Returns the number of rows of each class in a part.
    fn counts(rows: &[usize], members: &[usize]) -> Vec<usize> {
        let count = |class| rows.iter().filter(|&&row| members[row] == class).count();
        (0..=*members.iter().max().unwrap()).map(count).collect()
    }

    #[test]
    fn stratified_folds_have_their_share_of_every_class() {
        let members: Vec<usize> = (0..103).map(|row| usize::from(row % 9 == 0) + usize::from(row == 50)).collect();
        for seed in 0..5 {
            let folds = stratified_k_fold(&members, 5, &mut Sampler::new(seed));
            let mut tested: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
            tested.sort_unstable();
            assert_eq!(tested, (0..103).collect::<Vec<_>>());
            for Split { train, test } in folds {
                assert_eq!(train.len() + test.len(), 103);
                let counts = counts(&test, &members);
                let shares = [18..=19, 2..=3, 0..=1];
                assert!(shares.iter().zip(&counts).all(|(share, count)| share.contains(count)), "{counts:?}");
            }
        }
    }

    #[test]
    fn a_stratified_holdout_trains_on_every_class() {
        // 60 rows of one class, 30 of another, 9 of a third, one of a fourth.
        let members: Vec<usize> =
            (0..100).map(|row| usize::from(row >= 60) + usize::from(row >= 90) + usize::from(row == 99)).collect();
        for seed in 0..5 {
            let Split { train, test } = stratified_holdout(&members, 0.25, &mut Sampler::new(seed));
            assert_eq!((train.len(), test.len()), (75, 25));
            let counts = counts(&test, &members);
            assert!((15..=16).contains(&counts[0]) && (7..=8).contains(&counts[1]) && (2..=3).contains(&counts[2]));
            assert_eq!(counts.get(3).copied().unwrap_or(0), 0);
            assert!(test.iter().all(|row| !train.contains(row)));
        }
        let all = stratified_holdout(&members, 0.999, &mut Sampler::new(1));
        assert_eq!(counts(&all.train, &members), [1, 1, 1, 1]);
        assert_eq!(stratified_holdout(&members, 1e-9, &mut Sampler::new(1)).test.len(), 1);
        assert!(stratified_holdout(&[0, 1, 2], 0.5, &mut Sampler::new(1)).test.is_empty());
    }
}
