//! Solvers, grouped by kind of problem. They take matrices and know nothing of data sets.

mod error;
pub mod least_squares;
pub mod optimise;
pub mod sparse;

pub use error::SolveError;
