//! Errors of solvers.

use crate::message::message_by_display;

/// The reason why a solver has no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The matrix or the targets have values that are not finite, or a factorisation does not converge.
    #[error("the linear system cannot be solved: the feature matrix has values that are not finite")]
    NotFinite,
}

message_by_display!(SolveError);
