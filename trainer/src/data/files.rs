//! The files of a source, and the settings for reading them.

use crate::data::preparation::Preparation;
use crate::data::{DataError, Table};

/// A data file, or a file of inputs and a file of targets, and how their columns are used.
#[derive(Clone, Debug)]
pub struct Files {
    /// The file of the inputs.
    pub table: Table,
    /// The file of the targets, if it is another one.
    pub labels: Option<Table>,
    /// The names of the targets.
    pub targets: Vec<String>,
    /// The settings.
    pub settings: Preparation,
}

impl Files {
    /// Returns the file that holds the targets.
    pub fn of_targets(&self) -> &Table {
        self.labels.as_ref().unwrap_or(&self.table)
    }

    /// Checks that both files have the same number of rows.
    pub fn check_rows(&self) -> Result<(), DataError> {
        match &self.labels {
            Some(labels) if labels.rows() != self.table.rows() => Err(DataError::RowCount {
                path: self.table.path().to_owned(),
                rows: self.table.rows(),
                labels: labels.path().to_owned(),
                found: labels.rows(),
            }),
            _ => Ok(()),
        }
    }
}
