//! The tables of the papers, computed again, and the frontier of error and cost.
//! Each row shows the paper's figure beside ours.

mod arff;
mod compaction;
mod frontier;
mod function;
mod gfc;
mod harfe;
mod list;
mod settings;
mod shrimp;
mod srbench;
mod srff;
mod table;

pub use list::TABLES;
pub use table::{Row, heading};
