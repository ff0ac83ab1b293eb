//! Evaluation of models: loops over blocks of features, and the choice among them.
//!
//! Small models, which most are, have loops of their own. Every other model takes the general loops, in which blocks of
//! features may have different kernels. The order of the sums is the same everywhere.

mod block_f32;
mod block_integers;
mod evaluator;
mod features;
mod general;
mod inputs;
mod limits;
mod loops;
mod small_f32;
mod small_integers;
mod trees;

pub use evaluator::Evaluator;
pub(crate) use inputs::{is_used, prepare};
