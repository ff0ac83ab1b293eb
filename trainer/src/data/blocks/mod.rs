//! Data files that are read in blocks of rows, for tables larger than memory.

mod array;
mod draw;
mod file;
mod rows;
#[cfg(test)]
mod tests;
mod text;

pub use draw::sample_rows;
pub use rows::Blocks;

/// The rows that every block begins at a multiple of.
const UNIT: usize = 256;
