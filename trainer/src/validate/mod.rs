//! Errors that a model will have on rows that it has not seen: metrics, cross-validation, conformal intervals.

pub mod conformal;
pub mod cross_validation;
pub mod metrics;
