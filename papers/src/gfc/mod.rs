//! Tables of the GFC paper.

pub mod experiment;
pub mod table1;
pub mod table4;
pub mod wilcoxon;
