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
mod merge;
mod number;
mod quantised_refit;
mod sections;
#[cfg(test)]
mod tests;
mod verify;
mod view;

pub use blob::{Blob, BlobError};
pub use c::{CSource, CSourceError, Style};
pub(crate) use c::{Outline, outline};
pub(crate) use encode::{dense_pays, limited};
pub use error::ExportError;
pub use finish::Encoding;
#[cfg(test)]
pub(crate) use finish::verified;
pub(crate) use finish::{Exported, encoded, finished};
pub use float::export;
pub(crate) use float::needs_centre;
pub use number::NumberFormat;
pub(crate) use sections::Sections;
pub use verify::{Agreement, outside, predict};
pub(crate) use view::rank;
