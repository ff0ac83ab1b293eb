//! Integer models as Python source: one file for MicroPython and CPython with the bits of the runtime.

mod classes;
mod features;
mod history;
mod inputs;
mod literals;
mod names;
mod outputs;
mod predict;
mod source;
mod trees;
mod writer;

pub use source::{MicroPythonError, MicroPythonSource};
