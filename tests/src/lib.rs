//! What the workspace's tests share.

#[cfg(doctest)]
mod documents;

pub use srfm_testing::*;
