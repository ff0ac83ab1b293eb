//! The report of a comparison of methods, sizes and inputs.

use std::fmt;

use serde::Serialize;

use srfm_trainer::data::Splitter;
use srfm_trainer::search::{Comparison, Entry, Failed};

use crate::report::text::{counted, percent, significant};

/// A comparison, its data and its settings.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonReport {
    /// The data file.
    pub data: String,
    /// The number of rows.
    pub rows: usize,
    /// Core whose instructions are counted.
    pub core: &'static str,
    /// Number format of the models.
    pub number: &'static str,
    /// How the rows were divided into folds.
    pub split: Splitter,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The models and inputs.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// Duration in seconds.
    pub seconds: f64,
}

impl ComparisonReport {
    /// Whether errors are shares of misclassified rows.
    fn of_classes(&self) -> bool {
        self.comparison.entries.iter().any(|entry| entry.error_rate.is_some())
    }

    /// Returns the unit of the errors.
    pub fn unit(&self) -> &'static str {
        if self.of_classes() { "share of misclassified rows" } else { "RMSE in standard deviations of the target" }
    }

    /// Returns an error as text.
    pub fn error(&self, error: f64) -> String {
        if !error.is_finite() {
            return "none".to_owned();
        }
        if self.of_classes() { percent(error) } else { significant(error) }
    }

    /// Returns the models that could not be fitted, grouped by reason.
    pub fn failures(&self) -> Vec<(String, &str)> {
        let mut reasons: Vec<(String, &str)> = Vec::new();
        for Failed { method, features, reason } in &self.comparison.failed {
            let model = format!("{method} with {}", counted(*features, "feature"));
            match reasons.iter_mut().find(|(_, other)| other == reason) {
                Some((models, _)) => *models += &format!(", {model}"),
                None => reasons.push((model, reason)),
            }
        }
        reasons
    }
}

/// Returns the bytes of the model file, which a plain function has none of, and those of the program in C.
pub fn bytes(entry: &Entry) -> [String; 2] {
    let program = entry.program_bytes.map_or("-".to_owned(), |bytes| bytes.to_string());
    let plain = ["polynomial", "table"].contains(&entry.method.as_str());
    [if plain { "-".to_owned() } else { entry.flash_bytes.to_string() }, program]
}

impl fmt::Display for ComparisonReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, core, number) = (counted(self.rows, "row"), self.core, self.number);
        let (unit, folds) = (self.unit(), self.split.name());
        writeln!(f, "{}, {rows}, {core}, {number}, seed {}; {unit}, by {folds} folds\n", self.data, self.seed)?;
        self.fmt_models(f)?;
        for (models, reason) in self.failures() {
            writeln!(f, "no model: {models}: {reason}")?;
        }
        self.fmt_inputs(f)?;
        let ended = if self.comparison.complete { "" } else { "; stopped before its end" };
        writeln!(f, "\ntook {:.1} s{ended}", self.seconds)
    }
}

impl ComparisonReport {
    fn fmt_models(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["method", "features", "error", "file, bytes", "as C, bytes", "instructions"];
        let [method, features, error, file, program, instructions] = columns;
        writeln!(f, "{method:<12} {features:>8} {error:>10} {file:>12} {program:>12} {instructions:>13}")?;
        for entry in &self.comparison.entries {
            let instructions = entry.instructions.map_or("-".to_owned(), |n| n.to_string());
            let best = match (entry.best_for_flash, entry.best_for_instructions) {
                (true, true) => "  best for both",
                (true, false) => "  best for flash",
                (false, true) => "  best for instructions",
                (false, false) => "",
            };
            let (method, features) = (&entry.method, entry.features);
            let (error, [file, program]) = (self.error(entry.error()), bytes(entry));
            writeln!(f, "{method:<12} {features:>8} {error:>10} {file:>12} {program:>12} {instructions:>13}{best}")?;
        }
        Ok(())
    }

    fn fmt_inputs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { inputs, judged_with: Some((method, features)), .. } = &self.comparison else { return Ok(()) };
        writeln!(f, "\ninputs, judged with {method} of {}:\n", counted(*features, "feature"))?;
        let width = inputs.iter().map(|input| input.input.chars().count()).max().unwrap_or(0).max(5);
        writeln!(f, "{:<width$} {:>16} {:>24}", "input", "error without it", "without it and all above")?;
        for input in inputs {
            let together = input.without_those_before.map_or("-".to_owned(), |error| self.error(error));
            let verdict = if input.dispensable { "  can be left out" } else { "" };
            writeln!(f, "{:<width$} {:>16} {together:>24}{verdict}", input.input, self.error(input.without_it))?;
        }
        Ok(())
    }
}
