//! The inputs among the columns of a file: numbers and categories.

use std::collections::BTreeSet;

use nalgebra::DMatrix;

use crate::data::DataError;
use crate::data::classes::{Lookup, classes_among};
use crate::data::column_error::ColumnError;
use crate::data::columns::shortened;
use crate::data::description::{Derived, InputColumn};
use crate::data::history::History;
use crate::data::preparation::{Missing, Preparation};
use crate::data::table::{Label, Table};
use crate::data::targets::Targets;
use crate::data::value::Fields;
use crate::message::message;
use crate::message::setting::IGNORE;

/// Where the values of an input column come from.
pub enum InputSource {
    /// The column of the file with this index.
    Column(usize, Code),
    /// Zeros: the model does not use the column, which the file may lack.
    Unused(InputColumn),
}

/// How the fields of an input column are read.
#[derive(Clone, Debug)]
pub enum Code {
    Numbers,
    /// Any categories.
    NewCategories,
    /// Known categories.
    Categories(Vec<String>),
}

/// The inputs of all rows of a file, n×d, and their columns.
pub struct Inputs {
    pub x: DMatrix<f64>,
    pub columns: Vec<InputColumn>,
    /// The samples that the inputs come from.
    pub history: History,
    /// The inputs that the model does not use. Missing values of these do not matter.
    pub unused: Vec<usize>,
}

/// The samples that inputs were made of.
pub struct Samples {
    /// The readings of the channels, n×c.
    pub readings: DMatrix<f64>,
    /// Whether there are enough samples at a row, or it completes a window.
    pub ready: Vec<bool>,
}

impl Inputs {
    /// Reads the given columns; missing values are NaN.
    pub fn read(table: &Table, columns: Vec<InputSource>, settings: &Preparation) -> Result<Inputs, DataError> {
        let rules = Fields::new(settings);
        let number = |source: &InputSource| match source {
            InputSource::Column(column, Code::Numbers) => Some(*column),
            _ => None,
        };
        let numeric: Vec<usize> = columns.iter().filter_map(number).collect();
        let numbers = table.numbers(&numeric, &rules)?;
        let named = |column: usize, categories| {
            let name = table.names()[column].clone();
            let derived = vec![Derived::default()];
            InputColumn { name, categories, derived }
        };
        let history = History::default();
        let unused = Vec::new();
        if numbers.ncols() == columns.len() {
            let columns = numeric.iter().map(|&column| named(column, None)).collect();
            return Ok(Inputs { x: numbers, columns, history, unused });
        }
        let mut parts = Vec::new();
        let mut found = Vec::new();
        let mut numbers = numbers.column_iter();
        for source in columns {
            let (column, known) = match source {
                InputSource::Unused(column) => {
                    parts.push(DMatrix::zeros(table.rows(), column.channels().len()));
                    found.push(column);
                    continue;
                }
                InputSource::Column(column, Code::Numbers) => {
                    let values = numbers.next().map(|values| values.as_slice().to_vec()).unwrap_or_default();
                    parts.push(DMatrix::from_vec(table.rows(), 1, values));
                    found.push(named(column, None));
                    continue;
                }
                InputSource::Column(column, Code::NewCategories) => (column, None),
                InputSource::Column(column, Code::Categories(known)) => (column, Some(known)),
            };
            let labels = table.labels(column, &rules)?;
            let all = known.map_or_else(|| categories(table, column, &labels), Ok)?;
            parts.push(encode(table, column, &labels, &all, settings.missing)?);
            found.push(named(column, Some(all)));
        }
        Ok(Inputs { x: beside(table, parts)?, columns: found, history, unused })
    }

