//! Settings: which columns of a file are inputs, and how their fields are read.

use serde::{Deserialize, Serialize};

use crate::data::column_error::ColumnError;

/// What happens to a row with a missing value.
///
/// Empty fields, `NaN`, `NA`, `N/A`, `n/a`, `#N/A`, `<NA>`, `None`, `null`, `NULL`, `?`, `-`, `--` and the numbers of
/// [`Preparation::missing_values`] are missing values. A target is never replaced: rows without a target are dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The row is an error.
    #[default]
    Error,
    /// The row is dropped.
    Drop,
    /// The mean of the input over the fitted rows replaces the value.
    Mean,
}

/// The decimal separator of numbers in text files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decimal {
    /// A point, as in `2.5`.
    #[default]
    Point,
    /// A comma, as in `2,5`. Numbers have no separators of thousands.
    Comma,
}

/// How the columns of a file become inputs.
///
/// A column is named by its name in the header, or by its number from 1 if no column has that name. An entry of a list
/// is one column, or several columns separated by commas.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Preparation {
    /// The columns of the inputs, in the order of the model; empty for all columns without another role.
    pub(crate) inputs: Vec<String>,
    /// Columns that are not used.
    pub(crate) ignore: Vec<String>,
    /// Input columns whose values are categories; each category becomes an input, which is 1 in its rows and else 0.
    pub(crate) categorical: Vec<String>,
    /// Input columns and the samples of each that are inputs: 0 is the present row, 1 the row before. Columns without
    /// an entry have the present one. Rows are in the order of time, within their groups.
    pub(crate) lag: Vec<(String, Vec<u8>)>,
    /// Input columns, and the samples whose difference to the sample before is an input as well.
    pub(crate) difference: Vec<(String, Vec<u8>)>,
    /// The number of samples of a window, if the inputs are statistics of windows: every input column is a channel.
    pub(crate) window: Option<u16>,
    /// The number of samples from the start of a window to that of the next; none for half a window.
    pub(crate) step: Option<u16>,
    /// A column that divides the rows into groups; it is no input.
    pub(crate) group: Option<String>,
    /// A column of time stamps, by which the rows are ordered; it is no input. Lags and windows begin anew after a
    /// gap.
    pub(crate) time_column: Option<String>,
    /// A column of what rows count; it is no input. A row of weight k counts as k rows, one of weight 0 is left out.
    pub(crate) weight: Option<String>,
    /// What happens to rows with missing values.
    pub(crate) missing: Missing,
    /// Numbers that stand for a missing value.
    pub(crate) missing_values: Vec<f64>,
    /// The decimal separator of text files.
    pub(crate) decimal: Decimal,
}

impl Preparation {
    /// Returns the settings with another value of one of them, by the name of its field.
    ///
    /// # Errors
    /// [`ColumnError::Setting`] for a name that does not exist or a value of another type.
    ///
    /// ```
    /// use srfm_trainer::data::Preparation;
    ///
    /// # fn main() -> Result<(), srfm_trainer::data::ColumnError> {
    /// let settings = Preparation::default().with("ignore", ["Date,Time"])?.with("missing", "drop")?;
    /// assert!(settings.with("missing", "guess").is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn with(self, setting: &str, value: impl Serialize) -> Result<Preparation, ColumnError> {
        let changed = || -> serde_json::Result<Preparation> {
            let mut all = serde_json::to_value(&self)?;
            all[setting] = serde_json::to_value(value)?;
            serde_json::from_value(all)
        };
        changed()
            .map_err(|error| ColumnError::Setting { setting: setting.to_owned(), problem: error.to_string().into() })
    }

    /// Returns the number of samples from the start of a window of so many samples to that of the next.
    pub(crate) fn step_of_windows(&self, samples: u16) -> u16 {
        self.step.unwrap_or(samples.div_ceil(2))
    }

    /// Returns the column of what rows count.
    pub fn weight(&self) -> Option<&str> {
        self.weight.as_deref()
    }

    /// Returns the name of a setting that needs the rows of the whole table at once; none if there is no such setting.
    pub(crate) fn whole_table(&self) -> Option<&'static str> {
        let settings = [
            ("lag", !self.lag.is_empty()),
            ("difference", !self.difference.is_empty()),
            ("window", self.window.is_some()),
            ("group", self.group.is_some()),
            ("time_column", self.time_column.is_some()),
            ("weight", self.weight.is_some()),
            ("categorical", !self.categorical.is_empty()),
        ];
        settings.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}
