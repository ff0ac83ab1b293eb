//! Dividing rows into parts for fitting and for testing.

use crate::sampling::Sampler;

/// Row numbers for fitting and for testing, each in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Rows to fit.
    pub train: Vec<usize>,
    /// Rows to test on.
    pub test: Vec<usize>,
}

/// Sets a random `fraction` of `rows` rows apart for testing: at least one row on each side where there are two.
pub fn holdout(rows: usize, fraction: f64, sampler: &mut Sampler) -> Split {
    let test = ((rows as f64 * fraction).round() as usize).clamp(1.min(rows), rows.saturating_sub(1).max(1));
    let order = sampler.permutation(rows);
    split(&order, |position| position < test)
}

/// Divides `rows` rows at random into `folds` parts whose sizes differ by at most one; each is the test part once.
pub fn k_fold(rows: usize, folds: usize, sampler: &mut Sampler) -> Vec<Split> {
    let order = sampler.permutation(rows);
    (0..folds).map(|fold| split(&order, |position| position % folds == fold)).collect()
}

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
    fn holdout_has_the_asked_share_and_both_sides_have_rows() {
        assert_eq!(holdout(1503, 0.25, &mut Sampler::new(1)).test.len(), 376);
        assert_eq!(holdout(2, 0.01, &mut Sampler::new(1)).test.len(), 1);
        assert_eq!(holdout(2, 0.99, &mut Sampler::new(1)).test.len(), 1);
        assert_ne!(holdout(100, 0.5, &mut Sampler::new(1)), holdout(100, 0.5, &mut Sampler::new(2)));
    }
}
