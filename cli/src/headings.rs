//! The headings of the options in the texts of help.

pub const COLUMNS: &str = "Columns";
pub const METHOD: &str = "Method and search";
pub const ROWS: &str = "Rows";
pub const DEVICE: &str = "Budgets and device";
pub const FILES: &str = "Files to write";
pub const COMMON: &str = "Common options";
