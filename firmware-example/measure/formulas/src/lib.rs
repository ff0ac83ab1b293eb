//! Plain functions that models replace. Their code and their instructions are what models are compared with.
#![no_std]

mod bme280;
mod plain;
mod thermocouple;

pub use bme280::Bme280;
pub use plain::{polynomial, table_1, table_2};
pub use thermocouple::{cold_junction_millivolts, hot_junction, inverse};
