//! Models as C source: one self-contained file for C99 and C++11 with the bits of the runtime.

mod adaptation;
mod example;
pub(in crate::export) mod features;
mod float;
pub(in crate::export) mod head;
mod indices;
mod inputs;
mod integers;
mod literals;
pub(in crate::export) mod names;
mod outline;
mod outputs;
mod parts;
mod reader;
pub(in crate::export) mod sections;
mod self_test;
mod source;
mod style;
mod totals;
mod trees;
pub(in crate::export) mod units;
mod windows;
mod writer;

pub use adaptation::Regressors;
pub use example::Platform;
pub use literals::LICENCE;
pub(crate) use outline::Outline;
pub(crate) use source::outline;
pub use source::{CSource, CSourceError};
pub use style::Style;
