//! The search for the best model that keeps a budget: methods, settings, warps and inputs, by cross-validation.
//!
//! A search consists of three parts. The trials are the candidates that were tried, with a cache that resumes from a
//! checkpoint. The evaluator fits, cross-validates and sizes a candidate within the budget. The strategy is the fixed
//! sequence of candidates to try. A budget of flash is searched in stages, from small budgets to large ones.
//!
//! The search tries only candidates whose shape keeps the budget, except for some that show which settings suit the
//! data. The model that it returns keeps the budget. The result depends on data, settings and seed alone, unless time
//! runs out first.

mod candidate;
mod clock;
mod compaction;
mod config;
mod driver;
mod effort;
mod evaluate;
mod evaluator;
mod finals;
mod held_out;
mod last_fit;
mod more_rows;
mod pace;
mod plan;
mod race;
mod remote;
mod sample;
mod schedule;
mod stage;
mod strategy;
mod trials;
mod work;

pub use candidate::Candidate;
pub use config::SearchConfig;
pub use driver::{Found, search};
pub use remote::work;
pub use trials::Trial;
