//! Parquet files: columns by name, row groups in parallel.
//!
//! A file is read by pieces, one column of one row group each. Columns that nobody asks for are not read at all.

#[cfg(test)]
mod bounds_tests;
mod cells;
mod compact;
mod footer;
#[cfg(test)]
mod footer_tests;
mod pages;
mod pieces;
#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use nalgebra::DMatrix;
use parquet::column::reader::get_column_reader;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use rayon::prelude::*;

use crate::data::DataError;
use crate::data::column_error::ColumnError;
use crate::data::value::Fields;
use crate::message::message;
use crate::message::setting::IGNORE;
use cells::{Cell, Limits, each_cell};
use footer::damaged;
use pages::Checked;
use pieces::Pieces;

/// The bytes at both ends of a file.
const MAGIC: [u8; 4] = *b"PAR1";

/// Names that a message lists.
const MOST_LISTED: usize = 20;

/// A file that is open. Its values stay in the file until they are asked for.
#[derive(Clone)]
pub struct Parquet {
    source: Pieces,
    reader: Arc<dyn FileReader>,
    /// The names of the columns at the top, nested ones included.
    pub names: Vec<String>,
    /// The column of values of each name; none for a nested column.
    leaves: Vec<Option<usize>>,
    /// The rows that are wanted of each row group, without groups of which none is.
    groups: Vec<Piece>,
    /// The number of rows of the file.
    all: usize,
    /// The number of rows that lie before the wanted ones.
    first: usize,
    /// The number of rows that are wanted.
    pub rows: usize,
}

/// Rows of a row group.
#[derive(Clone, Debug)]
struct Piece {
    group: usize,
    rows: Range<usize>,
}

/// Opens a file if it begins like a Parquet file.
pub fn recognised_file(path: &Path) -> Option<File> {
    let mut file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|it| it.is_file()))?;
    let mut magic = [0; MAGIC.len()];
    file.read_exact(&mut magic).ok()?;
    (magic == MAGIC).then_some(file)
}

/// Opens a file, which stays open.
pub fn open(path: &str, file: File) -> Result<Parquet, DataError> {
    read(path, Pieces::new(file).map_err(|source| DataError::Read { path: path.to_owned(), source })?)
}

/// Opens the bytes of a file.
pub fn parse(path: &str, bytes: Vec<u8>) -> Result<Parquet, DataError> {
    read(path, bytes.into())
}

fn read(path: &str, source: Pieces) -> Result<Parquet, DataError> {
    footer::check(&source).ok_or_else(|| damaged(path))?;
    let reader = caught(|| SerializedFileReader::new(source.clone())).ok_or_else(|| damaged(path))?;
    let metadata = reader.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let fields = schema.root_schema().get_fields();
    let names: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
    let mut leaves = vec![None; names.len()];
    for leaf in 0..schema.num_columns() {
        let root = schema.get_column_root_idx(leaf);
        if schema.column(leaf).max_rep_level() == 0 && fields[root].is_primitive() {
            leaves[root] = Some(leaf);
        }
    }
    let columns = names.into_iter().zip(leaves).filter(|(name, _)| !is_index(name));
    let (names, leaves): (Vec<String>, Vec<Option<usize>>) = columns.unzip();
    let rows_of = |group: &RowGroupMetaData| usize::try_from(group.num_rows()).map_err(|_| damaged(path));
    let groups = metadata.row_groups().iter().map(rows_of).collect::<Result<Vec<usize>, DataError>>()?;
    let rows = groups.iter().try_fold(0_usize, |sum, &rows| sum.checked_add(rows)).ok_or_else(|| damaged(path))?;
    metadata.row_groups().iter().try_for_each(|group| footer::check_columns(path, group, source.bytes()))?;
    footer::check_sizes(path, metadata, rows, leaves.iter().flatten().count(), source.bytes())?;
    let problem = match (names.len(), rows) {
        (0, _) => "has no columns",
        (_, 0) => "has no rows",
        _ => {
            let groups = groups.into_iter().enumerate().map(|(group, rows)| Piece { group, rows: 0..rows }).collect();
            return Ok(Parquet { source, reader: Arc::new(reader), names, leaves, groups, all: rows, first: 0, rows });
        }
    };
    Err(DataError::Format { path: path.to_owned(), problem: format!("{problem}; write the table again").into() })
}

/// Returns whether a column has the numbers of rows, which pandas writes for a table whose rows were filtered or moved.
fn is_index(name: &str) -> bool {
    let level = name.strip_prefix("__index_level_").and_then(|rest| rest.strip_suffix("__"));
    level.is_some_and(|level| !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the result of reading, none for an error. The package `parquet` panics over some damaged pages.
fn caught<T, E>(read: impl FnOnce() -> Result<T, E>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok()?.ok()
}

impl fmt::Debug for Parquet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parquet").field("names", &self.names).field("rows", &self.rows).finish_non_exhaustive()
    }
}

