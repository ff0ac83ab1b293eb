//! Rows of inputs and targets: reading them from files, generating them and dividing them into parts.

mod array;
mod blocks;
pub(crate) mod classes;
mod column_error;
mod columns;
mod contents;
mod csv;
mod dataset;
mod description;
mod error;
pub(crate) mod generate;
mod gzip;
mod history;
mod inputs;
mod layout;
mod matching;
pub(crate) mod matrix;
mod overview;
#[cfg(feature = "parquet")]
mod parquet;
mod preparation;
mod prepared;
mod records;
mod source;
pub(crate) mod split;
mod table;
mod targets;
mod time;
mod value;

pub use blocks::{Blocks, sample_rows};
pub use classes::{ClassWeights, TargetKind, decide, decide_beyond, shortfalls};
pub use column_error::ColumnError;
pub use dataset::Dataset;
pub(crate) use dataset::is_constant;
pub use description::Description;
pub use error::{DataError, DatasetError};
pub use generate::Task;
pub use history::History;
pub(crate) use layout::inputs_hash;
pub use overview::{Column, ColumnKind};
pub use preparation::Preparation;
pub use prepared::{Counts, Prepared};
pub use source::Source;
pub use split::{Split, SplitError, Splitter};
pub use table::Table;
pub use value::ValueProblem;
