//! Errors of the choice of columns.

use crate::message::setting::{IGNORE, INPUTS, MISSING, TARGET};
use crate::message::{Explain, Message, Setting, display_by_message, message};

/// The reason why the columns of a file cannot be used.
///
/// Messages name the file, the column and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// A setting does not exist, or has another type.
    Setting {
        /// The name of the setting.
        setting: String,
        /// The reason.
        problem: Message,
    },
    /// No column has the given name.
    UnknownColumn {
        /// The file.
        path: String,
        /// The given name.
        name: String,
        /// The names of the first columns.
        available: String,
    },
    /// The file lacks a column that the model takes or was fitted to.
    MissingColumn {
        /// The file.
        path: String,
        /// The name in the description of the model.
        name: String,
        /// The names of the first columns.
        available: String,
    },
    /// Two columns in use have the same name, or a column is used twice.
    AmbiguousColumn {
        /// The file.
        path: String,
        /// The name.
        name: String,
        /// The number of the first of these columns, from 1.
        first: usize,
        /// The number of the second.
        second: usize,
    },
    /// A column is named for two purposes, or for one that does not suit it.
    Role {
        /// The file.
        path: String,
        /// The name of the column.
        name: String,
        /// The settings that name the column, and what to do.
        problem: Message,
    },
    /// Input columns hold text, or nothing at all.
    NotNumbers {
        /// The file.
        path: String,
        /// The columns, an example, and what to do.
        problem: Message,
    },
    /// A category is unknown to the model.
    UnknownCategory {
        /// The file.
        path: String,
        /// The line or row, and the column.
        place: String,
        /// The text of the value.
        label: String,
        /// The first of the categories that the model knows.
        known: String,
    },
    /// A column has too many categories.
    ManyCategories {
        /// The file.
        path: String,
        /// The name of the column.
        name: String,
        /// The number of categories.
        found: usize,
        /// The largest number of categories of a column.
        limit: usize,
    },
    /// A value of the column of time stamps is none.
    Time {
        /// The file.
        path: String,
        /// The line or row, and the column.
        place: String,
        /// The text of the value.
        text: String,
    },
    /// A value of the column of weights is none.
    Weight {
        /// The file.
        path: String,
        /// The line or row, and the column.
        place: String,
        /// The text of the value.
        text: String,
    },
    /// All rows have the weight 0.
    NoWeight {
        /// The file.
        path: String,
        /// The number of rows.
        rows: usize,
        /// The name of the column of weights.
        name: String,
    },
    /// Rows whose inputs look back are not in the order of time.
    Unsorted {
        /// The file.
        path: String,
        /// The name of the column of time stamps.
        name: String,
    },
    /// Settings of windows contradict each other.
    Windows {
        /// The reason, and what to do.
        problem: Message,
    },
    /// Inputs look back at samples that the rows or a model do not have.
    History {
        /// The file.
        path: String,
        /// The number of samples, and what to do.
        problem: Message,
    },
    /// All rows have been dropped.
    AllDropped {
        /// The file.
        path: String,
        /// The number of rows.
        rows: usize,
        /// The name of the column with the most missing values.
        name: String,
        /// The number of missing values in that column.
        gaps: usize,
    },
    /// Missing values cannot be replaced.
    NoMeans {
        /// The file.
        path: String,
    },
    /// The number of named inputs is not that of the model.
    InputCount {
        /// The file.
        path: String,
        /// The number of named columns.
        found: usize,
        /// The number of columns that the model takes.
        inputs: usize,
    },
    /// No row has a target.
    NoTargetValues {
        /// The file.
        path: String,
        /// The number of rows.
        rows: usize,
        /// Whether the rows have groups.
        grouped: bool,
    },
    /// The file lacks the target of a model, but has other columns.
    OtherTarget {
        /// The file.
        path: String,
        /// The name of the target.
        name: String,
        /// The names of the first columns without a role.
        others: String,
    },
    /// No column is left for the target.
    NoTargetLeft {
        /// The file.
        path: String,
    },
    /// No column is left for the inputs.
    NoInputs {
        /// The file.
        path: String,
        /// The number of columns.
        columns: usize,
    },
    /// The number of columns does not match the model.
    WrongWidth {
        /// The file.
        path: String,
        /// The number of columns in the file.
        columns: usize,
        /// The number of inputs of the model.
        inputs: usize,
        /// The number of outputs of the model.
        outputs: usize,
    },
    /// The column names do not match the model's.
    OtherInputs {
        /// The file.
        path: String,
        /// The names of the input columns.
        columns: String,
    },
}

/// What a time stamp looks like.
const STAMP: &str = "write one such as 2026-03-01T12:00:00, or a number of seconds";

/// What is wrong with rows whose inputs look back.
const UNSORTED: &str = "predictions look back, and the rows are not in the order of the time stamps in";

