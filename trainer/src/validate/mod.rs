//! Errors on rows that a model has not seen: metrics, cross-validation, conformal intervals.

mod conformal;
pub(crate) mod cross_validation;
pub(crate) mod metrics;
mod paired;
mod part;
pub(crate) mod remote;
mod residuals;
pub(crate) mod score;

pub use conformal::coverage;
pub use metrics::Metrics;
pub(crate) use paired::is_better;
pub use score::Score;
pub(crate) use score::{Validated, ranked};
