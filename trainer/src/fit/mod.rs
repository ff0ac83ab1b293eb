//! Fitting a model to raw rows.

mod config;
mod procedure;

pub use config::{FitConfig, Grid};
pub(crate) use procedure::fit_chosen;
pub use procedure::{Fit, fit};
