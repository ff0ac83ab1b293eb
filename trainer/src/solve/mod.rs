//! Solvers: matrices in, coefficients out. None of them knows a dataset.

pub mod active_set;
pub mod basis;
pub mod basis_pursuit;
pub mod elimination;
pub mod fista;
pub mod folded_rows;
pub mod forward_selection;
pub mod greedy;
pub mod hard_thresholding;
mod homotopy;
pub mod input_scales;
pub mod lbfgs;
pub mod metropolis;
pub mod min_norm;
pub mod neighbours;
pub mod normal_equations;
pub mod pruning;
mod qr;
pub mod ridge;
pub mod scale_search;
pub mod simplex;
pub mod spectral_gradient;
pub mod spectral_mixture;
mod spread;
pub mod unpenalised;
pub mod validated_ridge;

/// What a solver cannot do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The matrix or the targets hold values that are not finite, or the factorisation does not converge.
    #[error("the linear system cannot be solved: the feature matrix holds values that are not finite")]
    NotFinite,
}
