//! Data files that are read in blocks of rows, for tables larger than memory.

mod file;
mod rows;
#[cfg(test)]
mod tests;

pub use rows::Blocks;
pub use rows::sample_rows;

/// The rows that every block begins at a multiple of.
const UNIT: usize = 256;
