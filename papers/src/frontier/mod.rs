//! Tables of the frontier: the error that fits a budget.

pub mod budgets;
pub mod coverage;
pub mod flash;
