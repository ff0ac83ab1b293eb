//! Rows of readings and targets: where they come from and how they are divided.

mod array;
pub mod classes;
pub mod csv;
mod delimiter;
mod error;
pub mod generate;
mod gzip;
mod idx;
mod npy;
mod source;
pub mod split;
mod table;

use nalgebra::DMatrix;

pub use classes::TargetKind;
pub use error::DataError;
pub use source::{Readings, Signature, Source};
pub use table::Table;

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

    /// The same rows without what some inputs say: these are zero in every row, and methods leave them out.
    pub fn without(&self, inputs: &[usize]) -> Dataset {
        let mut data = self.clone();
        inputs.iter().for_each(|&input| data.x.column_mut(input).fill(0.0));
        data
    }

    /// The inputs that have more than one value.
    pub fn varying_inputs(&self) -> Vec<usize> {
        (0..self.inputs()).filter(|&i| !is_constant(self.x.column(i).as_slice())).collect()
    }

    /// The class of each row, where rows belong to classes.
    pub fn members(&self) -> Option<Vec<usize>> {
        if self.classes.is_empty() { None } else { Some(classes::decide(&self.y)) }
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
