//! Columns of inputs and targets, and their names.

use crate::data::{DataError, Table};

/// The columns of inputs and targets in their files.
pub struct Columns<'a> {
    /// The columns of the inputs.
    pub inputs: Vec<usize>,
    /// The columns of the targets, in the file that holds them.
    pub targets: Vec<usize>,
    /// The file that holds the targets.
    pub of_targets: &'a Table,
}

impl Columns<'_> {
    /// Returns the names of the targets; `target`, or `target 1` and so on, in a file of targets without a header.
    pub fn target_names(&self) -> Vec<String> {
        let table = self.of_targets;
        match self.targets.len() {
            _ if table.has_header() || self.targets.len() < table.names().len() => names(table, &self.targets),
            1 => vec!["target".to_owned()],
            count => (1..=count).map(|target| format!("target {target}")).collect(),
        }
    }
}

/// Returns the names of the given columns.
pub fn names(table: &Table, columns: &[usize]) -> Vec<String> {
    columns.iter().map(|&column| table.names()[column].clone()).collect()
}

/// Returns the columns with the given names, in the order of the file.
pub fn find_all(table: &Table, names: &[String]) -> Result<Vec<usize>, DataError> {
    let mut columns: Vec<usize> = names.iter().map(|name| find(table, name)).collect::<Result<_, _>>()?;
    columns.sort_unstable();
    columns.dedup();
    Ok(columns)
}

/// Returns the column with the given name.
fn find(table: &Table, name: &str) -> Result<usize, DataError> {
    let mut found = (0..table.names().len()).filter(|&c| table.names()[c] == name);
    let (path, name) = (|| table.path().to_owned(), name.to_owned());
    match (found.next(), found.next()) {
        (Some(index), None) => Ok(index),
        (Some(first), Some(second)) => {
            Err(DataError::AmbiguousTarget { path: path(), name, first: first + 1, second: second + 1 })
        }
        (None, _) => Err(DataError::UnknownTarget { path: path(), name, available: table.names().join(", ") }),
    }
}
