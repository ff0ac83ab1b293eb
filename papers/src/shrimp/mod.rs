//! Tables and figures of the SHRIMP paper.

mod choice;
pub mod figure4;
pub mod figure5;
pub mod table2;
pub mod table3;
pub mod table4;
pub mod table6;
