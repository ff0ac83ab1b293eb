//! What a strategy asks of the models that it compares.

use crate::error::FitError;
use crate::run::Run;
use crate::search::candidate::Candidate;
use crate::search::trials::{Query, Trial, Trials};

/// Answers the questions of a strategy.
pub(crate) trait Evaluate {
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
