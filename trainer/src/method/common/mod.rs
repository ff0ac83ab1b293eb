//! Code that several methods share.

pub mod basis;
pub mod candidates;
pub mod check;
pub mod folded_rows;
pub mod huber;
pub mod linear_fit;
pub mod rounding;
#[cfg(test)]
pub mod testing;
