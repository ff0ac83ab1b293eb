//! Rows of inputs and targets.

use nalgebra::DMatrix;

use crate::data::classes;

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

/// Whether the values are all the same in `f32`, the precision in which the device reads them.
pub fn is_constant(column: &[f64]) -> bool {
    column.iter().all(|&v| v as f32 == column[0] as f32)
}
