//! Exports of whole models.

mod limits;
mod quantisation;
mod warps;
