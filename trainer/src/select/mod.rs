//! Choosing settings without looking at the test rows.

pub mod cross_validation;
