//! The description of a model: what the board does not need, but the workstation does.

use std::collections::HashSet;
use std::fmt;

use crc::{CRC_32_ISO_HDLC, Crc};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::columns::shortened;
use crate::data::history::Lag;
use crate::data::layout::automatic_number;
use crate::data::preparation::{Decimal, Missing, Preparation};
use crate::data::{DataError, Dataset};

/// The version of the description that this code writes and reads.
const FORMAT: u32 = 1;

/// How the columns of a file become the inputs of a model, and which columns are its targets.
///
/// The command `srfm` writes the description as JSON beside the model file. A checksum ties the two together. Readers
/// skip fields that they do not know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Description {
    format: u32,
    /// The checksum of the model file: the CRC-32/ISO-HDLC of its bytes without the last four, which hold the same
    /// number.
    crc32: u32,
    /// The inputs, in the order of the model.
    pub(crate) inputs: Vec<Input>,
    /// The names of the target columns, in the order of the outputs.
    pub targets: Vec<String>,
    /// Whether the model tells novel rows from normal ones, and was fitted without targets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub novelty: bool,
    /// The column of the groups whose samples inputs look back at; none without lags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<String>,
    /// The column of time stamps, after whose gaps lags begin anew; none without lags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<String>,
    /// The columns of the training file that are neither inputs nor targets.
    #[serde(default)]
    pub(crate) ignored: Vec<String>,
    #[serde(default)]
    missing: Missing,
    #[serde(default)]
    missing_values: Vec<f64>,
    #[serde(default)]
    decimal: Decimal,
    /// Where the model comes from, in the form of the program that wrote it; none where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<serde_json::Value>,
}

/// An input of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Input {
    /// The name: that of the column, `column = category`, or such as `column lag 2`, `column change` or `column mean`.
    pub(crate) name: String,
    /// The column of the file.
    pub(crate) column: String,
    /// The category in whose rows the input is 1; elsewhere the input is 0. None for numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
    /// The samples that the input comes from, if it is not the present one.
    #[serde(flatten)]
    pub(crate) derived: Derived,
    /// The value that takes the place of a missing one: the mean over the fitted rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mean: Option<f32>,
}

/// What an input is of the samples of its column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Derived {
    /// A statistic of a window, by its name.
    Statistic { statistic: String },
    /// A reading, or the difference of two.
    Lag(Lag),
}

impl Default for Derived {
    fn default() -> Self {
        Derived::Lag(Lag::default())
    }
}

impl Derived {
    /// Returns the name of the input of a column.
    fn name(&self, column: &str) -> String {
        match self {
            Derived::Statistic { statistic } => format!("{column} {statistic}"),
            Derived::Lag(lag) => lag.name(column),
        }
    }
}

/// A column of inputs: numbers, or categories.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InputColumn {
    /// The name of the column.
    pub name: String,
    /// The categories in the order of their inputs; none for numbers.
    pub categories: Option<Vec<String>>,
    /// What the inputs are of the samples of the column: the present one only for categories.
    pub derived: Vec<Derived>,
}

impl InputColumn {
    /// Returns a column of numbers whose present sample is an input.
    pub fn numeric(name: String) -> InputColumn {
        InputColumn { name, categories: None, derived: vec![Derived::default()] }
    }

    /// Returns the inputs that the column holds.
    pub fn inputs(&self) -> Vec<Input> {
        let input = |name, category, derived| Input { name, column: self.name.clone(), category, derived, mean: None };
        match &self.categories {
            None => {
                let of_samples = self.derived.iter().cloned();
                of_samples.map(|derived| input(derived.name(&self.name), None, derived)).collect()
            }
            Some(all) => {
                let names = self.channels().into_iter().zip(all);
                names.map(|(name, category)| input(name, Some(category.clone()), Derived::default())).collect()
            }
        }
    }

    /// Returns the names of the readings that a sample has of the column.
    pub fn channels(&self) -> Vec<String> {
        match &self.categories {
            None => vec![self.name.clone()],
            Some(all) => all.iter().map(|category| format!("{} = {category}", self.name)).collect(),
        }
    }
}