impl Explain for ColumnError {
    fn message(&self) -> Message {
        match self {
            ColumnError::Setting { setting, problem } => {
                message!(Setting::named(setting.clone()), " cannot be set: ", problem)
            }
            ColumnError::UnknownColumn { path, name, available } => no_column(path, name, "", available),
            ColumnError::MissingColumn { path, name, available } => {
                no_column(path, name, ", which the model was fitted to", available)
            }
            ColumnError::AmbiguousColumn { path, name, first, second } => {
                message!("{path}: ", ambiguous(name, *first, *second))
            }
            ColumnError::Role { path, name, problem } => message!("{path}: the column {name:?} ", problem),
            ColumnError::NotNumbers { path, problem } => message!("{path} ", problem),
            ColumnError::UnknownCategory { path, place, label, known } => {
                message!("{path}, {place}: ", unknown_category(label, known))
            }
            ColumnError::ManyCategories { path, name, found, limit } => message!(
                "{path}: the column {name:?} has {found} categories, but at most {limit} can be coded as inputs; \
                 leave the column out with ",
                IGNORE
            ),
            ColumnError::Windows { problem } => problem.clone(),
            ColumnError::History { path, problem } => message!("{path}: ", problem),
            ColumnError::Time { path, place, text } => message!("{path}, {place}: {text:?} is no time stamp; {STAMP}"),
            ColumnError::Weight { path, place, text } => message!("{path}, {place}: ", no_weight(text)),
            ColumnError::NoWeight { path, rows, name } => message!("{path}: ", all_zero(name, *rows)),
            ColumnError::Unsorted { path, name } => message!("{path}: {UNSORTED} {name:?}; sort them by it"),
            ColumnError::AllDropped { path, rows, name, gaps } => {
                message!("{path}: every row has a missing value, most often in ", most_gaps(name, *gaps, *rows))
            }
            ColumnError::NoMeans { path } => message!(
                "{path}: values are missing, and no description of the model has means to replace them; set ",
                MISSING.to("drop")
            ),
            ColumnError::InputCount { path, found, inputs } => {
                let found = counted(*found, "column");
                message!("{path}: ", INPUTS, " names {found}, but the model takes {inputs}")
            }
            ColumnError::NoTargetValues { path, rows, grouped } => {
                let group = if *grouped { " and a group" } else { "" };
                message!("{path}: none of the {rows} rows has a target{group}")
                    .and_further(message!("; name another column with ", TARGET))
            }
            ColumnError::OtherTarget { path, name, others } => {
                message!("{path}: no column is called {name:?}, ", other_target(others))
            }
            ColumnError::NoTargetLeft { path } => {
                message!("{path}: every column is an input or left out; name the target with ", TARGET)
            }
            ColumnError::NoInputs { path, columns } => message!("{path}: ", without_inputs(*columns)),
            ColumnError::WrongWidth { path, columns, inputs, outputs } => {
                message!("{path}: ", wrong_width(*columns, *inputs, *outputs))
            }
            ColumnError::OtherInputs { path, columns } => message!(
                "{path}: the input columns ({columns}) are not the ones, or not in the order, that the model was \
                 fitted to; reorder them, or remove the header line to use them as they are"
            ),
        }
    }
}

/// Returns the message of a column that a file lacks.
fn no_column(path: &str, name: &str, whose: &str, available: &str) -> Message {
    message!("{path}: no column is called {name:?}{whose}; the columns are {available}")
}

display_by_message!(ColumnError);

/// Says that a value is no weight.
fn no_weight(text: &str) -> String {
    let problem = if text.is_empty() { "the weight is missing".to_owned() } else { format!("{text:?} is no weight") };
    format!("{problem}; weights are finite numbers of at least 0")
}

/// Says that no row counts.
fn all_zero(name: &str, rows: usize) -> String {
    format!("all {rows} rows have the weight 0 in {name:?}; give rows that count a weight above 0")
}

/// Says that the model does not know a category.
fn unknown_category(label: &str, known: &str) -> Message {
    message!(
        "the model does not know the category {label:?}; correct it or remove the row, or set ",
        MISSING.to("drop"),
        " or mean; it knows {known}"
    )
}

/// Says which column has the most missing values where every row has one.
fn most_gaps(name: &str, gaps: usize, rows: usize) -> Message {
    message!(
        "the column {name:?} ({gaps} of {rows} rows); leave such columns out",
        Message::default().and_further(message!(" with ", IGNORE)),
        ", or set ",
        MISSING.to("mean")
    )
}

/// Says that the target of the model is missing.
fn other_target(others: &str) -> Message {
    message!("the target of the model; name another one with ", TARGET, " (left over: {others})")
}

/// Says that the number of columns does not match the model.
fn wrong_width(columns: usize, inputs: usize, outputs: usize) -> Message {
    let columns = counted(columns, "column");
    let inputs = counted(inputs, "input");
    let outputs = counted(outputs, "target column");
    message!(
        "{columns}, but the model takes {inputs}; give the inputs alone, or the inputs followed by the {outputs}, or \
         choose the columns with ",
        INPUTS,
        " or ",
        IGNORE
    )
}

/// Says that no column is left.
fn without_inputs(columns: usize) -> String {
    match columns {
        1 => {
            "has one column, not an input and a target; separate columns by commas, semicolons, tabs or bars".to_owned()
        }
        _ => format!("none of the {columns} columns is left as an input; name fewer targets and ignored columns"),
    }
}

/// Says that a name stands for two columns, or for one column twice.
fn ambiguous(name: &str, first: usize, second: usize) -> String {
    if first == second {
        return format!("the column {name:?} is named twice; name it once");
    }
    format!(
        "columns {first} and {second} are both called {name:?}; rename one of them, or name the column by its number"
    )
}

/// Returns a number of things, such as "1 column" or "2 columns".
pub(super) fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}
