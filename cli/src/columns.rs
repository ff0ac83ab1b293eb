//! The options that say how the columns of a file become inputs.

use serde::Deserialize;
use srfm_trainer::data::{Counts, Description, Preparation};

use crate::common::Common;
use crate::failure::Failure;
use crate::headings::COLUMNS;
use crate::lags::{parse_difference, parse_lag};

/// The options of every command that reads a data file. A command that reads a model takes those that are absent from
/// the description of the model.
#[derive(clap::Args)]
pub struct ColumnArgs {
    /// Input columns in the order of the model: names, or numbers from 1, separated by commas; repeatable [default: all
    /// columns without another role, or those of the model]
    #[arg(long, value_name = "LIST", help_heading = COLUMNS)]
    inputs: Vec<String>,
    /// Columns to leave out, such as time stamps: names, or numbers from 1, separated by commas; repeatable
    #[arg(long, value_name = "LIST", help_heading = COLUMNS)]
    ignore: Vec<String>,
    /// What happens to rows with missing values (empty fields, NaN, NA, N/A, None, null, ?, -, -- and the like): an
    /// error, dropped, or the mean of the input in place of the value; rows without a target are dropped by both. The
    /// prediction of a row that would be dropped is NaN [default: error, or that of the model]
    #[arg(long, value_parser = ["error", "drop", "mean"], help_heading = COLUMNS)]
    missing: Option<String>,
    /// Number that stands for a missing value, such as -200, or a list such as -999,-998; repeatable. A command that
    /// reads a model adds the numbers to those of the model
    #[arg(long, value_name = "LIST", allow_hyphen_values = true, value_delimiter = ',',
          value_parser = parse_missing_value, help_heading = COLUMNS)]
    missing_value: Vec<f64>,
    /// Decimal separator of text files; with comma, fields are separated by semicolons, tabs or bars, and numbers have
    /// no separators of thousands [default: point, or that of the model]
    #[arg(long, value_parser = ["point", "comma"], help_heading = COLUMNS)]
    decimal: Option<String>,
}

/// The options of commands that fit models.
#[derive(Clone, clap::Args)]
pub struct LearningArgs {
    /// Input columns of categories: names, or numbers from 1, separated by commas; repeatable. Each category becomes
    /// an input, which is 1 in its rows and else 0
    #[arg(long, value_name = "LIST", help_heading = COLUMNS)]
    categorical: Vec<String>,
    /// Samples of an input column that are inputs: 0 is the present row, 1 the row before it, and so on, as a list such
    /// as 0,1,5 or a range such as 0..4, which is 0,1,2,3,4; the rows are in the order of time; repeatable. The model
    /// keeps the samples that it needs on the board [default: 0]
    #[arg(long, value_name = "COLUMN=LAGS", value_parser = parse_lag, help_heading = COLUMNS)]
    lag: Vec<(String, Vec<u8>)>,
    /// Input column whose change since the row before it is an input as well; with lags, the changes at these samples;
    /// repeatable
    #[arg(long, value_name = "COLUMN[=LAGS]", value_parser = parse_difference, help_heading = COLUMNS)]
    difference: Vec<(String, Vec<u8>)>,
    /// Samples of a window, 2 to 1024: the inputs are the mean, deviation, minimum, maximum, crossings of the mean and
    /// amplitudes of frequencies of every input column in the last N rows. A row of the fit is a completed window, and
    /// its target is that of its last row; windows with rows of different classes are left out. The board takes sample
    /// after sample and keeps those of a window
    #[arg(long, value_name = "N", help_heading = COLUMNS)]
    window: Option<u16>,
    /// Samples from the start of a window to that of the next, 1 to N [default: half a window]
    #[arg(long, value_name = "M", help_heading = COLUMNS)]
    step: Option<u16>,
    /// Column of a device, a batch or a subject, whose rows stay together in folds and held-out rows; it is no input
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    group: Option<String>,
    /// Column of time stamps, ISO 8601 or numbers, by which the rows are ordered; it is no input. After a gap of more
    /// than 1.5 usual steps, lags and windows begin anew
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    time_column: Option<String>,
    /// Column of what rows count, for quantities and classes: a row of weight 2 counts as two rows, one of weight 0 is
    /// left out; it is no input. All figures of the fit count rows so
    #[arg(long, value_name = "COLUMN", help_heading = COLUMNS)]
    pub weight: Option<String>,
}

