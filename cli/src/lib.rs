//! The command `srfm` as a library: arguments, files, progress, reports and exit codes.
//!
//! [`main`] runs the command. The Python package calls it, and the reports; the program of the papers' tables shares
//! options, files and progress.

/// Prints a line on standard error, in one piece. Where nobody reads it, the line is lost; `eprintln!` would panic.
macro_rules! say {
    ($($text:tt)*) => {{
        let line = format!($($text)*) + "\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    }};
}

mod checkpoint;
mod columns;
pub mod command;
pub mod common;
mod data;
mod description;
pub mod failure;
mod headings;
#[cfg(not(target_family = "wasm"))]
mod interruption;
mod lags;
#[cfg(target_family = "wasm")]
mod no_signals;
#[cfg(target_family = "wasm")]
pub mod no_terminal;
pub mod options;
pub mod origin;
pub mod output;
#[cfg(not(target_family = "wasm"))]
pub mod progress;
mod ranges;
pub mod report;
mod rows;
mod sequences;
pub mod usage;
mod values;

pub use command::main;
#[cfg(target_family = "wasm")]
use no_signals as interruption;
#[cfg(target_family = "wasm")]
pub use no_terminal as progress;
