//! From the model on the workstation to the bytes on the device.

mod absorb;
mod blob;
mod c;
mod encode;
mod error;
mod finish;
mod float;
mod input_quantisation;
mod integers;
mod lines;
mod micropython;
mod number;
mod quantised_refit;
#[cfg(test)]
mod tests;
mod trees;
mod view;

pub use blob::{Blob, BlobError};
pub use c::{CSource, CSourceError, LICENCE, Platform, Regressors, Style};
pub(crate) use c::{Outline, outline};
pub(crate) use encode::{Sections, dense_pays, limited};
pub use error::ExportError;
#[cfg(test)]
pub(crate) use finish::verified;
pub use finish::{Agreement, Encoding, outside, predict};
pub(crate) use finish::{Exported, encoded, finished, written};
pub use float::export;
pub(crate) use float::needs_centre;
pub(crate) use input_quantisation::are_counts;
pub use micropython::{MicroPythonError, MicroPythonSource};
pub use number::NumberFormat;
pub(crate) use view::rank;