/// What the settings of a file say about missing values.
#[derive(Default, Deserialize)]
pub struct Gaps {
    /// What happens to rows with missing values: a value of `--missing`.
    pub missing: String,
    /// The numbers that stand for a missing value.
    pub missing_values: Vec<f64>,
}

impl Gaps {
    /// Reads the settings.
    pub fn of(preparation: &Preparation) -> Gaps {
        serde_json::to_value(preparation).and_then(serde_json::from_value).unwrap_or_default()
    }
}

/// Parses a number that stands for a missing value.
fn parse_missing_value(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| value.is_finite());
    value.ok_or_else(|| "give a number such as -200; --missing names the marks that are missing anyway".to_owned())
}

impl LearningArgs {
    /// Returns whether earlier rows are inputs.
    pub fn looks_back(&self) -> bool {
        !self.lag.is_empty() || !self.difference.is_empty() || self.window.is_some()
    }
}

impl ColumnArgs {
    /// Returns the settings for the rows of a fit: those of the options, then those given.
    pub fn to_learn(&self, learning: &LearningArgs, given: Preparation) -> Result<Preparation, Failure> {
        let mut preparation = self.over(given)?;
        if !learning.categorical.is_empty() {
            preparation = preparation.with("categorical", &learning.categorical)?;
        }
        if !learning.lag.is_empty() {
            preparation = preparation.with("lag", &learning.lag)?;
        }
        if !learning.difference.is_empty() {
            preparation = preparation.with("difference", &learning.difference)?;
        }
        if learning.window.is_some() {
            preparation = preparation.with("window", learning.window)?;
        }
        if learning.step.is_some() {
            preparation = preparation.with("step", learning.step)?;
        }
        if learning.group.is_some() {
            preparation = preparation.with("group", &learning.group)?;
        }
        if learning.time_column.is_some() {
            preparation = preparation.with("time_column", &learning.time_column)?;
        }
        if learning.weight.is_some() {
            preparation = preparation.with("weight", &learning.weight)?;
        }
        Ok(preparation)
    }

    /// Returns the settings for the rows of a model: those of the options, then those of its description.
    pub fn preparation(&self, description: Option<&Description>) -> Result<Preparation, Failure> {
        self.over(description.map(Description::preparation).unwrap_or_default())
    }

    /// Returns the settings of the options, and those given where an option is absent.
    fn over(&self, mut preparation: Preparation) -> Result<Preparation, Failure> {
        if !self.inputs.is_empty() {
            preparation = preparation.with("inputs", &self.inputs)?;
        }
        if !self.ignore.is_empty() {
            preparation = preparation.with("ignore", &self.ignore)?;
        }
        if let Some(missing) = &self.missing {
            preparation = preparation.with("missing", missing)?;
        }
        let mut codes = Gaps::of(&preparation).missing_values;
        for code in &self.missing_value {
            if !codes.contains(code) {
                codes.push(*code);
            }
        }
        preparation = preparation.with("missing_values", codes)?;
        if let Some(decimal) = &self.decimal {
            preparation = preparation.with("decimal", decimal)?;
        }
        Ok(preparation)
    }
}

/// Prints a remark on dropped rows and replaced values.
pub fn remark_on_missing(counts: &Counts, common: &Common) {
    if let Some(remark) = counts.remark().filter(|_| !common.quiet) {
        say!("srfm: {remark}");
    }
}
