//! Checkpoints of fits.

mod args;
mod contents;
mod file;

pub use args::CheckpointArgs;
