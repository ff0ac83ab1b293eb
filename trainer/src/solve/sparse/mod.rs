//! Selection of a few columns out of many.

pub mod active_set;
pub mod basis_pursuit;
pub mod hard_thresholding;
mod homotopy;
pub mod pruning;
mod qr;
