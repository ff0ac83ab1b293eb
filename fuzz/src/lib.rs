//! Fuzz targets: functions of any bytes that panic where the code breaks a promise.

mod adapt;
mod c_source;
mod guard;
mod link;
mod models;
mod reader;
mod settings;
mod store;
mod sums;
mod tables;

pub use adapt::adapt;
pub use c_source::c_source;
pub use link::link;
pub use models::{parse, parse_fixed_crc};
pub use settings::{arguments, description, fit, settings};
pub use store::store;
pub use sums::sums;
pub use tables::{blocks, csv, idx, npy, parquet};
