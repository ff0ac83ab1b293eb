//! The comparison of the finalists on folds that did not choose them.
//!
//! The least of hundreds of cross-validated errors is too good: chance is a part of what made it the least. So the best
//! candidates of several kinds are cross-validated once more, on other divisions of the rows and with other random
//! numbers. The new errors choose among the few, and they are the errors and intervals that the search states.

use crate::error::FitError;
use crate::run::Run;
use crate::search::evaluator::Evaluator;
use crate::search::trials::Trial;
use crate::validate::{Score, ranked};

/// The number of finalists that are taken for their error alone.
const BEST: usize = 4;

/// The number of test rows, over all divisions, that is enough; and the largest number of divisions.
const ENOUGH_ROWS: usize = 2000;
const MOST_DIVISIONS: usize = 5;

/// The finals of a search.
pub(crate) struct Finals<'a> {
    pub evaluator: &'a Evaluator<'a>,
    /// The number of rows that candidates are compared on.
    pub rows: usize,
    /// Whether the order of the finalists stays as it is.
    pub keeps_order: bool,
}

impl Finals<'_> {
    /// Returns the candidates in a new order, best first. Those without a new score, for want of time, come last.
    ///
    /// # Errors
    /// [`FitError::Interrupted`] if the observer asks to stop.
    pub fn held(&self, candidates: Vec<Trial>, limited: &Run<'_>, whole: &Run<'_>) -> Result<Vec<Trial>, FitError> {
        let divisions = (ENOUGH_ROWS / self.rows.max(1)).clamp(1, MOST_DIVISIONS);
        let mut again: Vec<Trial> = Vec::new();
        for place in self.entrants(&candidates) {
            match self.evaluator.again(&candidates[place], divisions as u64, limited) {
                Ok(trial) => again.push(trial),
                Err(FitError::Interrupted) if whole.interrupted() => return Err(FitError::Interrupted),
                Err(FitError::Interrupted) => break,
                Err(_) => {}
            }
        }
        let scores: Vec<Score> = again.iter().map(|trial| trial.score).collect();
        let order = if self.keeps_order { (0..again.len()).collect() } else { ranked(&scores, self.rows) };
        let known = |trial: &Trial| again.iter().any(|other| other.candidate == trial.candidate);
        let others = candidates.iter().filter(|trial| !known(trial)).cloned();
        Ok(order.into_iter().map(|place| again[place].clone()).chain(others).collect())
    }

    /// Returns the places of the finalists among `candidates`, which are ranked: the best, the best without features,
    /// the best with few, and the smallest whose error differs from the best by a standard error at most.
    fn entrants(&self, candidates: &[Trial]) -> Vec<usize> {
        let Some(best) = candidates.first() else { return Vec::new() };
        let bound = best.score.loss() + best.score.allowance(self.rows);
        let within = (0..candidates.len()).filter(|&place| candidates[place].score.loss() <= bound);
        let first = |wanted: &dyn Fn(&Trial) -> bool| candidates.iter().position(wanted);
        let mut entrants: Vec<usize> = (0..candidates.len().min(BEST)).collect();
        entrants.extend(first(&|trial| trial.candidate.features() == 0));
        entrants.extend(first(&|trial| trial.candidate.is_small()));
        entrants.extend(within.min_by_key(|&place| candidates[place].flash_bytes));
        entrants.sort_unstable();
        entrants.dedup();
        entrants
    }
}
