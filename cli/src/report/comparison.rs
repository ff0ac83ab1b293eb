//! The report of a comparison of methods, sizes and inputs.

use std::fmt;

use serde::Serialize;

use srfm_trainer::compare::{Comparison, Entry, Failed};
use srfm_trainer::data::Splitter;
use srfm_trainer::message::Message;

use crate::report::text::{counted, percent, significant};

/// The name of the method of a comparison that predicts a constant.
const MEAN: &str = "mean";

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
    /// Column of what rows count in the errors; left out where they count alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
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

    /// Returns the name of a method of the comparison. A constant score of every class is the commonest class.
    pub fn name<'a>(&self, method: &'a str) -> &'a str {
        if method == MEAN && self.of_classes() { "the commonest class" } else { method }
    }

    /// Returns an error as text.
    pub fn error(&self, error: f64) -> String {
        if !error.is_finite() {
            return "none".to_owned();
        }
        if self.of_classes() { percent(error) } else { significant(error) }
    }

    /// Returns the models that could not be fitted, grouped by reason.
    pub fn failures(&self) -> Vec<(String, &Message)> {
        let mut reasons: Vec<(String, &Message)> = Vec::new();
        for Failed { method, features, reason } in &self.comparison.failed {
            let model = format!("{} with {}", self.name(method), counted(*features, "feature"));
            match reasons.iter_mut().find(|(_, other)| *other == reason) {
                Some((models, _)) => *models += &format!(", {model}"),
                None => reasons.push((model, reason)),
            }
        }
        reasons
    }
}

/// Leaves one of successive models that a report shows alike: several methods and sizes may give a model without
/// features.
pub fn merge(entries: &mut Vec<Entry>) {
    let shown = |entry: &Entry| {
        let Entry { method, features, flash_bytes, program_bytes, instructions, .. } = entry;
        (method.clone(), *features, entry.error().to_bits(), *flash_bytes, *program_bytes, *instructions)
    };
    entries.dedup_by(|second, first| shown(second) == shown(first));
}

/// Returns the bytes of the model file, and those of the program in C.
pub fn bytes(entry: &Entry) -> [String; 2] {
    let program = entry.program_bytes.map_or("-".to_owned(), |bytes| bytes.to_string());
    [entry.flash_bytes.to_string(), program]
}

impl fmt::Display for ComparisonReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = counted(self.rows, "row");
        let core = self.core;
        let number = self.number;
        let unit = self.unit();
        let folds = self.split.name();
        let weights = self.weight.as_ref().map_or(String::new(), |column| format!(" and the weights of {column:?}"));
        writeln!(
            f,
            "{}, {rows}, {core}, {number}, seed {}; {unit}, by {folds} folds{weights}\n",
            self.data, self.seed
        )?;
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
        let names = self.comparison.entries.iter().map(|entry| self.name(&entry.method).chars().count());
        let width = names.max().unwrap_or(0).max(12);
        writeln!(f, "{method:<width$} {features:>8} {error:>10} {file:>12} {program:>12} {instructions:>13}")?;
        for entry in &self.comparison.entries {
            let instructions = entry.instructions.map_or("-".to_owned(), |n| n.to_string());
            let best = match (entry.best_for_flash, entry.best_for_instructions) {
                (true, true) => "  best for both",
                (true, false) => "  best for flash",
                (false, true) => "  best for instructions",
                (false, false) => "",
            };
            let method = self.name(&entry.method);
            let features = entry.features;
            let error = self.error(entry.error());
            let [file, program] = bytes(entry);
            writeln!(
                f,
                "{method:<width$} {features:>8} {error:>10} {file:>12} {program:>12} {instructions:>13}{best}"
            )?;
        }
        Ok(())
    }

    fn fmt_inputs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { inputs, judged_with: Some((method, features)), .. } = &self.comparison else { return Ok(()) };
        writeln!(f, "\ninputs, judged with {} of {}:\n", self.name(method), counted(*features, "feature"))?;
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

#[cfg(test)]
mod tests {
    use srfm_trainer::compare::{CompareConfig, compare};
    use srfm_trainer::data::Task;
    use srfm_trainer::method::MethodConfig;
    use srfm_trainer::{Conditions, Grid, Run};

    use super::*;

    fn report(of_classes: bool) -> ComparisonReport {
        let mut data = Task::Friedman1.generate(100, 1.0, 1);
        if of_classes {
            data.y = data.y.map(|y| f64::from(y > 14.0));
            data.classes = vec!["low".to_owned(), "high".to_owned()];
        }
        let linear = MethodConfig::named("linear").unwrap();
        let config = CompareConfig {
            fit: Conditions { grid: Grid::from([1e-2]), ..Conditions::default() },
            methods: vec![linear.clone(), linear],
            sizes: vec![4, 8],
            core: srfm_trainer::cost::Core::CortexM4f,
        };
        let core = "cortex-m4f";
        let number = "f32";
        let split = Splitter::Random;
        let comparison = compare(&data, &config, &Run::new(1)).unwrap();
        ComparisonReport {
            data: "t.csv".to_owned(),
            rows: 100,
            core,
            number,
            split,
            weight: None,
            seed: 1,
            comparison,
            seconds: 1.0,
        }
    }

    #[test]
    fn equal_models_are_one() {
        let mut entries = report(false).comparison.entries;
        let count = |entries: &[Entry], name: &str| entries.iter().filter(|entry| entry.method == name).count();
        assert_eq!((count(&entries, "linear"), count(&entries, "mean")), (5, 1));
        let all = entries.len();
        merge(&mut entries);
        assert_eq!((count(&entries, "linear"), count(&entries, "mean"), entries.len()), (1, 1, all - 4));
    }

    #[test]
    fn the_constant_of_classes_is_the_commonest() {
        let quantities = report(false).to_string();
        let classes = report(true);
        assert!(quantities.contains("\nmean ") && !quantities.contains("commonest"), "{quantities}");
        let text = classes.to_string();
        // The last column ends at one place, before the marks.
        let table = text.lines().skip(2).take_while(|line| !line.is_empty());
        let ends: Vec<usize> = table.map(|line| line.split("  best").next().unwrap().len()).collect();
        assert!(text.contains("\nthe commonest class        0") && !text.contains("\nmean"), "{text}");
        assert!(ends.len() > 2 && ends.iter().all(|end| *end == ends[0]), "{text}");
        let page = classes.html();
        assert!(page.contains("<td>the commonest class</td>") && page.contains("</i>the commonest class</span>"));
        assert!(!page.contains(">mean<"));
    }
}
