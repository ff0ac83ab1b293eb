//! The errors of fits and searches.

use crate::cost::BudgetError;
use crate::data::{DataError, SplitError};
use crate::export::ExportError;
use crate::message::setting::{FEATURES, LAMBDA, MAX_ERROR, NUMBER, ORDER, TIME};
use crate::message::{Explain, Message, display_by_message, message};
use crate::method::MethodError;
use crate::solve::SolveError;
use crate::warp::WarpError;

/// The reason why a fit or a search gives no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The observer asked to stop.
    Interrupted,
    /// The rows cannot be read. The message is that of [`DataError`].
    Data(Message),
    /// The method fails.
    Method(MethodError),
    /// The rows cannot be divided into folds.
    Split(SplitError),
    /// Warps and inputs do not match.
    Warp(WarpError),
    /// The model cannot be exported.
    Export(ExportError),
    /// Not even the smallest model keeps the budget.
    Budget(BudgetError),
    /// Cross-validation leaves too few rows to fit.
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
    ConstantTarget {
        /// Name of the target.
        name: String,
    },
    /// No setting that was tried gives a model that the device can hold.
    NoCandidate {
        /// The number of settings.
        tried: usize,
    },
    /// The time of a search was over before it found a model.
    NoTime,
}

impl Explain for FitError {
    fn message(&self) -> Message {
        match self {
            FitError::Interrupted => "interrupted".into(),
            FitError::Data(message) => message.clone(),
            FitError::Method(error) => error.message(),
            FitError::Split(error) => error.message(),
            FitError::Warp(error) => error.message(),
            FitError::Export(error) => error.message(),
            FitError::Budget(error) => error.smallest_message(),
            FitError::TooFewRowsInFold { rows, folds, left, needed, purpose } => message!(
                "{rows} rows in {folds} folds leave {left} to fit, too few for {purpose}, which takes at least \
                 {needed}; add rows, or set ",
                LAMBDA,
                " and ",
                ORDER,
                ", which need no cross-validation"
            ),
            FitError::ConstantTarget { name } => {
                message!("the target {name:?} has the same value in every row; there is nothing to fit")
            }
            FitError::NoCandidate { tried } => message!(
                "none of the {tried} settings tried gives a model that the device can hold in every fold; raise ",
                LAMBDA
            )
            .and_further(message!(" or ", MAX_ERROR))
            .and(message!(", lower ", FEATURES, ", rescale the target, or try another ", NUMBER)),
            FitError::NoTime => message!("the time of the search was over before there was a model; raise ", TIME),
        }
    }
}

display_by_message!(FitError);

impl From<DataError> for FitError {
    fn from(error: DataError) -> Self {
        FitError::Data(error.message())
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

impl From<SplitError> for FitError {
    fn from(error: SplitError) -> Self {
        FitError::Split(error)
    }
}

impl From<WarpError> for FitError {
    fn from(error: WarpError) -> Self {
        FitError::Warp(error)
    }
}

impl From<ExportError> for FitError {
    fn from(error: ExportError) -> Self {
        FitError::Export(error)
    }
}