    /// Replaces the readings of samples by the inputs that the history makes of them. Returns which rows have enough
    /// samples, and the readings; nothing without a history.
    ///
    /// # Errors
    /// [`DataError::Memory`] if the inputs take too much memory.
    pub fn look_back(&mut self, table: &Table, groups: Option<&[usize]>) -> Result<Option<Samples>, DataError> {
        if self.history.is_empty() {
            return Ok(None);
        }
        table.check_memory(self.history.inputs())?;
        let (mut x, ready) = self.history.inputs_of(&self.x, groups);
        for &input in &self.unused {
            x.column_mut(input).iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = 0.0);
        }
        Ok(Some(Samples { readings: std::mem::replace(&mut self.x, x), ready }))
    }

    /// Returns the names of the inputs.
    pub fn names(&self) -> Vec<String> {
        if self.history.is_empty() {
            self.columns.iter().flat_map(InputColumn::inputs).map(|input| input.name).collect()
        } else {
            self.history.names()
        }
    }

    /// Checks that every column has a value in some row.
    pub fn check_values(&self, path: &str) -> Result<(), ColumnError> {
        let empty = |input: usize| self.x.column(input).iter().all(|value| value.is_nan());
        let uncoded = self.columns.iter().filter(|column| column.categories.as_ref().is_some_and(Vec::is_empty));
        let without = uncoded.chain(self.first_inputs().filter(|(_, input)| empty(*input)).map(|(column, _)| column));
        let names: Vec<String> = without.map(|column| column.name.clone()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let names = shortened(&names);
        let problem = message!("has no values in {names}; leave such columns out with ", IGNORE);
        Err(ColumnError::NotNumbers { path: path.to_owned(), problem })
    }

    /// Returns the columns, each with its first input, and with every input that is a sample of it; without columns of
    /// no category, which have no input.
    fn first_inputs(&self) -> impl Iterator<Item = (&InputColumn, usize)> {
        let mut next = 0;
        let lagged = self.columns.iter().flat_map(|column| column.derived.iter().map(move |_| column));
        let columns = lagged.map(move |column| {
            let first = next;
            next += column.categories.as_ref().map_or(1, Vec::len);
            (column, first, next)
        });
        columns.filter(|&(_, first, next)| first < next).map(|(column, first, _)| (column, first))
    }

    /// Sets the flag of every row with a missing value to false.
    pub fn mark_missing(&self, complete: &mut [bool]) {
        for column in self.x.column_iter() {
            complete.iter_mut().zip(&column).for_each(|(complete, value)| *complete &= !value.is_nan());
        }
    }

    /// Returns the number of the given rows with missing values.
    pub fn incomplete(&self, rows: &[usize]) -> usize {
        let mut complete = vec![true; self.x.nrows()];
        self.mark_missing(&mut complete);
        rows.iter().filter(|&&row| !complete[row]).count()
    }

    /// Returns the number of missing values in the given rows.
    pub fn missing_in(&self, rows: &[usize]) -> usize {
        let missing = |input: usize| rows.iter().filter(|&&row| self.x[(row, input)].is_nan()).count();
        self.first_inputs().map(|(_, input)| missing(input)).sum()
    }

    /// Returns the column whose missing values alone make the most of the rows with a target incomplete, and the number
    /// of rows that are complete without it; none where no column does, and for a single column.
    pub fn costliest(&self, targets: &Targets<'_>) -> Option<(String, usize)> {
        let mut rows = vec![true; self.x.nrows()];
        targets.mark_missing(&mut rows);
        let columns: Vec<(&InputColumn, usize)> = self.first_inputs().collect();
        let mut complete = 0;
        let mut alone = vec![0; columns.len()];
        for row in (0..rows.len()).filter(|&row| rows[row]) {
            let mut missing = (0..columns.len()).filter(|&column| self.x[(row, columns[column].1)].is_nan());
            match (missing.next(), missing.next()) {
                (None, _) => complete += 1,
                (Some(column), None) => alone[column] += 1,
                _ => {}
            }
        }
        let (column, most) = alone.into_iter().enumerate().max_by_key(|(_, rows)| *rows)?;
        (most > 0 && columns.len() > 1).then(|| (columns[column].0.name.clone(), complete + most))
    }

    /// Returns the column with the most missing values, and their number.
    pub fn most_missing(&self) -> Option<(&InputColumn, usize)> {
        let missing = |input: usize| self.x.column(input).iter().filter(|value| value.is_nan()).count();
        self.first_inputs().map(|(column, input)| (column, missing(input))).max_by_key(|(_, missing)| *missing)
    }
}

