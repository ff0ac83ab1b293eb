//! Code that several methods share.

pub mod candidates;
pub mod check;
pub mod columns;
pub mod dependence;
pub mod folded_rows;
pub mod huber;
pub mod linear_fit;
pub mod logistic;
pub mod remainder;
pub mod taken;
#[cfg(test)]
pub mod testing;
