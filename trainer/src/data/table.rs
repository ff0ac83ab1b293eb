//! Data files of every supported format.

use std::fs;
use std::path::Path;

use nalgebra::DMatrix;
use srfm_runtime::format::MAGIC;

use crate::data::array::{Array, idx_header, is_idx, is_npy, npy_header};
use crate::data::column_error::ColumnError;
use crate::data::contents::not_numbers;
use crate::data::csv::Text;
use crate::data::layout::automatic_name;
use crate::data::memory::{Memory, Values};
#[cfg(feature = "parquet")]
use crate::data::parquet::{self, Parquet};
use crate::data::value::{Fields, ValueProblem};
use crate::data::{DataError, gzip};

/// The largest size of a file's values in memory, in bytes.
const MEMORY_LIMIT: u128 = 8 << 30;

/// The bytes that begin a zip archive.
pub(crate) const ZIP: &[u8] = b"PK\x03\x04";

/// The line or row of a label, from 1, and the label; none if the label is missing.
pub(crate) type Label = (u64, Option<String>);

/// The columns of a data file, not yet divided into inputs and targets.
#[derive(Clone, Debug)]
pub struct Table {
    path: String,
    names: Vec<String>,
    /// The number of rows of an array that lie before those of the table.
    first: usize,
    content: Content,
}

/// The values of a file.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Text(Text),
    Array {
        array: Array,
        may_hold_targets: bool,
    },
    Memory(Memory),
    #[cfg(feature = "parquet")]
    Parquet(Parquet),
}

impl Table {
    /// Reads a data file.
    ///
    /// Supported formats are CSV (fields separated by commas, semicolons, tabs, bars or blanks, with or without a
    /// header), `.npy` and IDX, each also compressed with gzip, and Parquet with the feature `parquet`. The content of
    /// the file decides, not its name.
    ///
    /// # Errors
    /// [`DataError`] if the file cannot be read, is empty, damaged or cut short, or has rows of different lengths.
    pub fn read(path: impl AsRef<Path>) -> Result<Table, DataError> {
        let name = path.as_ref().display().to_string();
        #[cfg(feature = "parquet")]
        if let Some(file) = parquet::recognised_file(path.as_ref()) {
            let file = parquet::open(&name, file)?;
            return Ok(Table { path: name, names: file.names.clone(), first: 0, content: Content::Parquet(file) });
        }
        let bytes = fs::read(path).map_err(|source| DataError::Read { path: name.clone(), source })?;
        Table::parse(&name, bytes)
    }

