//! Exports of whole models.

mod quantisation;
mod warps;
