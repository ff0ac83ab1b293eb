//! The tables of the papers, computed again: the paper's figure and ours side by side; and the frontier of error and cost.

mod arff;
mod compaction;
mod frontier;
mod function;
mod gfc;
mod harfe;
mod list;
mod settings;
mod shrimp;
mod srff;
mod table;

pub use list::TABLES;
pub use table::{Row, heading};
