//! Warps: functions of single inputs, in floating point and in integers.

mod choice;
mod float;
mod integer;
#[cfg(test)]
mod tests;

pub(crate) use choice::{AllWarps, NoWarps, Warps};
#[cfg(feature = "history")]
pub(crate) use float::sqrt;
