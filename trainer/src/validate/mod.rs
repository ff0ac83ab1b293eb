//! Errors on rows that a model has not seen: metrics, cross-validation, conformal intervals.

pub(crate) mod certainty;
mod conformal;
pub(crate) mod cross_validation;
pub(crate) mod fold;
pub(crate) mod metric;
pub(crate) mod score;

pub use conformal::coverage;
pub use metric::{ClassLoss, Metric};
pub use score::{Metrics, Score};
pub(crate) use score::{Validated, is_better, ranked};
