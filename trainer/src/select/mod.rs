//! Choosing settings without looking at the test rows.

pub mod budget;
pub mod cross_validation;
