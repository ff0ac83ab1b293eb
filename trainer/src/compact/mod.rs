//! Making models smaller: what of them matters, and steps that bring them to few features.
//!
//! A feature that is kept costs the device for ever, training happens once. So [`dictionary`] draws far more frequencies than
//! are kept, [`crate::solve::forward_selection`] keeps those that count, and [`refine`] moves the kept ones to where they fit best.

pub mod dictionary;
pub mod importance;
pub mod problem;
pub mod refine;
pub mod sparsify;
