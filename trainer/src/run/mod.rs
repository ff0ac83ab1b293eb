//! The run context: seed, threads, time limit, progress and checkpoints.

mod context;
mod parts;
mod workers;

pub use context::{Checkpoint, Observer, Run};
pub(crate) use parts::Parts;
pub use workers::Workers;

#[cfg(test)]
mod stopping;
#[cfg(test)]
pub(crate) use stopping::Stopping;
