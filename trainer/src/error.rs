//! What a fit and a search fail on.

use crate::cost::BudgetError;
use crate::export::ExportError;
use crate::method::MethodError;
use crate::solve::SolveError;
use crate::warp::WarpError;

/// Why a fit or a search gives no model.
///
/// Messages put names of settings in backticks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The method fails.
    #[error(transparent)]
    Method(MethodError),
    /// A warp does not suit its input.
    #[error(transparent)]
    Warp(#[from] WarpError),
    /// The model cannot go to the device.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Not even the smallest model keeps the budget.
    #[error("not even one feature keeps the budget: {0}")]
    Budget(BudgetError),
    /// The rows that cross-validation leaves to fit are not enough.
    #[error(
        "{rows} rows in {folds} folds leave {left} to fit, too few for {purpose}, which takes at least {needed}; add rows, \
         or set `lambda` and `order`, which need no cross-validation"
    )]
    TooFewRowsInFold {
        /// Rows there are.
        rows: usize,
        /// Folds that they are divided into.
        folds: usize,
        /// Rows left to fit.
        left: usize,
        /// Rows that are needed.
        needed: usize,
        /// What they are needed for.
        purpose: &'static str,
    },
    /// A target has one value in all rows.
    #[error("the target {name:?} has the same value in every row; there is nothing to fit")]
    ConstantTarget {
        /// Name of the target.
        name: String,
    },
    /// No setting that was tried gives a model for the device.
    #[error(
        "none of the {tried} settings tried gives a model that the device can hold in every fold; raise `lambda` or `max_error`, \
         lower `features`, rescale the target, or try another `number`"
    )]
    NoCandidate {
        /// How many there were.
        tried: usize,
    },
    /// A search found no model in its time.
    #[error("the time of the search was over before there was a model; raise `time`")]
    NoTime,
}

impl From<MethodError> for FitError {
    fn from(error: MethodError) -> Self {
        if error == MethodError::Interrupted { FitError::Interrupted } else { FitError::Method(error) }
    }
}

impl From<SolveError> for FitError {
    fn from(error: SolveError) -> Self {
        FitError::Method(error.into())
    }
}
