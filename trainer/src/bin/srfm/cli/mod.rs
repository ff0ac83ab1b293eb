//! The command line: arguments, files, progress and exit codes.

/// Prints a line on standard error, in one piece. Where nobody reads it, the line is lost; `eprintln!` would panic.
macro_rules! say {
    ($($text:tt)*) => {{
        let line = format!($($text)*) + "\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    }};
}

mod adapt;
mod checkpoint;
mod columns;
pub mod command;
mod common;
mod compare;
mod data;
mod demo;
mod description;
mod device;
mod evaluate;
mod export;
mod failure;
mod fit;
mod generate;
mod gram;
mod headings;
mod inspect;
mod lags;
mod options;
mod origin;
mod output;
mod predict;
mod progress;
mod ranges;
mod report;
mod reproduce;
mod rows;
mod send;
mod sequences;
mod usage;
mod values;
mod verify;

pub use command::main;
