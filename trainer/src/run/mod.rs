//! What a computation runs with: seed, threads, time limit, progress and checkpoints.

mod context;
mod parts;

pub use context::{Checkpoint, Observer, Run};
pub(crate) use parts::Parts;

#[cfg(test)]
mod stopping;
#[cfg(test)]
pub(crate) use stopping::Stopping;
