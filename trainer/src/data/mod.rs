//! Rows of readings and targets: where they come from and how they are divided.

pub mod csv;
mod delimiter;
pub mod generate;
pub mod split;

use nalgebra::DMatrix;

use crate::scaling::is_constant;

/// Inputs and targets, one row a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// Inputs, n×d.
    pub x: DMatrix<f64>,
    /// Targets, n×k.
    pub y: DMatrix<f64>,
    /// Names of the d inputs.
    pub input_names: Vec<String>,
    /// Names of the k targets.
    pub output_names: Vec<String>,
    /// Names of the classes, where rows belong to classes; empty where the targets are quantities. Targets of two classes
    /// are one column, 1 for rows of the second; of more classes one column a class, 1 for rows of the class.
    pub classes: Vec<String>,
}

impl Dataset {
    /// Number of rows, n.
    pub fn rows(&self) -> usize {
        self.x.nrows()
    }

    /// Number of inputs, d.
    pub fn inputs(&self) -> usize {
        self.x.ncols()
    }

    /// Number of targets, k.
    pub fn outputs(&self) -> usize {
        self.y.ncols()
    }

    /// The inputs that have more than one value.
    pub fn varying_inputs(&self) -> Vec<usize> {
        (0..self.inputs()).filter(|&i| !is_constant(self.x.column(i).as_slice())).collect()
    }

    /// The given rows, in the given order.
    pub fn select(&self, rows: &[usize]) -> Dataset {
        Dataset {
            x: self.x.select_rows(rows),
            y: self.y.select_rows(rows),
            input_names: self.input_names.clone(),
            output_names: self.output_names.clone(),
            classes: self.classes.clone(),
        }
    }
}

/// What a column is called that has no name of its own; columns count from 1.
pub fn automatic_name(column: usize) -> String {
    format!("column {column}")
}

/// The checksum of input names that a model file holds: 0 where they are automatic, since another file with the same
/// columns may well name them.
pub fn inputs_hash(names: &[String]) -> u32 {
    let automatic = |name: &String| name.strip_prefix("column ").is_some_and(|number| number.parse::<usize>().is_ok());
    if names.iter().all(automatic) { 0 } else { srfm_runtime::format::hash_names(names.iter().map(String::as_str)) }
}

/// Why data cannot be used; each message names the place and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The file cannot be opened or read.
    #[error("{path}: cannot be read: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file has nothing in it.
    #[error("{path}: the file is empty; it needs one line of values per sample")]
    Empty {
        /// The file.
        path: String,
    },
    /// The file has a header and nothing else.
    #[error("{path}: there are no rows after the header in line 1")]
    NoRows {
        /// The file.
        path: String,
    },
    /// A row has another number of fields than the first.
    #[error("{path}, line {line}: {found} fields where line {first_line} has {expected}; complete or remove the row")]
    Ragged {
        /// The file.
        path: String,
        /// Line of the row, from 1.
        line: u64,
        /// Line that set the number of fields.
        first_line: u64,
        /// Fields of the first line.
        expected: usize,
        /// Fields of this line.
        found: usize,
    },
    /// A field cannot be used as a number.
    #[error("{path}, line {line}, column {column}: {text:?} {problem}")]
    Value {
        /// The file.
        path: String,
        /// Line of the row, from 1.
        line: u64,
        /// Name of the column, or its number from 1.
        column: String,
        /// The text of the field.
        text: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The bytes are not text.
    #[error("{path}, line {line}: not UTF-8 text; save the file as CSV in UTF-8")]
    NotText {
        /// The file.
        path: String,
        /// Line, from 1.
        line: u64,
    },
    /// There is no column of that name.
    #[error("{path}: no column is called {name:?}; the columns are {available}")]
    UnknownTarget {
        /// The file.
        path: String,
        /// The name asked for.
        name: String,
        /// The names there are.
        available: String,
    },
    /// A name that is asked for belongs to two columns.
    #[error("{path}: columns {first} and {second} are both called {name:?}; rename one of them")]
    AmbiguousTarget {
        /// The file.
        path: String,
        /// The name asked for.
        name: String,
        /// Number of the first column of that name, from 1.
        first: usize,
        /// Number of the second.
        second: usize,
    },
    /// Another number of targets is named than the model has outputs.
    #[error("{path}: {named} target(s) named, but the model has {outputs} output(s); name each target once")]
    TargetCount {
        /// The file.
        path: String,
        /// Targets named.
        named: usize,
        /// Outputs of the model.
        outputs: usize,
    },
    /// Every column is a target.
    #[error("{path}: all {columns} columns are targets; at least one column must be left as an input")]
    NoInputs {
        /// The file.
        path: String,
        /// Number of columns.
        columns: usize,
    },
    /// The columns are not those that a model takes.
    #[error(
        "{path}: {columns} columns, but the model takes {inputs} inputs; give the inputs alone, or the inputs and \
         then the {outputs} target column(s)"
    )]
    WrongWidth {
        /// The file.
        path: String,
        /// Number of columns in the file.
        columns: usize,
        /// Number of inputs of the model.
        inputs: usize,
        /// Number of outputs of the model.
        outputs: usize,
    },
    /// The column names are not those that the model was fitted to.
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
