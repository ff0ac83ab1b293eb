//! The rows of a search.

use crate::data::{Dataset, is_constant};
use crate::fit::Conditions;
use crate::sampling::Sampler;
use crate::search::policy::TESTED_ROWS;
use crate::search::work::Fitted;
use crate::validate::cross_validation::Folds;

/// Draws rows that candidates are compared on, in their order. A target that would have one value in all of them, such
/// as a rare class, gets `rare` rows where it has another one.
pub(crate) fn drawn_rows(data: &Dataset, most: usize, rare: usize, mut sampler: Sampler) -> Vec<usize> {
    let drawn = sampler.choose(data.rows(), most);
    let mut rows = Vec::new();
    for target in data.y.column_iter() {
        let known: Vec<f64> = drawn.iter().map(|&row| target[row]).collect();
        if is_constant(&known) {
            let others: Vec<usize> = (0..data.rows()).filter(|&row| target[row] != known[0]).collect();
            rows.extend(sampler.choose(others.len(), rare).into_iter().map(|place| others[place]));
        }
    }
    let kept = sampler.choose(drawn.len(), most.saturating_sub(rows.len()));
    rows.extend(kept.into_iter().map(|place| drawn[place]));
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The rows that candidates are compared on, and all rows.
#[derive(Clone, Copy)]
pub(crate) struct Sample<'a> {
    pub compared: &'a Dataset,
    pub all: &'a Dataset,
}

impl<'a> Sample<'a> {
    /// Returns the number of varying inputs without some.
    pub fn inputs(&self, without: &[usize]) -> usize {
        self.compared.varying_inputs().iter().filter(|input| !without.contains(input)).count()
    }

    /// Returns what fits without some inputs are fitted to.
    pub fn fitted(&self, without: &[usize]) -> Fitted {
        let scores = if self.compared.classes.is_empty() { 0 } else { self.compared.outputs() };
        Fitted { rows: self.compared.rows(), inputs: self.inputs(without), scores }
    }

    /// Returns the inputs that vary over all rows, but not over the compared rows: nothing is known of them.
    pub fn unseen_inputs(&self) -> Vec<usize> {
        let seen = self.compared.varying_inputs();
        self.all.varying_inputs().into_iter().filter(|input| !seen.contains(input)).collect()
    }

    /// Returns the folds of the compared rows. Where many rows are divided at random, only so many folds are
    /// fitted that they test enough rows.
    pub fn folds(&self, config: &Conditions) -> Folds {
        let (folds, rows) = (config.folds(), self.compared.rows());
        // One fold has no spread.
        let enough = (TESTED_ROWS * folds.count).div_ceil(rows.max(1)).max(2);
        let draws = folds.draws() && self.compared.groups.is_empty();
        Folds { fitted: if draws { folds.fitted.min(enough) } else { folds.fitted }, ..folds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Splitter, Task};

    #[test]
    fn a_rare_value_is_among_the_drawn_rows() {
        let mut data = Task::Friedman1.generate(10_000, 0.0, 1);
        data.y.fill(0.0);
        data.y.iter_mut().step_by(2500).for_each(|y| *y = 1.0);
        for seed in 0..20 {
            let rows = drawn_rows(&data, 2000, 5, Sampler::new(seed));
            assert!(rows.iter().any(|&row| data.y[row] == 1.0) && rows.is_sorted(), "{seed}");
            assert!((1990..=2000).contains(&rows.len()), "{}", rows.len());
        }
        assert_eq!(drawn_rows(&data, 20_000, 5, Sampler::new(1)), (0..10_000).collect::<Vec<_>>());
        // Rows of targets that vary are those of a plain draw.
        let usual = Task::Friedman1.generate(3000, 0.0, 1);
        assert_eq!(drawn_rows(&usual, 2000, 5, Sampler::new(3)), Sampler::new(3).choose(3000, 2000));
    }

    #[test]
    fn of_many_rows_fewer_folds_are_fitted() {
        let fitted = |rows: usize, split: Splitter, groups: bool| {
            let mut data = Task::Friedman1.generate(rows, 0.0, 1);
            if groups {
                data.groups = (0..rows).map(|row| row % 50).collect();
            }
            let config = Conditions { split, ..Conditions::default() };
            let folds = Sample { compared: &data, all: &data }.folds(&config);
            let (some, all) = (folds.splits(&data, 3).unwrap(), config.folds().splits(&data, 3).unwrap());
            assert_eq!(some, all[all.len() - folds.fitted..]);
            folds.fitted
        };
        // 1000 rows and more are tested: 3 of 5 folds of 1800 rows test 1080.
        let of_random = [500, 1000, 1250, 1800, 2500, 50_000].map(|rows| fitted(rows, Splitter::Random, false));
        assert_eq!(of_random, [5, 5, 4, 3, 2, 2]);
        // Later rows and other groups may differ from the ones that are tested.
        assert_eq!([Splitter::Blocked, Splitter::Forward].map(|split| fitted(5000, split, false)), [5, 5]);
        assert_eq!(fitted(5000, Splitter::Random, true), 5);
    }
}
