//! `srfm export`: a model as C source.

mod layout;
mod run;

pub use layout::Layout;
pub use run::{Args, name, run, source, write};
