//! The command line: arguments, files, progress and exit codes.

mod adapt;
mod checkpoint;
mod columns;
mod command;
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
mod inspect;
mod lags;
mod options;
mod origin;
mod output;
mod predict;
mod progress;
mod report;
mod reproduce;
mod rows;
mod send;
mod sequences;
mod values;
mod verify;

pub use command::main;
