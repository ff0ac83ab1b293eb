//! Exports of whole models.

mod limits;
mod quantisation;
mod trees;
mod warps;