impl Description {
    /// Describes a model of data that are no file: every input is a column of numbers, the targets have these names,
    /// and missing values are NaN.
    pub fn from_dataset(data: &Dataset, targets: Vec<String>, preparation: &Preparation) -> Description {
        let columns: Vec<InputColumn> = data.input_names.iter().cloned().map(InputColumn::numeric).collect();
        Description::new(&columns, targets, None, Vec::new(), preparation)
    }

    /// Creates the description of a model that is not yet fitted.
    pub(crate) fn new(
        columns: &[InputColumn],
        targets: Vec<String>,
        group: Option<String>,
        ignored: Vec<String>,
        preparation: &Preparation,
    ) -> Description {
        Description {
            format: FORMAT,
            crc32: 0,
            inputs: columns.iter().flat_map(InputColumn::inputs).collect(),
            targets,
            novelty: false,
            group,
            time: None,
            ignored,
            missing: preparation.missing,
            missing_values: preparation.missing_values.clone(),
            decimal: preparation.decimal,
            origin: None,
        }
    }

    /// Returns the description as JSON, tied to the bytes of a model file.
    pub fn to_json(&self, model: &[u8]) -> String {
        let tied = Description { crc32: checksum(model), ..self.clone() };
        serde_json::to_string_pretty(&tied).expect("a description is valid JSON") + "\n"
    }

    /// Reads the description of a model file from JSON; error messages call the description `path`.
    ///
    /// # Errors
    /// [`DataError::Format`] if the text is no description, or belongs to another model.
    pub fn parse(path: &str, json: &str, model: &[u8]) -> Result<Description, DataError> {
        let wrong = |problem: String| DataError::Format { path: path.to_owned(), problem: problem.into() };
        let unreadable = |error: serde_json::Error| {
            let why =
                if error.is_data() { "a part of it is missing or of another kind" } else { "damaged or cut short" };
            wrong(format!("is no description of a model, or {why}"))
        };
        let found: Description = serde_json::from_str(json).map_err(unreadable)?;
        if found.format != FORMAT {
            return Err(wrong(format!("has the format {}; this version of srfm reads {FORMAT}", found.format)));
        } else if found.crc32 != checksum(model) {
            return Err(wrong("belongs to another model file".to_owned()));
        }
        let mut seen = HashSet::new();
        if found.columns().iter().any(|column| !seen.insert(column.name.clone())) {
            return Err(wrong("names a column twice".to_owned()));
        }
        Ok(found)
    }

    /// Returns the settings of a file that is read like the training file: all but the choice of columns.
    pub fn preparation(&self) -> Preparation {
        Preparation {
            missing: self.missing,
            missing_values: self.missing_values.clone(),
            decimal: self.decimal,
            ..Preparation::default()
        }
    }

    /// Returns the description for rows of readings in the order of [`Description::readings`]: a category is a reading
    /// of 0 or 1. Columns of the given names have the groups and the times of the rows.
    pub fn for_readings(&self, group: Option<&str>, time: Option<&str>) -> Description {
        let numeric = |input: &Input| match input.category {
            Some(_) => Input { column: input.name.clone(), category: None, ..input.clone() },
            None => input.clone(),
        };
        Description {
            inputs: self.inputs.iter().map(numeric).collect(),
            group: group.map(str::to_owned),
            time: time.map(str::to_owned),
            ..self.clone()
        }
    }

    /// Returns the names of the readings that the board gives to the model, in their order: those of the inputs, or of
    /// the channels of a sample if the model looks back in time.
    pub fn readings(&self) -> Vec<String> {
        self.columns().iter().flat_map(InputColumn::channels).collect()
    }

