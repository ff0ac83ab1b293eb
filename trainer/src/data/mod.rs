//! Rows of inputs and targets: reading them from files, generating them and dividing them into parts.

mod array;
pub(crate) mod classes;
mod columns;
mod csv;
mod dataset;
mod delimiter;
mod error;
pub(crate) mod generate;
mod gzip;
mod idx;
mod names;
mod npy;
mod source;
pub(crate) mod split;
mod table;
mod value;

pub use classes::{TargetKind, decide};
pub use dataset::Dataset;
pub(crate) use dataset::is_constant;
pub use error::DataError;
pub use generate::Task;
pub(crate) use names::inputs_hash;
pub use source::Source;
pub use split::{Split, holdout, k_fold, stratified_holdout};
pub use table::Table;
