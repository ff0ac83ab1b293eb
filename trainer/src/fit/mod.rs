//! Fitting a model to raw rows.

mod config;
mod fitted;
mod procedure;
pub(crate) mod taken;
pub(crate) mod within;

pub use config::{Conditions, FitConfig, Grid};
pub use fitted::FitMethod;
pub use procedure::{FalseAlarms, Fit, fit};
pub(crate) use procedure::{check_certainty, fit_chosen};
pub use within::{check_budget, fit_within};
