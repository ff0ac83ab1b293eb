//! Making models smaller: what of them matters.

pub mod importance;
