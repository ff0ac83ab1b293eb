//! `srfm fit`: from a data file to a model file.

mod args;
mod auto;
mod report;
mod rows;
mod run;
mod searched;
mod settings;

pub use args::Args;
pub use run::run;
