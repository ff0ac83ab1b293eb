//! The methods: the settings of each are a type of its own, and one table has them all.
//!
//! [`Harfe`], [`Compact`] and the others fit a data set by [`FitMethod::fit`](crate::FitMethod::fit), or are the method
//! of a [`FitConfig`](crate::FitConfig), whose hyper-parameters cross-validation chooses. [`MethodConfig`] is a method
//! with its settings, whatever its type. [`Method`] is what a method from outside of the library implements.

mod a_la_carte;
mod arff;
mod builtin;
mod common;
mod compact;
mod config;
mod error;
mod fourier;
mod gfc;
mod harfe;
mod linear;
mod mixed;
mod path;
mod polynomial;
mod rules;
mod sgd;
mod shrimp;
mod srfe;
mod srff;
mod table;
mod terms;
mod traits;
#[cfg(test)]
mod weights_tests;

pub use crate::solve::SolveError;
pub use a_la_carte::ALaCarte;
pub use arff::Arff;
pub use builtin::{Builtin, METHODS};
pub(crate) use common::huber::USUAL_CLIP;
pub use common::linear_fit::{Basis, fit_pairs};
pub use common::taken::Taken;
pub use compact::{Compact, Selection};
pub use config::MethodConfig;
pub(crate) use config::as_json;
pub use error::MethodError;
pub use fourier::Fourier;
pub use gfc::Gfc;
pub use harfe::{ColumnNorm, Harfe};
pub use linear::Linear;
pub use mixed::Mixed;
pub use path::Path;
pub use polynomial::Polynomial;
pub use rules::Rules;
pub use sgd::{Sgd, Start};
pub use shrimp::Shrimp;
pub use srfe::Srfe;
pub use srff::{ScaleSolver, Srff};
pub use table::Table;
pub use terms::Terms;
pub use traits::{Method, Tunable};
