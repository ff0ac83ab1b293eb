//! Tables and figures of the HARFE paper.

pub mod figure3;
pub mod figure4;
pub mod table1;
pub mod table2;
pub mod table4;
