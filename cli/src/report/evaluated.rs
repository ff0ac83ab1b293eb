//! The evaluation of a model file on rows with targets: errors and interval coverage.

use std::fmt;

use serde::Serialize;

use crate::report::evaluation::full;
use crate::report::metrics::Evaluation;
use crate::report::text::interval;
use crate::report::text::{counted, percent, significant};

/// Errors of a model's predictions, computed with the device's code, and the coverage of its intervals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evaluated {
    /// The errors.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// The level of the prediction intervals; null if the model has no intervals.
    pub level: Option<f32>,
    /// Half the width of each output's interval; empty if the model has no intervals.
    pub half_widths: Vec<f32>,
    /// Share of the rows within each output's interval; empty if the model has no intervals.
    pub coverage: Vec<f64>,
    /// Mean interval score (Winkler) of each output, in units of the target; empty if the model has no intervals.
    pub interval_score: Vec<f64>,
    /// Number of rows with inputs outside of the fitted range; null if the model has no ranges.
    pub outside: Option<usize>,
    /// Whether rows count by weights in all figures but numbers of rows; left out where they count alike.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub weighted: bool,
}

impl fmt::Display for Evaluated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&full(&self.evaluation))?;
        if self.weighted {
            writeln!(f, "weights       all errors and shares count rows by their weights")?;
        }
        if let Some(interval) = interval(self.level, &self.half_widths) {
            let coverage: Vec<String> = self.coverage.iter().map(|&share| percent(share)).collect();
            let scores: Vec<String> = self.interval_score.iter().map(|&score| significant(score)).collect();
            let coverage = coverage.join(", ");
            let scores = scores.join(", ");
            writeln!(f, "interval      {interval}: {coverage} of the rows within, interval score {scores}")?;
        }
        match self.outside {
            Some(rows) => writeln!(f, "outside       {} outside of the fitted range", counted(rows, "row")),
            None => Ok(()),
        }
    }
}
