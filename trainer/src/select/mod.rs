//! Choosing settings without looking at the test rows.

pub mod budget;
pub mod compare;
pub mod conformal;
pub mod cross_validation;
pub mod search;
