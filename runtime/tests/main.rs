//! Tests of the runtime: one binary, which is linked once.

mod adapt;
mod corruption;
mod format;
mod golden;
mod header;
mod history;
mod integers;
mod kernels;
mod limits;
mod missing;
mod models;
mod paths;
mod plain;
mod prediction;
mod refusals;
mod slot;
mod sound;
mod trees;
mod update;
mod windows;
