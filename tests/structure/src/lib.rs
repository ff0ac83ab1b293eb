//! Checks how the repository is built: cycles between modules, and sizes of functions and lines.
//!
//! [`source`] reads the modules of a crate, [`names`] lists the names of every module, [`resolve`] finds the module
//! that defines the item of a path, [`uses`] lists the paths that the code mentions, and [`graph`] joins modules by
//! these paths and finds cycles. [`size`] measures lines and functions, [`map`] finds names in documents that are gone,
//! and [`repository`] lists the crates and files to be checked.
//!
//! The checks read source text and know no types. They see every path in the code and in the tokens of macros, but no
//! method that is called on a value.
#![deny(missing_docs)]

pub mod graph;
pub mod map;
pub mod names;
pub mod repository;
pub mod resolve;
pub mod size;
pub mod source;
pub mod uses;

mod tokens;
