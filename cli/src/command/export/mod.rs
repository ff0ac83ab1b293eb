//! `srfm export`: a model as C source.

mod layout;
mod run;

pub use layout::Layout;
pub use run::{Args, BoardFolder, name, run, source, write};