    /// Reads the bytes of a data file; error messages call the file `path`.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn parse(path: &str, bytes: Vec<u8>) -> Result<Table, DataError> {
        let bytes = gzip::decompressed(path, bytes)?;
        let content = if is_npy(&bytes) {
            let header = npy_header(path, &bytes)?;
            Content::Array { array: Array::new(path, bytes, header)?, may_hold_targets: true }
        } else if is_idx(&bytes) {
            let header = idx_header(path, &bytes)?;
            Content::Array { array: Array::new(path, bytes, header)?, may_hold_targets: false }
        } else if bytes.starts_with(b"PAR1") {
            parquet(path, bytes)?
        } else if bytes.starts_with(ZIP) {
            return Err(zipped(path));
        } else if bytes.starts_with(&MAGIC) {
            let problem = "is an srfm model, not a table; name a file of rows".into();
            return Err(DataError::Format { path: path.to_owned(), problem });
        } else {
            Content::Text(Text::open(path, bytes)?)
        };
        Ok(Table::of(path, 0, content))
    }

    /// Creates a table of columns in memory; error messages call it `name`, and its rows count from 0.
    ///
    /// Without `names`, columns are found by their numbers, as those of a file without a header.
    ///
    /// ```
    /// use srfm_trainer::data::{Source, Table, TargetKind, Values};
    ///
    /// # fn main() -> Result<(), srfm_trainer::data::DataError> {
    /// let columns = vec![Values::Numbers(vec![0.5, 2.5, 1.5]), Values::Numbers(vec![1.0, 5.0, 3.0])];
    /// let names = ["volts", "bar"].map(String::from);
    /// let table = Table::from_columns("log", &names, columns)?;
    /// let data = Source::new(table, None, &[]).dataset(TargetKind::Quantities)?;
    /// assert_eq!((data.rows(), data.input_names), (3, vec!["volts".to_owned()]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`DataError::Format`] for columns of different lengths, or names that are not one for each column.
    pub fn from_columns(name: &str, names: &[String], columns: Vec<Values>) -> Result<Table, DataError> {
        let memory = Memory::new(name, names.len(), columns)?;
        let table = Table::of(name, 0, Content::Memory(memory));
        Ok(if names.is_empty() { table } else { Table { names: names.to_vec(), ..table } })
    }

    /// Creates a table of the rows that follow the first `first` ones of an array.
    pub(crate) fn of(path: &str, first: usize, content: Content) -> Table {
        let names = match &content {
            Content::Text(text) => text.names.clone(),
            Content::Array { array, .. } => (1..=array.columns()).map(automatic_name).collect(),
            Content::Memory(memory) => (1..=memory.columns()).map(automatic_name).collect(),
            #[cfg(feature = "parquet")]
            Content::Parquet(file) => file.names.clone(),
        };
        Table { path: path.to_owned(), names, first, content }
    }

    /// Returns the path of the file, as the caller gave it.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the values of the file.
    pub(crate) fn content(&self) -> &Content {
        &self.content
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        match &self.content {
            Content::Text(text) => text.rows,
            Content::Array { array, .. } => array.rows(),
            Content::Memory(memory) => memory.rows(),
            #[cfg(feature = "parquet")]
            Content::Parquet(file) => file.rows,
        }
    }

    /// Returns the column names; `column 1` and so on in a file without a header.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the columns without those that have neither a name nor a value.
    pub(crate) fn columns(&self) -> Vec<usize> {
        let is_blank = |column: &usize| match &self.content {
            Content::Text(text) => text.blank.contains(column),
            _ => false,
        };
        (0..self.names.len()).filter(|column| !is_blank(column)).collect()
    }

    /// Returns a warning about the file in one sentence, such as a header with numbers in it.
    pub fn remark(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => text.remark.as_deref(),
            _ => None,
        }
    }

    /// Returns whether the file names its columns.
    pub(crate) fn has_header(&self) -> bool {
        match &self.content {
            Content::Text(text) => text.has_header,
            Content::Array { .. } => false,
            Content::Memory(memory) => memory.named,
            #[cfg(feature = "parquet")]
            Content::Parquet(_) => true,
        }
    }

    /// Takes the header as a row if it may be one and the table then has `rows` rows.
    ///
    /// A column of labels alone looks like a column with a name; the number of rows tells them apart.
    pub(crate) fn with_rows(self, rows: usize) -> Table {
        match self.content {
            Content::Text(text) if text.has_header && text.header_may_be_row && text.rows + 1 == rows => {
                let text = text.without_header();
                Table { path: self.path, names: text.names.clone(), first: 0, content: Content::Text(text) }
            }
            content => Table { content, ..self },
        }
    }

    /// Returns whether targets may be among the columns. An IDX file holds images or labels, never both.
    pub(crate) fn may_hold_targets(&self) -> bool {
        !matches!(self.content, Content::Array { may_hold_targets: false, .. })
    }

    /// Returns whether all values probably share a unit: pixels of images, or 8-bit numbers.
    pub(crate) fn shares_unit(&self) -> bool {
        matches!(&self.content, Content::Array { array, .. } if array.shares_unit())
    }

    /// Returns the numbers in the given columns, n×c; NaN for missing values.
    ///
    /// # Errors
    /// [`DataError::Value`] if a value is not a finite number within the range of `f32`, or missing against the rules;
    /// [`DataError::Memory`] if the values take more than 8 GiB.
    pub(crate) fn numbers(&self, columns: &[usize], rules: &Fields<'_>) -> Result<DMatrix<f64>, DataError> {
        self.check_memory(columns.len())?;
        let array = match &self.content {
            Content::Text(text) => return text.numbers(&self.path, columns, rules),
            Content::Array { array, .. } => array,
            Content::Memory(memory) => {
                return memory.numbers(columns, rules, |row, column, text, problem| {
                    self.value_error(row, column, text, problem)
                });
            }
            #[cfg(feature = "parquet")]
            Content::Parquet(file) => return file.numbers(&self.path, columns, rules),
        };
        let mut values = DMatrix::zeros(array.rows(), columns.len());
        for (mut to, &column) in values.column_iter_mut().zip(columns) {
            for (row, (to, value)) in to.iter_mut().zip(array.column(column)).enumerate() {
                *to = rules.value(value).map_err(|problem| {
                    self.value_error((self.first + row) as u64 + 1, column, &value.to_string(), problem)
                })?;
            }
        }
        Ok(values)
    }

    /// Checks that the numbers of so many columns fit into memory.
    ///
    /// # Errors
    /// [`DataError::Memory`] if they take more than 8 GiB.
    pub(crate) fn check_memory(&self, columns: usize) -> Result<(), DataError> {
        let bytes = self.rows() as u128 * columns as u128 * 8;
        if bytes > MEMORY_LIMIT {
            let path = self.path.clone();
            let rows = self.rows();
            let gib = bytes as f64 / (1 << 30) as f64;
            return Err(DataError::Memory { path, rows, columns, gib });
        }
        Ok(())
    }

    /// Returns the labels in a column, each with the number of its line or row; none for a missing label.
    ///
    /// # Errors
    /// [`DataError::Value`] if a label is not finite, or missing against the rules.
    pub(crate) fn labels(&self, column: usize, rules: &Fields<'_>) -> Result<Vec<Label>, DataError> {
        let labels: Vec<(u64, String)> = match &self.content {
            Content::Text(text) => text.fields(&self.path, column)?,
            Content::Array { array, .. } => {
                (self.first as u64 + 1..).zip(array.column(column).map(|value| value.to_string())).collect()
            }
            Content::Memory(memory) => memory.texts(column),
            #[cfg(feature = "parquet")]
            Content::Parquet(file) => file.fields(&self.path, column)?,
        };
        let checked = |(line, label): (u64, String)| match rules.is_missing(&label) {
            Ok(missing) => Ok((line, Some(label).filter(|_| !missing))),
            Err(problem) => Err(self.value_error(line, column, &label, problem)),
        };
        labels.into_iter().map(checked).collect()
    }

    /// Returns the error that names columns of text and columns without values among the given ones, if there are any.
    pub(crate) fn not_numbers(&self, columns: &[usize], rules: &Fields<'_>) -> Result<Option<ColumnError>, DataError> {
        let names: Vec<&str> = columns.iter().map(|&column| self.names[column].as_str()).collect();
        match &self.content {
            Content::Text(text) => not_numbers(&self.path, &names, "line", rules, |visit| {
                text.each_row(&self.path, |_, line, row| {
                    columns.iter().enumerate().for_each(|(place, &column)| visit(place, line, row[column]));
                    Ok(())
                })
            }),
            Content::Array { .. } | Content::Memory(_) => Ok(None),
            #[cfg(feature = "parquet")]
            Content::Parquet(file) => not_numbers(&self.path, &names, "row", rules, |visit| {
                columns.iter().enumerate().try_for_each(|(place, &column)| {
                    file.each_in_column(&self.path, column, |row, cell| {
                        visit(place, row, &cell.to_string());
                        Ok(())
                    })
                })
            }),
        }
    }

    /// Returns the line or row of a value, counted from 1, and its column for error messages.
    pub(crate) fn place(&self, line: u64, column: usize) -> String {
        match &self.content {
            Content::Text(text) => text.place(line, column),
            Content::Array { .. } | Content::Memory(_) => format!("row {line}, {}", self.names[column]),
            #[cfg(feature = "parquet")]
            Content::Parquet(file) => file.place(line, column),
        }
    }

    fn value_error(&self, line: u64, column: usize, text: &str, problem: ValueProblem) -> DataError {
        DataError::Value { path: self.path.clone(), place: self.place(line, column), text: text.to_owned(), problem }
    }
}

/// The error of a zip archive.
pub(crate) fn zipped(path: &str) -> DataError {
    let problem = "is a zip archive; save a spreadsheet as CSV; for .npz unpack the .npy files, or save the arrays \
                   with numpy.save";
    DataError::Format { path: path.to_owned(), problem: problem.into() }
}

/// Opens the bytes of a Parquet file.
#[cfg(feature = "parquet")]
fn parquet(path: &str, bytes: Vec<u8>) -> Result<Content, DataError> {
    parquet::parse(path, bytes).map(Content::Parquet)
}

/// Refuses the bytes of a Parquet file.
#[cfg(not(feature = "parquet"))]
fn parquet(path: &str, _: Vec<u8>) -> Result<Content, DataError> {
    let problem = "is a Parquet file, which this build does not read; build srfm with its feature parquet";
    Err(DataError::Format { path: path.to_owned(), problem: problem.into() })
}
