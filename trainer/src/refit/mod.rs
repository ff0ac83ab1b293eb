//! Amplitudes, errors and intervals of given features from all rows of a table of any size.
//!
//! Features that were chosen on some of the rows stay as they are. Their amplitudes, the linear terms and the
//! intercepts are ridge regression on all rows, from sums of products. One half of the rows predicts the other for the
//! choice of λ, the stated error and the intervals; then all rows give the amplitudes.
//!
//! [`refit`] does it for a file. Elsewhere, such as on several machines, [`Features`] go to the rows, and [`Sums`] over
//! the rows come back.

mod features;
mod finish;
mod residuals;
mod state;
mod sums;
#[cfg(test)]
mod tests;
mod whole;

pub use features::Features;
pub use finish::Solved;
pub use residuals::Residuals;
pub use state::StateError;
pub use sums::Sums;
pub use whole::refit;
