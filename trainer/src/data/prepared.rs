//! From the fields of a file to the rows of a data set.

use std::collections::HashMap;

use nalgebra::DMatrix;
use serde::Serialize;

use crate::data::column_error::ColumnError;
use crate::data::columns::Columns;
use crate::data::inputs::Inputs;
use crate::data::preparation::{Missing, Preparation};
use crate::data::table::{Label, Table};
use crate::data::targets::Targets;
use crate::data::value::Fields;
use crate::data::{DataError, Dataset, Description};

/// The rows of a file, and how they were prepared.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The rows that are left, in the order of the file. Missing values of inputs are NaN. Groups count from 0 in the
    /// order of their first rows.
    pub data: Dataset,
    /// How the columns became inputs.
    pub description: Description,
    /// The numbers of rows and missing values.
    pub counts: Counts,
}

/// The numbers of rows and missing values of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// The number of rows in the file.
    rows: usize,
    /// The number of rows that were dropped, since a value or the target was missing.
    dropped_rows: usize,
    /// The number of missing values in the other rows.
    replaced_values: usize,
}

impl Counts {
    /// Returns a remark on dropped rows and replaced values; none if there are no such rows and values.
    pub fn remark(&self) -> Option<String> {
        let Counts { rows, dropped_rows, replaced_values } = self;
        let dropped = format!("{dropped_rows} of {rows} rows left out for missing values");
        match (dropped_rows, replaced_values) {
            (0, 0) => None,
            (_, 0) => Some(dropped),
            (_, 1) => Some(format!("{dropped}; 1 missing value replaced by the mean of its input")),
            (_, count) => Some(format!("{dropped}; {count} missing values replaced by the means of their inputs")),
        }
    }
}

impl Prepared {
    /// Joins inputs and targets, and drops rows as the settings say.
    ///
    /// # Errors
    /// [`DataError`] if a group is missing, all rows are dropped, or the rows have no classes that a model can have.
    pub(crate) fn join(
        table: &Table,
        columns: &Columns<'_>,
        inputs: Inputs,
        targets: Targets<'_>,
        settings: &Preparation,
    ) -> Result<Prepared, DataError> {
        let rules = Fields::new(settings);
        let groups = columns.group.map(|column| table.labels(column, &rules)).transpose()?;
        let mut counts = Counts { rows: table.rows(), ..Counts::default() };
        let kept = match settings.missing {
            Missing::Error => None,
            missing => Some(kept(table, &inputs, &targets, groups.as_deref(), missing)?),
        };
        if let Some(kept) = &kept {
            counts.dropped_rows = counts.rows - kept.len();
            counts.replaced_values = inputs.missing_in(kept);
        }
        let all_kept = counts.dropped_rows == 0;
        let kept = kept.filter(|_| !all_kept);
        let ignored = (0..table.names().len()).filter(|column| !columns.uses(table, *column));
        let ignored = ignored.map(|column| table.names()[column].clone()).collect();
        let description = Description::new(&inputs.columns, columns.target_names(), ignored, settings);
        let (x, targets, groups) = match kept {
            None => (inputs.x, targets, groups),
            Some(kept) => {
                let of_kept = |groups: Vec<Label>| kept.iter().map(|&row| groups[row].clone()).collect();
                (inputs.x.select_rows(&kept), targets.select(&kept), groups.map(of_kept))
            }
        };
        let input_names = description.inputs.iter().map(|input| input.name.clone()).collect();
        let mut data = targets.into_dataset(x, input_names, columns)?;
        data.groups = groups.map_or_else(Vec::new, |labels| numbered(&labels));
        Ok(Prepared { data, description, counts })
    }

    /// Joins inputs without targets. Under [`Missing::Drop`], rows with missing values stay as rows with NaN.
    pub(crate) fn all_rows(table: &Table, inputs: Inputs, settings: &Preparation) -> Prepared {
        let rows: Vec<usize> = (0..table.rows()).collect();
        let counts = match settings.missing {
            Missing::Error => Counts { rows: rows.len(), ..Counts::default() },
            Missing::Drop => Counts { rows: rows.len(), dropped_rows: inputs.incomplete(), replaced_values: 0 },
            Missing::Mean => Counts { rows: rows.len(), dropped_rows: 0, replaced_values: inputs.missing_in(&rows) },
        };
        let description = Description::new(&inputs.columns, Vec::new(), Vec::new(), settings);
        let input_names = description.inputs.iter().map(|input| input.name.clone()).collect();
        let y = DMatrix::zeros(rows.len(), 0);
        let (output_names, classes, groups) = (Vec::new(), Vec::new(), Vec::new());
        let data = Dataset { x: inputs.x, y, input_names, output_names, classes, groups };
        Prepared { data, description, counts }
    }

    /// Takes the description of a fitted model and replaces missing values by its means.
    ///
    /// # Errors
    /// [`ColumnError::NoMeans`] if values are missing and there are no means.
    pub(crate) fn describe(&mut self, description: Option<&Description>, path: &str) -> Result<(), ColumnError> {
        if let Some(description) = description {
            self.description = description.clone();
        }
        if self.counts.replaced_values > 0 {
            self.description.fill(&mut self.data.x);
        }
        if self.counts.replaced_values > 0 && self.data.x.iter().any(|value| value.is_nan()) {
            return Err(ColumnError::NoMeans { path: path.to_owned() });
        }
        Ok(())
    }
}

/// Returns the number of each label, from 0 in the order of their first occurrence.
fn numbered(labels: &[Label]) -> Vec<usize> {
    let mut numbers = HashMap::new();
    labels
        .iter()
        .map(|(_, label)| {
            let next = numbers.len();
            *numbers.entry(label).or_insert(next)
        })
        .collect()
}

/// Returns the rows that are kept.
fn kept(
    table: &Table,
    inputs: &Inputs,
    targets: &Targets<'_>,
    groups: Option<&[Label]>,
    missing: Missing,
) -> Result<Vec<usize>, ColumnError> {
    let mut complete: Vec<bool> =
        (0..table.rows()).map(|row| groups.is_none_or(|groups| groups[row].1.is_some())).collect();
    targets.mark_missing(&mut complete);
    if missing == Missing::Drop {
        inputs.mark_missing(&mut complete);
    }
    let kept: Vec<usize> = (0..table.rows()).filter(|&row| complete[row]).collect();
    if !kept.is_empty() {
        return Ok(kept);
    }
    let (path, rows) = (table.path().to_owned(), table.rows());
    match inputs.most_missing().filter(|(_, gaps)| *gaps > 0 && missing == Missing::Drop) {
        Some((column, gaps)) => Err(ColumnError::AllDropped { path, rows, name: column.name.clone(), gaps }),
        None => Err(ColumnError::NoTargetValues { path, rows }),
    }
}
