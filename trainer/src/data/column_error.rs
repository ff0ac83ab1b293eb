//! Errors of the choice of columns.

/// The reason why the columns of a file cannot be used.
///
/// Messages name the file, the column and what to do. Names of settings are in backticks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnError {
    /// A setting does not exist, or has another type.
    #[error("`{setting}` cannot be set: {problem}")]
    Setting {
        /// The name of the setting.
        setting: String,
        /// The reason.
        problem: String,
    },
    /// No column has the given name.
    #[error("{path}: no column is called {name:?}; the columns are {available}")]
    UnknownColumn {
        /// The file.
        path: String,
        /// The given name.
        name: String,
        /// The names of the first columns.
        available: String,
    },
    /// The file lacks a column that the model takes or was fitted to.
    #[error("{path}: no column is called {name:?}, which the model was fitted to; the columns are {available}")]
    MissingColumn {
        /// The file.
        path: String,
        /// The name in the description of the model.
        name: String,
        /// The names of the first columns.
        available: String,
    },
    /// Two columns in use have the same name, or a column is used twice.
    #[error("{path}: {}", ambiguous(name, *first, *second))]
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
    #[error("{path}: the column {name:?} {problem}")]
    Role {
        /// The file.
        path: String,
        /// The name of the column.
        name: String,
        /// The settings that name the column, and what to do.
        problem: String,
    },
    /// Input columns hold text, or nothing at all.
    #[error("{path} {problem}")]
    NotNumbers {
        /// The file.
        path: String,
        /// The columns, an example, and what to do.
        problem: String,
    },
    /// A category is unknown to the model.
    #[error(
        "{path}, {place}: the model does not know the category {label:?}; correct it or remove the row, or set \
         `missing` to drop or mean; it knows {known}"
    )]
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
    #[error(
        "{path}: the column {name:?} has {found} categories, but at most {limit} can be coded as inputs; leave the \
         column out with `ignore`"
    )]
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
    /// Inputs look back at samples that the rows or a model do not have.
    #[error("{path}: {problem}")]
    History {
        /// The file.
        path: String,
        /// The number of samples, and what to do.
        problem: String,
    },
    /// All rows have been dropped.
    #[error(
        "{path}: every row has a missing value, most often in the column {name:?} ({gaps} of {rows} rows); leave such \
         columns out with `ignore`, or set `missing` to mean"
    )]
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
    #[error(
        "{path}: values are missing, and no description of the model has means to replace them; set `missing` to drop"
    )]
    NoMeans {
        /// The file.
        path: String,
    },
    /// The number of named inputs is not that of the model.
    #[error("{path}: `inputs` names {}, but the model takes {inputs}", counted(*found, "column"))]
    InputCount {
        /// The file.
        path: String,
        /// The number of named columns.
        found: usize,
        /// The number of columns that the model takes.
        inputs: usize,
    },
    /// No row has a target.
    #[error(
        "{path}: none of the {rows} rows has a target{}; name another column with `target`",
        if *grouped { " and a group" } else { "" }
    )]
    NoTargetValues {
        /// The file.
        path: String,
        /// The number of rows.
        rows: usize,
        /// Whether the rows have groups.
        grouped: bool,
    },
    /// The file lacks the target of a model, but has other columns.
    #[error(
        "{path}: no column is called {name:?}, the target of the model; name another one with `target` (left over: \
         {others})"
    )]
    OtherTarget {
        /// The file.
        path: String,
        /// The name of the target.
        name: String,
        /// The names of the first columns without a role.
        others: String,
    },
    /// No column is left for the target.
    #[error("{path}: every column is an input or left out; name the target with `target`")]
    NoTargetLeft {
        /// The file.
        path: String,
    },
    /// No column is left for the inputs.
    #[error("{path}: {}", without_inputs(*columns))]
    NoInputs {
        /// The file.
        path: String,
        /// The number of columns.
        columns: usize,
    },
    /// The number of columns does not match the model.
    #[error(
        "{path}: {}, but the model takes {}; give the inputs alone, or the inputs followed by the {}, or choose the \
         columns with `inputs` or `ignore`",
        counted(*columns, "column"), counted(*inputs, "input"), counted(*outputs, "target column")
    )]
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
    #[error(
        "{path}: the input columns ({columns}) are not the ones, or not in the order, that the model was fitted to; \
         reorder them, or remove the header line to use them as they are"
    )]
    OtherInputs {
        /// The file.
        path: String,
        /// The names of the input columns.
        columns: String,
    },
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
