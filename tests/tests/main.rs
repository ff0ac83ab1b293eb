//! Tests across packages: one binary, which is linked once.

mod boards;
mod c_adaptation;
mod c_hostile;
mod c_interface;
mod c_reader;
mod c_source;
mod c_store;
mod classify;
mod data_files;
mod degenerate;
mod device;
mod digits;
mod export;
mod foreign_method;
mod formulas;
mod intervals;
mod licences;
mod methods;
mod micropython;
mod order_in_time;
mod packages;
mod pipeline;
mod real_data;
mod search;
mod search_edges;
mod update;
