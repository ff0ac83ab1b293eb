//! The run context: seed, threads, time limit, progress and checkpoints.

mod context;
mod parts;
#[cfg(test)]
mod stopping;
mod time;

pub use context::{Checkpoint, Observer, Run, Tried, Workers};
pub(crate) use parts::Parts;
#[cfg(test)]
pub(crate) use stopping::Stopping;
pub(crate) use time::Instant;
