//! Fits sparse random feature models on a workstation and exports them for microcontrollers.
#![deny(missing_docs)]

pub mod device;
