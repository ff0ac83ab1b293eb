//! Errors of reading data.

use std::io::ErrorKind;

use crate::data::column_error::{ColumnError, counted};
use crate::data::value::ValueProblem;
use crate::message::setting::{LABELS, MEMORY, TARGET, TASK};
use crate::message::{Explain, Message, display_by_message, message, message_by_display};

/// The largest distance from the first row at which a row of other length may be the header, below a logger's notes.
const NEAR_TOP: u64 = 20;

/// The reason why data cannot be used.
///
/// Messages name the file, the place in it and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The columns do not serve their purpose.
    Columns(ColumnError),
    /// The file cannot be opened or read.
    Read {
        /// The file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file has no rows and no header.
    Empty {
        /// The file.
        path: String,
    },
    /// The file has a header and no rows.
    NoRows {
        /// The file.
        path: String,
        /// The line of the header, from 1.
        line: u64,
    },
    /// A row has more or fewer fields than the first row.
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
    Value {
        /// The file.
        path: String,
        /// The line or row, and the column.
        place: String,
        /// The text of the value.
        text: String,
        /// What is wrong with the value.
        problem: ValueProblem,
    },
    /// A compressed file is damaged.
    Compressed {
        /// The file.
        path: String,
        /// The error of the decompressor.
        source: std::io::Error,
    },
    /// A compressed file is too large when decompressed.
    Inflated {
        /// The file.
        path: String,
        /// The limit, in MiB.
        mib: usize,
    },
    /// The file has a format that is not supported.
    Format {
        /// The file.
        path: String,
        /// What is wrong with the file, and what to do.
        problem: Message,
    },
    /// The header of an array file does not match the number of bytes after it.
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
    NotText {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u64,
    },
    /// The number of named targets is not the model's number of outputs.
    TargetCount {
        /// The file.
        path: String,
        /// The number of named targets.
        named: usize,
        /// The number of outputs of the model.
        outputs: usize,
    },
    /// The file can hold inputs only, and there is no file of targets.
    NoTargets {
        /// The file.
        path: String,
    },
    /// The files of inputs and of targets have different numbers of rows.
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
    SeveralTargets {
        /// The file.
        path: String,
        /// The number of target columns.
        named: usize,
    },
    /// All rows have the same class.
    OneClass {
        /// The file.
        path: String,
        /// The class.
        name: String,
    },
    /// There are more labels than a model may have classes.
    ManyClasses {
        /// The file.
        path: String,
        /// The number of different labels.
        classes: usize,
        /// The largest number of classes of a model.
        limit: usize,
    },
    /// Most classes have a single row.
    FewRowsPerClass {
        /// The file.
        path: String,
        /// The number of classes.
        classes: usize,
        /// The number of rows.
        rows: usize,
    },
    /// A label is not a class of the model.
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

impl Explain for DataError {
    fn message(&self) -> Message {
        match self {
            DataError::Columns(error) => error.message(),
            DataError::Read { path, source } => message!("{path}: cannot be read: ", unreadable(source)),
            DataError::Empty { path } => message!("{path}: the file is empty; add one line of values per sample"),
            DataError::NoRows { path, line } => {
                message!("{path}: no rows follow the header in line {line}; add one line of values per sample")
            }
            DataError::Ragged { path, line, first_line, expected, found, quoted } => {
                let fields = counted(*found, "field");
                let advice = ragged_advice(*line, *first_line, *quoted);
                message!("{path}, line {line}: {fields} where line {first_line} has {expected}; ", advice)
            }
            DataError::Value { path, place, text, problem } => {
                message!("{path}, {place}: {text:?} ", problem.message())
            }
            DataError::Compressed { path, source } => {
                message!("{path}: cannot be decompressed: {source}; get the file again")
            }
            DataError::Inflated { path, mib } => {
                message!("{path}: exceeds the limit of {mib} MiB when decompressed; decompress or divide the file")
            }
            DataError::Format { path, problem } => message!("{path}: ", problem),
            DataError::Length { path, shape, expected, found } => length_message(path, shape, *expected, *found),
            DataError::Memory { path, rows, columns, gib } => memory_message(path, *rows, *columns, *gib),
            DataError::NotText { path, line } => {
                message!("{path}, line {line}: not UTF-8 text; save the file as CSV in UTF-8")
            }
            DataError::TargetCount { path, named, outputs } => target_count(path, *named, *outputs),
            DataError::NoTargets { path } => {
                message!("{path}: holds inputs alone; name the file of targets with ", LABELS)
            }
            DataError::RowCount { path, rows, labels, found } => {
                let found = counted(*found, "row");
                message!("{labels}: {found}, but {path} has {rows}; both files must have one row per sample")
            }
            DataError::SeveralTargets { path, named } => {
                message!("{path}: {named} target columns, but classes are in one; name that column as ", TARGET)
            }
            DataError::OneClass { path, name } => {
                message!("{path}: every row has the class {name:?}; add rows, since a fit needs at least two classes")
            }
            DataError::ManyClasses { path, classes, limit } => {
                message!(
                    "{path}: {classes} different labels, but a model has at most {limit} classes; ",
                    quantities_advice()
                )
            }
            DataError::FewRowsPerClass { path, classes, rows } => {
                message!(
                    "{path}: {classes} classes in {rows} rows leave most classes a single row; ",
                    quantities_advice()
                )
            }
            DataError::UnknownClass { path, place, label, classes } => {
                message!("{path}, {place}: ", unknown_class(label, classes))
            }
        }
    }
}

display_by_message!(DataError);

impl From<ColumnError> for DataError {
    fn from(error: ColumnError) -> Self {
        DataError::Columns(error)
    }
}

/// Says what to do about a row with more or fewer fields than the first row.
fn ragged_advice(line: u64, first_line: u64, quoted: bool) -> &'static str {
    if quoted {
        "a quote opens in this line: close or remove it, or complete the row"
    } else if line <= first_line + NEAR_TOP {
        "complete or remove the row; text above the header needs a # before each line"
    } else {
        "complete or remove the row"
    }
}

