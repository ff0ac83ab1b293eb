//! The methods: one file or folder each, behind one small trait, in one table.

mod a_la_carte;
mod arff;
mod common;
mod compact;
mod error;
mod fourier;
mod gfc;
mod harfe;
mod linear;
mod shrimp;
mod srfe;
mod srff;
mod table;
mod terms;
mod traits;

pub use a_la_carte::ALaCarte;
pub use arff::Arff;
pub use common::basis::Basis;
pub use common::linear_fit::validated;
pub use common::rounding::DEVICE_ROUNDING;
pub use compact::{Compact, Selection};
pub use error::MethodError;
pub use fourier::Fourier;
pub use gfc::Gfc;
pub use harfe::{ColumnNorm, Harfe};
pub use linear::Linear;
pub use shrimp::Shrimp;
pub use srfe::Srfe;
pub use srff::{Learned, ScaleSolver, Srff};
pub use table::MethodConfig;
pub use terms::Terms;
pub use traits::{Method, Tunable};
