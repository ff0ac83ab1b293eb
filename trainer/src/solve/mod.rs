//! Solvers by kind of problem: matrices in, coefficients out. None of them knows a dataset.

mod error;
pub mod least_squares;
pub mod optimise;
pub mod sparse;

pub use error::SolveError;
