//! The cost of a low error on the device: every method at several sizes, and the model without each input, on the same
//! folds.

pub(crate) mod baselines;
mod compare;
mod elimination;
mod table;

pub use compare::{CompareConfig, compare};
pub use table::{Comparison, Entry, Failed};
