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

/// A target: a function that panics where bytes break a promise.
pub type Target = fn(&[u8]);

/// The targets by the names of their programs and of their folders of seeds.
pub const TARGETS: [(&str, Target); 16] = [
    ("adapt", adapt),
    ("arguments", arguments),
    ("blocks", blocks),
    ("c_source", c_source),
    ("csv", csv),
    ("description", description),
    ("fit", fit),
    ("idx", idx),
    ("link", link),
    ("npy", npy),
    ("parquet", parquet),
    ("parse", parse),
    ("parse_fixed_crc", parse_fixed_crc),
    ("settings", settings),
    ("store", store),
    ("sums", sums),
];
