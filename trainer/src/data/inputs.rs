//! The inputs among the columns of a file: numbers and categories.

use nalgebra::DMatrix;

use crate::data::DataError;
use crate::data::column_error::ColumnError;
use crate::data::columns::shortened;
use crate::data::description::InputColumn;
use crate::data::encode::{categories, encode};
use crate::data::preparation::Preparation;
use crate::data::table::Table;
use crate::data::value::Fields;

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
}

impl Inputs {
    /// Reads the given columns; missing values are NaN.
    pub fn read(table: &Table, columns: &[(usize, Code)], settings: &Preparation) -> Result<Inputs, DataError> {
        let rules = Fields::new(settings);
        let numeric = columns.iter().filter(|(_, code)| matches!(code, Code::Numbers)).map(|(column, _)| *column);
        let numbers = table.numbers(&numeric.collect::<Vec<_>>(), &rules)?;
        let named = |column: usize, categories| InputColumn { name: table.names()[column].clone(), categories };
        if numbers.ncols() == columns.len() {
            let columns = columns.iter().map(|(column, _)| named(*column, None)).collect();
            return Ok(Inputs { x: numbers, columns });
        }
        let (mut parts, mut found, mut number) = (Vec::new(), Vec::new(), 0);
        for (column, code) in columns {
            let known = match code {
                Code::Numbers => {
                    parts.push(numbers.columns(number, 1).into_owned());
                    found.push(named(*column, None));
                    number += 1;
                    continue;
                }
                Code::NewCategories => None,
                Code::Categories(known) => Some(known),
            };
            let labels = table.labels(*column, &rules)?;
            let all = known.map_or_else(|| categories(table, *column, &labels), |known| Ok(known.clone()))?;
            parts.push(encode(table, *column, &labels, &all, settings.missing)?);
            found.push(named(*column, Some(all)));
        }
        let width = parts.iter().map(DMatrix::ncols).sum();
        table.check_memory(width)?;
        let mut x = DMatrix::zeros(table.rows(), width);
        let mut to = 0;
        for part in parts {
            x.columns_mut(to, part.ncols()).copy_from(&part);
            to += part.ncols();
        }
        Ok(Inputs { x, columns: found })
    }

    /// Checks that every column has a value in some row.
    pub fn check_values(&self, path: &str) -> Result<(), ColumnError> {
        let empty = |input: usize| self.x.column(input).iter().all(|value| value.is_nan());
        let names: Vec<String> = self.first_inputs().filter(|(_, i)| empty(*i)).map(|(c, _)| c.name.clone()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let problem = format!("has no values in {}; leave such columns out with `ignore`", shortened(&names));
        Err(ColumnError::NotNumbers { path: path.to_owned(), problem })
    }

    /// Returns the columns, each with its first input.
    fn first_inputs(&self) -> impl Iterator<Item = (&InputColumn, usize)> {
        let mut next = 0;
        self.columns.iter().map(move |column| {
            let first = next;
            next += column.categories.as_ref().map_or(1, Vec::len);
            (column, first)
        })
    }

    /// Sets the flag of every row with a missing value to false.
    pub fn mark_missing(&self, complete: &mut [bool]) {
        for column in self.x.column_iter() {
            complete.iter_mut().zip(&column).for_each(|(complete, value)| *complete &= !value.is_nan());
        }
    }

    /// Returns the number of rows with missing values.
    pub fn incomplete(&self) -> usize {
        let mut complete = vec![true; self.x.nrows()];
        self.mark_missing(&mut complete);
        complete.into_iter().filter(|complete| !complete).count()
    }

    /// Returns the number of missing values in the given rows.
    pub fn missing_in(&self, rows: &[usize]) -> usize {
        let missing = |input: usize| rows.iter().filter(|&&row| self.x[(row, input)].is_nan()).count();
        self.first_inputs().map(|(_, input)| missing(input)).sum()
    }

    /// Returns the column with the most missing values, and their number.
    pub fn most_missing(&self) -> Option<(&InputColumn, usize)> {
        let missing = |input: usize| self.x.column(input).iter().filter(|value| value.is_nan()).count();
        self.first_inputs().map(|(column, input)| (column, missing(input))).max_by_key(|(_, missing)| *missing)
    }
}
