//! The errors of fits and searches.

use crate::cost::BudgetError;
use crate::data::{DataError, SplitError};
use crate::export::ExportError;
use crate::method::MethodError;
use crate::solve::SolveError;
use crate::warp::WarpError;

/// The reason why a fit or a search gives no model.
///
/// Messages put names of settings in backticks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The rows cannot be read. The message is that of [`DataError`].
    #[error("{0}")]
    Data(String),
    /// The method fails.
    #[error(transparent)]
    Method(MethodError),
    /// The rows cannot be divided into folds.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// Warps and inputs do not match.
    #[error(transparent)]
    Warp(#[from] WarpError),
    /// The model cannot be exported.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Not even the smallest model keeps the budget.
    #[error("{}", .0.smallest_message())]
    Budget(BudgetError),
    /// Cross-validation leaves too few rows to fit.
    #[error(
        "{rows} rows in {folds} folds leave {left} to fit, too few for {purpose}, which takes at least {needed}; add \
         rows, \
         or set `lambda` and `order`, which need no cross-validation"
    )]
    TooFewRowsInFold {
        /// The number of rows.
        rows: usize,
        /// The number of folds.
        folds: usize,
        /// The number of rows left to fit.
        left: usize,
        /// The number of rows needed.
        needed: usize,
        /// The purpose that needs them.
        purpose: &'static str,
    },
    /// A target has one value in all rows.
    #[error("the target {name:?} has the same value in every row; there is nothing to fit")]
    ConstantTarget {
        /// Name of the target.
        name: String,
    },
    /// No setting that was tried gives a model that the device can hold.
    #[error(
        "none of the {tried} settings tried gives a model that the device can hold in every fold; raise `lambda` or \
         `max_error`, \
         lower `features`, rescale the target, or try another `number`"
    )]
    NoCandidate {
        /// The number of settings.
        tried: usize,
    },
    /// The time of a search was over before it found a model.
    #[error("the time of the search was over before there was a model; raise `time`")]
    NoTime,
}

impl From<DataError> for FitError {
    fn from(error: DataError) -> Self {
        FitError::Data(error.to_string())
    }
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
