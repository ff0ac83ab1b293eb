//! Files of rows in any of the formats that are read, which is recognised by the content.

use std::fs;
use std::path::Path;

use nalgebra::DMatrix;

use crate::data::array::Array;
use crate::data::csv::Text;
use crate::data::{DataError, automatic_name, gzip, idx, npy};

/// Most bytes that the values of a file may take in memory.
const MOST_BYTES: u128 = 8 << 30;

/// A file of rows before it is known which columns are inputs and which are targets.
#[derive(Clone, Debug)]
pub struct Table {
    /// The file, as it was named.
    path: String,
    /// Column names; `column 1` and so on where the file names none.
    names: Vec<String>,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    Text(Text),
    Array { array: Array, holds_targets: bool },
}

impl Table {
    /// Reads a file: CSV (comma, semicolon, tab, bar or blanks between the fields, with or without a header), `.npy`
    /// or IDX, each of them also compressed with gzip.
    ///
    /// # Errors
    /// [`DataError`] where the file cannot be read, is empty, damaged or cut short, or its rows differ in length.
    pub fn read(path: &Path) -> Result<Table, DataError> {
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|source| DataError::Read { path: name.clone(), source })?;
        Table::parse(&name, bytes)
    }

    /// Takes over the bytes of a file; `path` is what messages call it.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn parse(path: &str, bytes: Vec<u8>) -> Result<Table, DataError> {
        let bytes = gzip::decompressed(path, bytes)?;
        let content = if npy::recognised(&bytes) {
            let header = npy::header(path, &bytes)?;
            Content::Array { array: Array::new(path, bytes, header)?, holds_targets: true }
        } else if idx::recognised(&bytes) {
            let header = idx::header(path, &bytes)?;
            Content::Array { array: Array::new(path, bytes, header)?, holds_targets: false }
        } else if bytes.starts_with(b"PK\x03\x04") {
            let problem = "is a zip archive; for .npz unpack the .npy files, or save the arrays with numpy.save";
            return Err(DataError::Format { path: path.to_owned(), problem: problem.to_owned() });
        } else {
            Content::Text(Text::open(path, bytes)?)
        };
        let names = match &content {
            Content::Text(text) => text.names.clone(),
            Content::Array { array, .. } => (1..=array.columns()).map(automatic_name).collect(),
        };
        Ok(Table { path: path.to_owned(), names, content })
    }

    /// The file, as it was named.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.rows,
            Content::Array { array, .. } => array.rows(),
        }
    }

    /// Column names; `column 1` and so on where the file names none.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether the file names its columns.
    pub fn has_header(&self) -> bool {
        matches!(&self.content, Content::Text(text) if text.has_header)
    }

    /// Takes what looks like a header for a row, if that makes `rows` rows and its text comes again below: labels are text,
    /// as names are.
    pub(crate) fn with_rows(self, rows: usize) -> Table {
        match self.content {
            Content::Text(text) if text.has_header && text.header_comes_again && text.rows + 1 == rows => {
                let text = text.without_header();
                Table { path: self.path, names: text.names.clone(), content: Content::Text(text) }
            }
            content => Table { content, ..self },
        }
    }

    /// What is odd about the file but no obstacle, in a sentence.
    pub fn remark(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => text.remark.as_deref(),
            Content::Array { .. } => None,
        }
    }

    /// Whether targets can be among the columns; an IDX file holds images or labels alone.
    pub fn may_hold_targets(&self) -> bool {
        !matches!(self.content, Content::Array { holds_targets: false, .. })
    }

    /// Whether the file says that all its values are readings of one kind in one unit, such as the pixels of images.
    pub fn shares_unit(&self) -> bool {
        matches!(&self.content, Content::Array { array, .. } if array.shares_unit())
    }

    /// The numbers in some columns, n×c.
    ///
    /// # Errors
    /// [`DataError::Value`] where a value is not a finite number within the range of `f32`, the precision of the device;
    /// [`DataError::Memory`].
    pub fn numbers(&self, columns: &[usize]) -> Result<DMatrix<f64>, DataError> {
        let bytes = self.rows() as u128 * columns.len() as u128 * 8;
        if bytes > MOST_BYTES {
            let (rows, columns, gib) = (self.rows(), columns.len(), bytes as f64 / (1 << 30) as f64);
            return Err(DataError::Memory { path: self.path.clone(), rows, columns, gib });
        }
        let array = match &self.content {
            Content::Text(text) => return text.numbers(&self.path, columns),
            Content::Array { array, .. } => array,
        };
        let mut values = DMatrix::zeros(array.rows(), columns.len());
        for (mut to, &column) in values.column_iter_mut().zip(columns) {
            for (row, (to, value)) in to.iter_mut().zip(array.column(column)).enumerate() {
                *to = in_range(value)
                    .map_err(|problem| self.problem(row as u64 + 1, column, &value.to_string(), problem))?;
            }
        }
        Ok(values)
    }

    /// The labels in a column, each with the number of its line or row.
    ///
    /// # Errors
    /// [`DataError::Value`] where one is missing or not finite.
    pub(crate) fn labels(&self, column: usize) -> Result<Vec<(u64, String)>, DataError> {
        let labels: Vec<(u64, String)> = match &self.content {
            Content::Text(text) => text.fields(&self.path, column)?,
            Content::Array { array, .. } => (1..).zip(array.column(column).map(|value| value.to_string())).collect(),
        };
        for (line, label) in &labels {
            if label.is_empty() {
                return Err(self.problem(*line, column, label, MISSING));
            } else if label.parse().is_ok_and(|value: f64| !value.is_finite()) {
                return Err(self.problem(*line, column, label, NOT_FINITE));
            }
        }
        Ok(labels)
    }

    /// How messages call a value; lines count from 1.
    pub(crate) fn place(&self, line: u64, column: usize) -> String {
        match &self.content {
            Content::Text(text) => text.place(line, column),
            Content::Array { .. } => format!("row {line}, {}", self.names[column]),
        }
    }

    fn problem(&self, line: u64, column: usize, text: &str, problem: &'static str) -> DataError {
        DataError::Value { path: self.path.clone(), place: self.place(line, column), text: text.to_owned(), problem }
    }
}

const MISSING: &str = "is missing; fill in the value or remove the row";
const NOT_FINITE: &str = "is not finite; remove the row";
pub(crate) const NO_NUMBER: &str = "is not a number; remove the column or code it as numbers";

/// The value of a field.
pub(crate) fn number(field: &str) -> Result<f64, &'static str> {
    if field.is_empty() {
        return Err(MISSING);
    }
    match field.parse::<f64>() {
        Err(_) if field.replace(',', ".").parse::<f64>().is_ok() => {
            Err("is not a number; write decimals with a point instead of a comma")
        }
        Err(_) => Err(NO_NUMBER),
        Ok(value) => in_range(value),
    }
}

/// Refuses what the device cannot read.
fn in_range(value: f64) -> Result<f64, &'static str> {
    if !value.is_finite() {
        Err(NOT_FINITE)
    } else if !(value as f32).is_finite() {
        Err("is beyond the range of a 32-bit float (3.4e38); use a larger unit for this column")
    } else {
        Ok(value)
    }
}
