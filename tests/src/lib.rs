//! What the workspace's tests share.

mod bounds;
#[cfg(doctest)]
mod documents;

pub use bounds::{USUAL_ROWS, model_and_rows};
pub use srfm_testing::*;
