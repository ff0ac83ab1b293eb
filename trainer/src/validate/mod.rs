//! Errors on rows that a model has not seen: metrics, cross-validation, conformal intervals.

pub mod conformal;
pub(crate) mod cross_validation;
pub mod metrics;
mod score;

pub use score::Score;
pub(crate) use score::{Validated, ranked};
