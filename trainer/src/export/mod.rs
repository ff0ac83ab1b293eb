//! From the model on the workstation to the bytes on the device.

mod blob;
mod encode;
mod error;
mod finish;
mod float;
mod fold;
mod integers;
mod merge;
mod number;
mod quantised_refit;
mod readings;
mod sections;
mod verify;

pub use blob::{Blob, BlobError};
pub(crate) use encode::{dense_pays, limited};
pub use error::ExportError;
pub use finish::{Encoding, Exported, finished, verified};
pub use float::export;
pub(crate) use float::needs_centre;
pub use number::NumberFormat;
pub(crate) use sections::Beside;
pub use verify::{Agreement, LARGEST_SHARE, outside, predict, verify};
