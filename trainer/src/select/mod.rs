//! Choosing settings without looking at the test rows.

pub mod conformal;
pub mod cross_validation;
