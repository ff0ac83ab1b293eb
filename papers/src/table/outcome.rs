//! The result of a table.

use crate::table::row::Row;
use srfm_cli::report::chart::Chart;

/// The figures and charts of a computed table.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The figures, one a row.
    pub rows: Vec<Row>,
    /// The charts; empty for most tables.
    pub charts: Vec<Chart>,
}
