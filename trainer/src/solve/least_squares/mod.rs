//! Least squares with and without a ridge penalty.

pub mod min_norm;
pub mod normal_equations;
pub mod ridge;
pub mod unpenalised;
pub mod validated_ridge;
