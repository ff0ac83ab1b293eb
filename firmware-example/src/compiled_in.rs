//! A model that is known when the program is compiled: `SRFM_MODEL`, by its whole path, or the example's.

use srfm_runtime::{Model, static_model};

/// The model.
pub static MODEL: Model = static_model!(env!("SRFM_MODEL"));

/// Numbers that an integer model takes.
pub const COUNTS: usize = if MODEL.prepared().is_empty() { MODEL.inputs() } else { MODEL.prepared().len() };
