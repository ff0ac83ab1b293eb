//! Reports on models and fits, as text and as JSON.

mod candidate;
pub mod chart;
mod class_figure;
mod comparison;
mod evaluated;
mod evaluating;
mod evaluation;
mod front;
mod history;
mod metrics;
mod page;
mod predicted;
mod reliability;
mod rules;
mod summary;
mod text;
mod timing;

pub use candidate::Described;
pub use class_figure::class_figure;
pub use comparison::{ComparisonReport, merge};
pub use evaluated::Evaluated;
pub use evaluating::Evaluating;
pub use evaluation::{certain, details, headline};
pub use front::Front;
pub use history::{check_ram, history_bytes, ram};
pub use metrics::{ClassMetrics, Evaluation};
pub use page::{CrossValidation, ModelPage, Part, STYLE, SearchView, held_out_by};
pub use predicted::{Predicted, Predictions};
pub use rules::{rules, sentence};
pub use summary::{InputRange, Instructions, ModelSummary};
pub use text::{c_name, counted, listed, percent, scientific, shares, significant};
pub use timing::{Timing, megahertz, microseconds};