    /// Replaces missing values (NaN) of the rows to fit, and of the rows to test on, by the means over the rows to fit.
    /// The mean of whole readings, such as counts of a converter, becomes whole, so that all readings stay counts.
    pub fn replace_missing(&mut self, train: &mut Dataset, test: Option<&mut Dataset>) {
        for (input, column) in self.inputs.iter_mut().zip(train.x.column_iter()) {
            let mean = mean(column.as_slice(), &train.weights);
            let is_whole = input.category.is_none() && are_whole(column.as_slice());
            input.mean = if is_whole { mean.map(f32::round) } else { mean };
        }
        [train].into_iter().chain(test).for_each(|data| self.fill(&mut data.x));
    }

    /// Returns what replaces a missing reading of each input on the device: the means, or nothing where the settings
    /// do not say so.
    pub fn replacements(&self) -> Vec<Option<f64>> {
        match self.missing {
            Missing::Mean => self.inputs.iter().map(|input| input.mean.map(f64::from)).collect(),
            Missing::Error | Missing::Drop => Vec::new(),
        }
    }

    /// Replaces missing values (NaN) of inputs (n×d) by the means. An input whose mean is unknown is left as it is.
    pub(crate) fn fill(&self, x: &mut DMatrix<f64>) {
        for (input, mut column) in self.inputs.iter().zip(x.column_iter_mut()) {
            if let Some(mean) = input.mean {
                column.iter_mut().filter(|value| value.is_nan()).for_each(|value| *value = mean.into());
            }
        }
    }

    /// Returns the number of columns that the training file had at least, if its columns had no names.
    pub(crate) fn unnamed_width(&self) -> Option<usize> {
        let inputs: Option<Vec<usize>> = self.inputs.iter().map(|input| automatic_number(&input.column)).collect();
        let others = self.targets.iter().chain(&self.ignored).filter_map(|name| automatic_number(name));
        inputs?.into_iter().chain(others).max()
    }

    /// Returns the columns of a file that hold the inputs, in the order of the inputs.
    pub(crate) fn columns(&self) -> Vec<InputColumn> {
        let joined = |a: &Input, b: &Input| {
            let categories = a.category.is_some() && b.category.is_some();
            let samples = a.category.is_none() && b.category.is_none() && a.derived != b.derived;
            a.column == b.column && (categories || samples)
        };
        let column = |inputs: &[Input]| {
            let categories: Option<Vec<String>> = inputs.iter().map(|input| input.category.clone()).collect();
            let samples = if categories.is_none() { inputs } else { &inputs[..1] };
            let derived = samples.iter().map(|input| input.derived.clone()).collect();
            InputColumn { name: inputs[0].column.clone(), categories, derived }
        };
        self.inputs.chunk_by(joined).map(column).collect()
    }
}

impl fmt::Display for Description {
    /// Writes the numbers and names of the first inputs, such as `1 flow, 2 mode = eco`; with `#` those of the first
    /// readings of a sample.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = match f.alternate() {
            true => self.readings(),
            false => self.inputs.iter().map(|input| input.name.clone()).collect(),
        };
        let numbered = (1..).zip(names).map(|(number, name)| format!("{number} {name}"));
        f.write_str(&shortened(&numbered.collect::<Vec<_>>()))
    }
}

/// Returns the mean of the values that are not missing, in the precision of the device; none without such a value.
/// Values count by the `weights` of their rows; alike where there are none.
fn mean(values: &[f64], weights: &[f64]) -> Option<f32> {
    let weight = |row: usize| weights.get(row).copied().unwrap_or(1.0);
    let known = values.iter().enumerate().filter(|(_, value)| !value.is_nan());
    let (sum, count) = known.fold((0.0, 0.0), |(sum, n), (row, value)| (sum + weight(row) * value, n + weight(row)));
    (count > 0.0).then(|| (sum / count) as f32)
}

/// Returns whether the values that are not missing are whole numbers.
fn are_whole(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_nan() || value.fract() == 0.0)
}

/// Returns the checksum of a model file without its last four bytes, which are that checksum. The CRC of all bytes
/// would be the same for every file.
fn checksum(model: &[u8]) -> u32 {
    let content = model.len().saturating_sub(size_of::<u32>());
    Crc::<u32>::new(&CRC_32_ISO_HDLC).checksum(&model[..content])
}
