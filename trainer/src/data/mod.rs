//! Rows of readings and targets: where they come from and how they are divided.

mod array;
pub mod classes;
pub mod csv;
mod dataset;
mod delimiter;
mod error;
pub mod generate;
mod gzip;
mod idx;
mod names;
mod npy;
mod source;
pub mod split;
mod table;

pub use classes::TargetKind;
pub use dataset::{Dataset, is_constant};
pub use error::DataError;
pub use names::{automatic_name, inputs_hash};
pub use source::{Readings, Signature, Source};
pub use table::Table;
