//! `srfm send`: a model as an update of a device.

mod link;
mod run;

pub use run::{Args, run};
