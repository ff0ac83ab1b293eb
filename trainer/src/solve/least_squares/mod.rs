//! Least squares with and without a ridge penalty.

pub mod min_norm;
pub mod normal_equations;
pub mod ridge;
