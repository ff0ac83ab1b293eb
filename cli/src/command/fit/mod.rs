//! `srfm fit`: from a data file to a model file.

mod args;
mod auto;
mod codes;
mod large;
mod left_over;
mod report;
mod rows;
mod run;
mod sample;
mod searched;
mod settings;
mod validation;

pub use args::Args;
pub use run::run;
pub use settings::request;
