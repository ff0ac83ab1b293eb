//! The evaluation of a model file on rows with targets: errors and interval coverage.

use std::fmt;

use nalgebra::DMatrix;
use serde::Serialize;

use crate::report::evaluation::full;
use crate::report::text::interval;
use crate::report::text::{counted, percent};
use srfm_trainer::data::Dataset;
use srfm_trainer::export::{self, Blob};
use srfm_trainer::validate::Evaluation;
use srfm_trainer::validate::coverage;

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
    /// Number of rows with inputs outside of the fitted range; null if the model has no ranges.
    pub outside: Option<usize>,
}

impl Evaluated {
    /// Evaluates a model on the rows of `data`.
    pub fn of(blob: &Blob, data: &Dataset) -> Evaluated {
        let predictions: DMatrix<f64> = export::predict(blob, &data.x).cast();
        let model = blob.model();
        let half_widths: Vec<f32> = (0..model.outputs()).filter_map(|output| model.half_width(output)).collect();
        let residuals = &predictions - &data.y;
        let within = |(output, &half_width): (usize, &f32)| {
            coverage(residuals.column(output).iter().copied(), half_width.into())
        };
        Evaluated {
            coverage: half_widths.iter().enumerate().map(within).collect(),
            level: model.level(),
            half_widths,
            outside: export::outside(blob, &data.x).map(|rows| rows.into_iter().filter(|&count| count > 0).count()),
            evaluation: Evaluation::of(&predictions, data),
        }
    }
}

impl fmt::Display for Evaluated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&full(&self.evaluation))?;
        if let Some(interval) = interval(self.level, &self.half_widths) {
            let coverage: Vec<String> = self.coverage.iter().map(|&share| percent(share)).collect();
            writeln!(f, "interval      {interval}: {} of the rows within", coverage.join(", "))?;
        }
        match self.outside {
            Some(rows) => writeln!(f, "outside       {} outside of the fitted range", counted(rows, "row")),
            None => Ok(()),
        }
    }
}
