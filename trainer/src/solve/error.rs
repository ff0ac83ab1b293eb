//! The errors of solvers.

/// Why a solver gives no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The matrix or the targets hold values that are not finite, or the factorisation does not converge.
    #[error("the linear system cannot be solved: the feature matrix holds values that are not finite")]
    NotFinite,
}
