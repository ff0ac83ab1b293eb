//! Errors of reading data.

use std::io::ErrorKind;

use crate::data::column_error::{ColumnError, counted};

/// The largest distance from the first row at which a row of other length may be the header, below a logger's notes.
const NEAR_TOP: u64 = 20;

/// The reason why data cannot be used.
///
/// Messages name the file, the place in it and what to do. Names of settings are in backticks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The columns do not serve their purpose.
    #[error(transparent)]
    Columns(#[from] ColumnError),
    /// The file cannot be opened or read.
    #[error("{path}: cannot be read: {}", unreadable(source))]
    Read {
        /// The file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file has no rows and no header.
    #[error("{path}: the file is empty; add one line of values per sample")]
    Empty {
        /// The file.
        path: String,
    },
    /// The file has a header and no rows.
    #[error("{path}: no rows follow the header in line {line}; add one line of values per sample")]
    NoRows {
        /// The file.
        path: String,
        /// The line of the header, from 1.
        line: u64,
    },
    /// A row has more or fewer fields than the first row.
    #[error(
        "{path}, line {line}: {} where line {first_line} has {expected}; {}",
        counted(*found, "field"), if *quoted {
            "a quote opens in this line: close or remove it, or complete the row"
        } else if *line <= *first_line + NEAR_TOP {
            "complete or remove the row; text above the header needs a # before each line"
        } else {
            "complete or remove the row"
        }
    )]
    Ragged {
        /// The file.
        path: String,
        /// The line of the row, from 1.
        line: u64,
        /// The line of the first row.
        first_line: u64,
        /// The number of fields in the first row.
        expected: usize,
        /// The number of fields in this row.
        found: usize,
        /// Whether a quote probably opens in the row and does not close.
        quoted: bool,
    },
    /// A value cannot be used as a number.
    #[error("{path}, {place}: {text:?} {problem}")]
    Value {
        /// The file.
        path: String,
        /// The line or row, and the column.
        place: String,
        /// The text of the value.
        text: String,
        /// What is wrong with the value, and what to do.
        problem: &'static str,
    },
    /// A compressed file is damaged.
    #[error("{path}: cannot be decompressed: {source}; get the file again")]
    Compressed {
        /// The file.
        path: String,
        /// The error of the decompressor.
        source: std::io::Error,
    },
    /// A compressed file is too large when decompressed.
    #[error("{path}: exceeds the limit of {mib} MiB when decompressed; decompress or divide the file")]
    Inflated {
        /// The file.
        path: String,
        /// The limit, in MiB.
        mib: usize,
    },
    /// The file has a format that is not supported.
    #[error("{path}: {problem}")]
    Format {
        /// The file.
        path: String,
        /// What is wrong with the file, and what to do.
        problem: String,
    },
    /// The header of an array file does not match the number of bytes after it.
    #[error(
        "{path}: the header announces {shape} values, {expected} byte{}, but {found} follow; the file is cut short or \
         damaged, get it again",
        if *expected == 1 { "" } else { "s" }
    )]
    Length {
        /// The file.
        path: String,
        /// The dimensions.
        shape: String,
        /// The size of all elements, in bytes.
        expected: u128,
        /// The number of bytes after the header.
        found: usize,
    },
    /// The values take too much memory.
    #[error(
        "{path}: {rows} rows of {columns} values take {gib:.1} GiB, more than 8 GiB; set `memory`, or use fewer rows"
    )]
    Memory {
        /// The file.
        path: String,
        /// The number of rows in the file.
        rows: usize,
        /// The number of columns in use.
        columns: usize,
        /// The memory of their values, in GiB.
        gib: f64,
    },
    /// The bytes are not text.
    #[error("{path}, line {line}: not UTF-8 text; save the file as CSV in UTF-8")]
    NotText {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
    },
    /// The number of named targets is not the model's number of outputs.
    #[error("{path}: {named} target(s) named, but the model has {outputs} output(s); name each target once")]
    TargetCount {
        /// The file.
        path: String,
        /// The number of named targets.
        named: usize,
        /// The number of outputs of the model.
        outputs: usize,
    },
    /// The file can hold inputs only, and there is no file of targets.
    #[error("{path}: holds inputs alone; name the file of targets with `labels`")]
    NoTargets {
        /// The file.
        path: String,
    },
    /// The files of inputs and of targets have different numbers of rows.
    #[error("{labels}: {}, but {path} has {rows}; both files must have one row per sample", counted(*found, "row"))]
    RowCount {
        /// The file of inputs.
        path: String,
        /// The number of rows in that file.
        rows: usize,
        /// The file of targets.
        labels: String,
        /// The number of rows in that file.
        found: usize,
    },
    /// Several columns are named as the target, but one column holds the classes.
    #[error("{path}: {named} target columns, but classes are in one; name that column as `target`")]
    SeveralTargets {
        /// The file.
        path: String,
        /// The number of target columns.
        named: usize,
    },
    /// All rows have the same class.
    #[error("{path}: every row has the class {name:?}; add rows, since a fit needs at least two classes")]
    OneClass {
        /// The file.
        path: String,
        /// The class.
        name: String,
    },
    /// There are more labels than a model may have classes.
    #[error(
        "{path}: {classes} different labels, but a model has at most {limit} classes; if the labels are quantities, \
         set `task` to regression"
    )]
    ManyClasses {
        /// The file.
        path: String,
        /// The number of different labels.
        classes: usize,
        /// The largest number of classes of a model.
        limit: usize,
    },
    /// Most classes have a single row.
    #[error(
        "{path}: {classes} classes in {rows} rows leave most classes a single row; if the labels are quantities, set \
         `task` to regression"
    )]
    FewRowsPerClass {
        /// The file.
        path: String,
        /// The number of classes.
        classes: usize,
        /// The number of rows.
        rows: usize,
    },
    /// A label is not a class of the model.
    #[error(
        "{path}, {place}: the class {label:?} does not occur in the training rows; remove the row or correct the \
         label; the classes are {classes}"
    )]
    UnknownClass {
        /// The file.
        path: String,
        /// The line or row, and the column.
        place: String,
        /// The label.
        label: String,
        /// The first of the classes.
        classes: String,
    },
}

/// Says why a file cannot be read, and what to do.
fn unreadable(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file; check its name and its folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied; allow this user to read it".to_owned(),
        ErrorKind::IsADirectory => "it is a folder; name a file".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_owned()
        }
    }
}

/// The reason why matrices are no data set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// Inputs and targets have different numbers of rows.
    #[error("{inputs} rows of inputs, but {targets} rows of targets")]
    Rows {
        /// The number of rows of the inputs.
        inputs: usize,
        /// The number of rows of the targets.
        targets: usize,
    },
    /// There is no input or no target.
    #[error("a data set needs a column of inputs and a target")]
    NoColumn,
    /// A value is infinite or not a number.
    #[error("row {row} of {column} is not a finite number; leave out the row, or replace the value")]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The name of the column.
        column: String,
    },
    /// The names do not suit the columns.
    #[error("{names} names for {columns} {of}")]
    Names {
        /// `inputs` or `targets`.
        of: &'static str,
        /// The number of names.
        names: usize,
        /// The number of columns.
        columns: usize,
    },
    /// The groups do not suit the rows.
    #[error("{groups} groups for {rows} rows")]
    Groups {
        /// The number of groups.
        groups: usize,
        /// The number of rows.
        rows: usize,
    },
    /// Too few or too many different labels.
    #[error("{found} different labels; classes are from 2 to 1000")]
    Classes {
        /// The number of labels.
        found: usize,
    },
}
