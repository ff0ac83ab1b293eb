//! Models as C source: one self-contained file for C99 and C++11 with the bits of the runtime.

mod example;
mod features;
mod float;
mod head;
mod indices;
mod inputs;
mod integers;
mod literals;
mod names;
mod outline;
mod outputs;
mod parts;
mod reader;
mod sections;
mod self_test;
mod source;
mod style;
mod totals;
mod trees;
mod units;
mod writer;

pub use example::Platform;
pub use literals::LICENCE;
pub(crate) use outline::Outline;
pub(crate) use source::outline;
pub use source::{CSource, CSourceError};
pub use style::Style;
