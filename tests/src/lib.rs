//! What the workspace's tests share.

pub use srfm_testing::*;
