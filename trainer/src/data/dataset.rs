//! Rows of inputs and targets.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::{History, classes};

/// Inputs and targets, one row per sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// The inputs, n×d.
    pub x: DMatrix<f64>,
    /// The targets, n×k.
    pub y: DMatrix<f64>,
    /// The names of the d inputs.
    pub input_names: Vec<String>,
    /// The names of the k targets.
    pub output_names: Vec<String>,
    /// The names of the classes; empty if the targets are quantities.
    ///
    /// Two classes share one target column, which is 1 in rows of the second class. Three or more classes have a target
    /// column each, which is 1 in rows of the class.
    pub classes: Vec<String>,
    /// The group of each row, such as a device or a batch, whose rows are never divided between training and test
    /// rows; empty if there are no groups. The methods `gfc` and `a-la-carte` have folds of their own, within a fit,
    /// that divide rows alone.
    pub groups: Vec<usize>,
    /// The samples that the inputs come from; empty if the inputs of a row are the readings of one sample.
    pub history: History,
}

impl Dataset {
    /// Returns inputs and targets of quantities, of no rows.
    pub(crate) fn without_rows(input_names: Vec<String>, output_names: Vec<String>) -> Dataset {
        let x = DMatrix::zeros(0, input_names.len());
        let y = DMatrix::zeros(0, output_names.len());
        let classes = Vec::new();
        let groups = Vec::new();
        let history = History::default();
        Dataset { x, y, input_names, output_names, classes, groups, history }
    }

    /// Returns the number of rows, n.
    pub fn rows(&self) -> usize {
        self.x.nrows()
    }

    /// Returns the number of inputs, d.
    pub fn inputs(&self) -> usize {
        self.x.ncols()
    }

    /// Returns the number of targets, k.
    pub fn outputs(&self) -> usize {
        self.y.ncols()
    }

    /// Returns the same rows with the given inputs set to zero. Methods leave out inputs that are constant.
    pub(crate) fn without(&self, inputs: &[usize]) -> Dataset {
        let mut data = self.clone();
        inputs.iter().for_each(|&input| data.x.column_mut(input).fill(0.0));
        data
    }

    /// Returns the inputs that are not constant, in ascending order.
    pub fn varying_inputs(&self) -> Vec<usize> {
        (0..self.inputs()).filter(|&i| !is_constant(self.x.column(i).as_slice())).collect()
    }

    /// Returns the names of the readings that a prediction takes: those of the inputs, or of the channels of a sample.
    pub(crate) fn readings(&self) -> &[String] {
        if self.history.is_empty() { &self.input_names } else { self.history.channels() }
    }

    /// Returns the class of each row, or none if the targets are quantities.
    pub(crate) fn members(&self) -> Option<Vec<usize>> {
        if self.classes.is_empty() { None } else { Some(classes::decide(&self.y)) }
    }

    /// Returns the given rows in the given order.
    pub fn select(&self, rows: &[usize]) -> Dataset {
        Dataset {
            x: self.x.select_rows(rows),
            y: self.y.select_rows(rows),
            input_names: self.input_names.clone(),
            output_names: self.output_names.clone(),
            classes: self.classes.clone(),
            groups: if self.groups.is_empty() {
                Vec::new()
            } else {
                rows.iter().map(|&row| self.groups[row]).collect()
            },
            history: self.history.clone(),
        }
    }
}

/// Returns whether all values are the same in `f32`, the precision of the device.
pub(crate) fn is_constant(column: &[f64]) -> bool {
    column.iter().all(|&v| v as f32 == column[0] as f32)
}

/// A dataset as it travels.
#[derive(Serialize, Deserialize)]
struct Bytes {
    #[serde(with = "crate::data::matrix")]
    x: DMatrix<f64>,
    #[serde(with = "crate::data::matrix")]
    y: DMatrix<f64>,
    input_names: Vec<String>,
    output_names: Vec<String>,
    classes: Vec<String>,
    groups: Vec<usize>,
}

impl Dataset {
    /// Returns the dataset as bytes; none where inputs look back in time.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let Dataset { x, y, input_names, output_names, classes, groups, history } = self.clone();
        let bytes = Bytes { x, y, input_names, output_names, classes, groups };
        (history == History::default()).then(|| postcard::to_stdvec(&bytes).expect("memory takes any length"))
    }

    /// Reads what [`Dataset::to_bytes`] wrote; none from other bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Dataset> {
        let Bytes { x, y, input_names, output_names, classes, groups } = postcard::from_bytes(bytes).ok()?;
        Some(Dataset { x, y, input_names, output_names, classes, groups, history: History::default() })
    }
}
