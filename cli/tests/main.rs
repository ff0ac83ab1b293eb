//! Tests of the command: one binary, which is linked once.

mod command_line;
#[cfg(unix)]
mod documents;
