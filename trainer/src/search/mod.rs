//! The search for the best model that keeps a budget: methods, settings, warps and inputs, by cross-validation.
//!
//! A session tries candidates on some rows. Its moves say which candidates come after which, the evaluator
//! cross-validates each of them in all sizes within the budget, and the trials keep what came of it, with a cache that
//! resumes from a checkpoint. The first session has few rows, the second one more of them for the best candidates of
//! the first. The finals compare the best few once more on other folds, and the best of these is fitted to all rows.
//!
//! The model that a search returns keeps the budget. The result depends on data, settings and seed alone, unless time
//! runs out first.

mod candidate;
mod clock;
mod config;
mod driver;
mod evaluator;
mod finals;
mod gradients;
mod last_fit;
mod moves;
mod pace;
mod policy;
mod race;
mod remote;
mod sample;
mod session;
mod trials;
mod work;

pub use candidate::Candidate;
pub use config::SearchConfig;
pub(crate) use config::most_features;
pub use driver::{Found, search};
pub use remote::work;
pub use trials::Trial;