impl Parquet {
    /// Returns the numbers in the given columns, n×c; NaN for missing values.
    pub fn numbers(&self, path: &str, columns: &[usize], rules: &Fields<'_>) -> Result<DMatrix<f64>, DataError> {
        self.refuse_nested(path, columns)?;
        let mut values = DMatrix::zeros(self.rows, columns.len());
        let mut rest = values.as_mut_slice();
        let mut pieces = Vec::new();
        for &column in columns {
            let mut first = self.first;
            for group in &self.groups {
                let (piece, others) = std::mem::take(&mut rest).split_at_mut(group.rows.len());
                pieces.push((column, group, first, piece));
                rest = others;
                first += group.rows.len();
            }
        }
        let read = |(column, group, first, piece): (usize, &Piece, usize, &mut [f64])| {
            self.each(path, column, group, |row, cell| {
                let number = match &cell {
                    Cell::Missing => rules.number(""),
                    Cell::Number(value) => rules.value(*value),
                    Cell::Text(text) => rules.number(text),
                };
                let error = |problem| DataError::Value {
                    path: path.to_owned(),
                    place: self.place((first + row) as u64 + 1, column),
                    text: cell.to_string().chars().take(40).collect(),
                    problem,
                };
                piece[row] = number.map_err(error)?;
                Ok(())
            })
        };
        // The first error in the order of columns and rows, whatever the order in which pieces are read.
        let read: Vec<Result<(), DataError>> = pieces.into_par_iter().map(read).collect();
        read.into_iter().collect::<Result<(), DataError>>()?;
        Ok(values)
    }

    /// Returns the values of a column as text, each with the number of its row from 1; empty for a missing value.
    pub fn fields(&self, path: &str, column: usize) -> Result<Vec<(u64, String)>, DataError> {
        // A damaged footer must not take memory that the rows do not need.
        let mut found = Vec::new();
        self.each_in_column(path, column, |row, cell| {
            found.push((row, cell.to_string()));
            Ok(())
        })?;
        Ok(found)
    }

    /// Visits the values of a column with the numbers of their rows from 1.
    pub fn each_in_column(
        &self,
        path: &str,
        column: usize,
        mut visit: impl FnMut(u64, Cell) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let mut first = self.first;
        for group in &self.groups {
            self.each(path, column, group, |row, cell| visit((first + row) as u64 + 1, cell))?;
            first += group.rows.len();
        }
        Ok(())
    }

    /// Returns where a value is, for error messages.
    pub fn place(&self, row: u64, column: usize) -> String {
        format!("row {row}, column {:?}", self.names[column])
    }

    /// Returns the given rows alone.
    pub fn block(&self, rows: Range<usize>) -> Parquet {
        let mut groups = Vec::new();
        let mut first = 0;
        for Piece { group, rows: all } in &self.groups {
            let within = |row: usize| all.start + row.clamp(first, first + all.len()) - first;
            let wanted = within(rows.start)..within(rows.end);
            first += all.len();
            if !wanted.is_empty() {
                groups.push(Piece { group: *group, rows: wanted });
            }
        }
        Parquet { groups, first: self.first + rows.start, rows: rows.len(), ..self.clone() }
    }

    /// Visits the values of a column in rows of a row group, with their numbers from 0.
    fn each(
        &self,
        path: &str,
        column: usize,
        piece: &Piece,
        visit: impl FnMut(usize, Cell) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let Some(leaf) = self.leaves[column] else { return self.refuse_nested(path, &[column]) };
        let kind = self.reader.metadata().file_metadata().schema_descr().column(leaf);
        let read = || {
            let group = self.reader.get_row_group(piece.group).map_err(|_| None)?;
            let stated = pages::check(&self.source, group.metadata().column(leaf)).ok_or(None)?;
            let pages = Checked::new(group.get_column_page_reader(leaf).map_err(|_| None)?, &kind);
            let values = get_column_reader(kind.clone(), Box::new(pages));
            let share = group.metadata().num_rows() as f64 / self.all as f64;
            let limits = Limits::new(stated, self.source.bytes(), share);
            each_cell(values, &kind, limits, piece.rows.clone(), visit)
        };
        let mut refused = None;
        let done = caught(|| read().map_err(|error| refused = error));
        done.ok_or_else(|| refused.unwrap_or_else(|| damaged(path)))
    }

    /// Names the nested ones among columns, and the setting that leaves them out.
    pub fn refuse_nested(&self, path: &str, columns: &[usize]) -> Result<(), DataError> {
        let nested = columns.iter().filter(|&&column| self.leaves[column].is_none());
        let nested: Vec<&str> = nested.map(|&column| self.names[column].as_str()).collect();
        if nested.is_empty() {
            return Ok(());
        }
        let s = if nested.len() == 1 { "" } else { "s" };
        let more = if nested.len() > MOST_LISTED { ", ..." } else { "" };
        let names = nested[..nested.len().min(MOST_LISTED)].join(", ");
        let ignored = nested[..nested.len().min(MOST_LISTED)].join(",");
        let problem = message!("has lists or structures in the column{s} {names}{more}; add ", IGNORE.with(ignored));
        Err(ColumnError::NotNumbers { path: path.to_owned(), problem }.into())
    }
}
