//! Divisions of rows for a choice within a fit.

use crate::data::Dataset;
use crate::data::split::groups::{group_holdout, group_k_fold};
use crate::data::split::{Split, holdout, k_fold};
use crate::sampling::Sampler;

/// Draws test rows for a choice within a fit: whole groups where there are two or more, else as [`holdout`].
pub(crate) fn inner_holdout(data: &Dataset, fraction: f64, sampler: &mut Sampler) -> Split {
    group_holdout(&data.groups, fraction, sampler).unwrap_or_else(|_| holdout(data.rows(), fraction, sampler))
}

/// Divides rows for a choice within a fit: by groups where there is one for each fold, else as [`k_fold`].
pub(crate) fn inner_folds(data: &Dataset, folds: usize, sampler: &mut Sampler) -> Vec<Split> {
    group_k_fold(&data.groups, folds, sampler).unwrap_or_else(|_| k_fold(data.rows(), folds, sampler))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Task;

    #[test]
    fn groups_stay_together_where_there_are_enough() {
        let mut data = Task::Friedman1.generate(60, 0.0, 1);
        assert_eq!(inner_folds(&data, 5, &mut Sampler::new(1)), k_fold(60, 5, &mut Sampler::new(1)));
        data.groups = (0..60).map(|row| row / 10).collect();
        let group = |rows: &[usize]| rows.iter().map(|row| row / 10).collect::<std::collections::BTreeSet<_>>();
        let splits = inner_folds(&data, 5, &mut Sampler::new(1));
        let held_out = inner_holdout(&data, 0.1, &mut Sampler::new(1));
        assert!(splits.iter().chain([&held_out]).all(|split| group(&split.train).is_disjoint(&group(&split.test))));
        // Six groups are too few for seven folds.
        assert_eq!(inner_folds(&data, 7, &mut Sampler::new(1)), k_fold(60, 7, &mut Sampler::new(1)));
    }
}
