//! The definition of a table, and the tools that compute tables.

mod definition;
mod outcome;
mod reproduction;
mod row;
mod statistics;

pub use definition::{Compute, Table};
pub use outcome::Outcome;
pub use reproduction::Reproduction;
pub use row::{Row, heading};
pub use statistics::{mean, median};
