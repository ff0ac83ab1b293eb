//! What a strategy asks of the models that it compares.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::FitError;
use crate::run::Run;
use crate::search::candidate::Candidate;
use crate::search::trials::{Query, Trial, Trials};

/// Answers the questions of a strategy.
pub(crate) trait Evaluate {
    /// Answers queries that do not depend on each other at the same time, where there are workers that do it. Forgets
    /// earlier answers.
    fn prepare(&self, _: &[Query], _: &Trials, _: &Run<'_>) {}

    /// Returns the trials of a prepared answer; none where there is no answer.
    fn prepared(&self, _: &Query) -> Option<Vec<Trial>> {
        None
    }

    /// Returns the trials of a query.
    ///
    /// # Errors
    /// [`FitError`]: the candidate cannot be fitted or exceeds the budget, or the run is over.
    fn evaluate(&self, query: &Query, trials: &Trials, run: &Run<'_>) -> Result<Vec<Trial>, FitError>;

    /// Returns the inputs of a candidate's model and their importance, ascending; none if there is no model.
    ///
    /// # Errors
    /// [`FitError::Interrupted`].
    fn importance(&self, candidate: &Candidate, run: &Run<'_>) -> Result<Option<Vec<(usize, f64)>>, FitError>;

    /// Returns the number of fits that cross-validate a candidate.
    fn fits(&self) -> usize;

    /// Returns the largest number of features of a candidate that keeps the budget whatever the fit gives.
    ///
    /// # Errors
    /// [`FitError`]: not even one feature keeps the budget.
    fn features_within_budget(&self, candidate: &Candidate) -> Result<usize, FitError>;
}

/// An answer to a query: its trials, or the reason why there are none.
type Answer = (Query, Result<Vec<Trial>, FitError>);

/// The answers to queries that workers have prepared.
#[derive(Default)]
pub(crate) struct Prepared(Mutex<Vec<Answer>>);

impl Prepared {
    /// Replaces the answers.
    pub fn replace(&self, answers: Vec<Answer>) {
        *self.answers() = answers;
    }

    /// Returns the trials of the answer to a query, if there is one.
    pub fn find(&self, query: &Query) -> Option<Vec<Trial>> {
        let answers = self.answers();
        let (_, answer) = answers.iter().find(|(known, _)| known == query)?;
        Some(answer.as_ref().map_or_else(|_| Vec::new(), Clone::clone))
    }

    /// Returns the answer to a query, if there is one, and removes it.
    pub fn take(&self, query: &Query) -> Option<Result<Vec<Trial>, FitError>> {
        let mut answers = self.answers();
        let place = answers.iter().position(|(known, _)| known == query)?;
        Some(answers.swap_remove(place).1)
    }

    fn answers(&self) -> MutexGuard<'_, Vec<Answer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
