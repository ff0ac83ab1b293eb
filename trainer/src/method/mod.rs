//! The methods: one file or folder each, behind one small trait, in one table.

pub mod a_la_carte;
pub mod arff;
mod common;
pub mod compact;
mod config;
mod error;
pub mod fourier;
pub mod gfc;
pub mod harfe;
pub mod linear;
mod settings;
pub mod shrimp;
pub mod srfe;
pub mod srff;
mod table;
mod terms;
mod traits;

pub use crate::solve::SolveError;
pub use common::linear_fit::fit_pairs;
pub use config::MethodConfig;
pub use error::MethodError;
pub use table::{Builtin, METHODS};
pub use terms::Terms;
pub use traits::{Method, Tunable};
