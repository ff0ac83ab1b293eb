//! Choosing settings without looking at the test rows.

pub mod budget;
mod candidate;
pub mod compare;
pub mod conformal;
pub mod cross_validation;
pub mod search;

pub use candidate::Candidate;