/// Says that an array file has more or fewer bytes than its header announces.
fn length_message(path: &str, shape: &str, expected: u128, found: usize) -> Message {
    let plural = if expected == 1 { "" } else { "s" };
    message!(
        "{path}: the header announces {shape} values, {expected} byte{plural}, but {found} follow; the file is cut \
         short or damaged, get it again"
    )
}

/// Says that the values take too much memory.
fn memory_message(path: &str, rows: usize, columns: usize, gib: f64) -> Message {
    message!(
        "{path}: {rows} rows of {columns} values take {gib:.1} GiB, more than 8 GiB; set ",
        MEMORY,
        ", or use fewer rows"
    )
}

/// Says that the named targets are not as many as the outputs of the model.
fn target_count(path: &str, named: usize, outputs: usize) -> Message {
    message!("{path}: {named} target(s) named, but the model has {outputs} output(s); name each target once")
}

/// Says that a label is not a class of the model.
fn unknown_class(label: &str, classes: &str) -> Message {
    message!(
        "the class {label:?} does not occur in the training rows; remove the row or correct the label; the classes \
         are {classes}"
    )
}

/// Returns the advice for targets that are probably no classes.
fn quantities_advice() -> Message {
    message!("if the labels are quantities, set ", TASK.to("regression"))
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
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    /// The weights do not suit the rows.
    #[error("{weights} weights for {rows} rows")]
    Weights {
        /// The number of weights.
        weights: usize,
        /// The number of rows.
        rows: usize,
    },
    /// A weight of a row that is negative or not finite.
    #[error("row {row} has the weight {weight}; weights are finite numbers of at least 0")]
    RowWeight {
        /// The row, from 0.
        row: usize,
        /// The weight.
        weight: f64,
    },
    /// All rows have the weight 0.
    #[error("all weights are 0; give a row that counts a weight above 0")]
    NoWeight,
    /// Weights of classes beside quantities.
    #[error("class weights work with classes only")]
    WeightsOfQuantities,
    /// A weight of a class that there is not.
    #[error("there is no class {name:?} to give a weight; the classes are {known}")]
    UnknownClass {
        /// The name that was given.
        name: String,
        /// The names of the classes.
        known: String,
    },
    /// A weight that is not a positive number.
    #[error("the weight of class {name:?} must be above 0 and finite, not {weight}")]
    Weight {
        /// The name of the class.
        name: String,
        /// The weight.
        weight: f64,
    },
    /// Too few or too many different labels.
    #[error("{found} different labels; classes are from 2 to 1000")]
    Classes {
        /// The number of labels.
        found: usize,
    },
}

message_by_display!(DatasetError);