/// Joins matrices of all rows side by side.
///
/// # Errors
/// [`DataError::Memory`] if they take too much memory.
fn beside(table: &Table, parts: Vec<DMatrix<f64>>) -> Result<DMatrix<f64>, DataError> {
    let width = parts.iter().map(DMatrix::ncols).sum();
    table.check_memory(width)?;
    let mut x = DMatrix::zeros(table.rows(), width);
    let mut to = 0;
    for part in parts {
        x.columns_mut(to, part.ncols()).copy_from(&part);
        to += part.ncols();
    }
    Ok(x)
}

/// The largest number of categories of a column.
const MOST_CATEGORIES: usize = 100;

/// Returns the categories among the labels of a column: by value if all are numbers, otherwise by code point.
///
/// # Errors
/// [`ColumnError::ManyCategories`].
pub fn categories(table: &Table, column: usize, labels: &[Label]) -> Result<Vec<String>, ColumnError> {
    let different: BTreeSet<&str> = labels.iter().filter_map(|(_, label)| label.as_deref()).collect();
    if different.len() > MOST_CATEGORIES {
        return Err(ColumnError::ManyCategories {
            path: table.path().to_owned(),
            name: table.names()[column].clone(),
            found: different.len(),
            limit: MOST_CATEGORIES,
        });
    }
    Ok(classes_among(different))
}

/// Returns an input for each category, n×c: 1 in rows of the category, else 0. Rows with a missing label are NaN.
///
/// # Errors
/// [`ColumnError::UnknownCategory`] for other categories, if missing values are errors; otherwise other categories
/// count as missing.
pub fn encode(
    table: &Table,
    column: usize,
    labels: &[Label],
    categories: &[String],
    missing: Missing,
) -> Result<DMatrix<f64>, ColumnError> {
    let lookup = Lookup::new(categories);
    let mut coded = DMatrix::zeros(labels.len(), categories.len());
    for (row, (line, label)) in labels.iter().enumerate() {
        match label.as_ref().and_then(|label| lookup.class(label)) {
            Some(category) => coded[(row, category)] = 1.0,
            None if missing != Missing::Error => (0..categories.len()).for_each(|i| coded[(row, i)] = f64::NAN),
            None => {
                return Err(ColumnError::UnknownCategory {
                    path: table.path().to_owned(),
                    place: table.place(*line, column),
                    label: label.clone().unwrap_or_default(),
                    known: shortened(categories),
                });
            }
        }
    }
    Ok(coded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::preparation::Preparation;
    use crate::data::value::Fields;
    use crate::sampling::Sampler;

    #[test]
    fn the_category_of_every_row_can_be_read_from_its_inputs() {
        const WORDS: [&str; 7] = ["eco", "", "off", "10", "9.5", "NA", "a, b"];
        let settings = Preparation { missing: Missing::Mean, ..Preparation::default() };
        let mut sampler = Sampler::new(5);
        for words in 1..=WORDS.len() {
            let drawn: Vec<&str> = (0..50).map(|_| WORDS[sampler.permutation(words)[0]]).collect();
            let text: String = drawn.iter().map(|word| format!("\"{word}\";1\n")).collect();
            let table = Table::parse("t", format!("mode;y\n{text}").into_bytes()).unwrap();
            let labels = table.labels(0, &Fields::new(&settings)).unwrap();
            let all = categories(&table, 0, &labels).unwrap();
            let coded = encode(&table, 0, &labels, &all, Missing::Mean).unwrap();
            assert_eq!(coded.shape(), (50, all.len()));
            for (row, word) in coded.row_iter().zip(&drawn) {
                if word.is_empty() || *word == "NA" {
                    assert!(row.iter().all(|value| value.is_nan()));
                    continue;
                }
                let ones: Vec<&str> = (0..all.len()).filter(|&c| row[c] == 1.0).map(|c| all[c].as_str()).collect();
                assert_eq!((row.sum(), ones), (1.0, vec![*word]));
            }
        }
    }
}
