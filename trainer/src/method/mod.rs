//! The methods: one file or folder each, behind one small trait, in one table.

pub(crate) mod a_la_carte;
pub(crate) mod arff;
pub(crate) mod as_json;
mod common;
pub(crate) mod compact;
mod config;
mod error;
pub(crate) mod fourier;
pub(crate) mod gfc;
pub(crate) mod harfe;
pub(crate) mod linear;
mod ridge;
mod settings;
pub(crate) mod sgd;
pub(crate) mod shrimp;
pub(crate) mod srfe;
pub(crate) mod srff;
mod table;
mod terms;
mod traits;

pub use crate::solve::SolveError;
pub(crate) use common::huber::USUAL_CLIP;
pub use common::linear_fit::fit_pairs;
pub use config::MethodConfig;
pub use error::MethodError;
pub use table::{Builtin, METHODS};
pub use terms::Terms;
pub use traits::{Method, Tunable};
