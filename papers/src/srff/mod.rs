//! Tables of the SRFF paper.

mod protocol;
pub mod real;
pub mod synthetic;
