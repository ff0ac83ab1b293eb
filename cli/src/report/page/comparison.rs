//! A comparison as a page with charts.

use std::path::Path;

use maud::{Markup, html};
use srfm_trainer::compare::Entry;

use crate::report::chart::{Axis, Chart, Extras, Mark, Series};
use crate::report::comparison::{ComparisonReport, bytes};
use crate::report::page::{page, side_by_side};
use crate::report::text::{breakable, counted, listed};

/// The number of methods that a chart has lines for; more lines cannot be told apart.
const LINES: usize = 5;

impl ComparisonReport {
    /// Returns the page: charts of error against flash and instructions, the models, the inputs.
    pub fn html(&self) -> String {
        let flash = match self.comparison.entries.iter().all(|entry| entry.program_bytes.is_some()) {
            true => self.chart(
                "flash",
                "bytes of the program in C",
                |e| Some(e.program_bytes? as f64),
                |e| e.best_for_flash,
            ),
            false => self.chart("flash", "bytes of flash", |e| Some(e.flash_bytes as f64), |e| e.best_for_flash),
        };
        let label = "instructions, upper bound";
        let cost = |entry: &Entry| entry.instructions.map(f64::from);
        let instructions = self.chart("instructions", label, cost, |e| e.best_for_instructions);
        let body = html! {
            p {
                (counted(self.rows, "row")) ", " (self.core) ", " (self.number) ", seed " (self.seed)
                ". Errors are cross-validated by " (self.split.name()) " folds: " (self.unit()) "."
                @if let Some(column) = &self.weight { " Rows count by the column " (column) "." }
                @if !self.comparison.complete { " The comparison was stopped before its end." }
            }
            (side_by_side([flash.figure(), instructions.figure()]))
            h2 { "Models" }
            p {
                "Models in bold are on a Pareto front: no other model has a lower error with as much flash, "
                "or with as many instructions. Flash is the model file, beside the runtime. As C, a program has its "
                "parameters, code and constants, compiled with -Os. The front of flash compares programs where all "
                "are known, else model files."
            }
            div class="wide" { (self.models()) }
            (self.failed())
            (self.inputs())
        };
        page(&self.file_name(), body)
    }

    /// Returns the label of the axis of errors.
    fn axis(&self) -> &'static str {
        if self.unit().starts_with("RMSE") { "RMSE, standard deviations" } else { "error rate, %" }
    }

    /// Returns the name of the data file without its folders.
    fn file_name(&self) -> String {
        let path = Path::new(&self.data);
        path.file_name().map_or(self.data.clone(), |name| name.to_string_lossy().into_owned())
    }

    fn models(&self) -> Markup {
        html! {
            table {
                tr {
                    @for column in ["method", "features", "error", "file, bytes", "as C, bytes", "instructions"] {
                        th { (column) }
                    }
                }
                @for entry in &self.comparison.entries {
                    tr class=[(entry.best_for_flash || entry.best_for_instructions).then_some("best")] {
                        td { (breakable(self.name(&entry.method))) }
                        td { (entry.features) }
                        td { (self.error(entry.error())) }
                        @for bytes in bytes(entry) { td { (bytes) } }
                        td { (entry.instructions.map_or("-".to_owned(), |n| n.to_string())) }
                    }
                }
            }
        }
    }

    fn failed(&self) -> Markup {
        let failures = self.failures();
        html! {
            @if !failures.is_empty() {
                h2 { "Not possible" }
                ul { @for (models, reason) in failures { li { (models) ": " (reason) } } }
            }
        }
    }

    fn inputs(&self) -> Markup {
        let Some((method, features)) = &self.comparison.judged_with else { return html! {} };
        html! {
            h2 { "Inputs" }
            p {
                "The error without an input, judged with " (self.name(method)) " of " (counted(*features, "feature"))
                ", the smallest model whose error is within one standard error of the lowest."
            }
            div class="wide" { table {
                tr {
                    th { "input" } th { "error without it" } th { "without it and all above" } th { "can be left out" }
                }
                @for input in &self.comparison.inputs {
                    tr {
                        td { (breakable(&input.input)) }
                        td { (self.error(input.without_it)) }
                        td { (input.without_those_before.map_or("-".to_owned(), |error| self.error(error))) }
                        td { (if input.dispensable { "yes" } else { "no" }) }
                    }
                }
            } }
        }
    }

    /// Returns a remark on the methods that have no lines; nothing without such methods.
    fn without_lines(&self, methods: &[&str]) -> String {
        let names: Vec<String> = methods.iter().map(|method| self.name(method).to_owned()).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!("The {LINES} methods of lowest error have lines. Without a line: {}.", listed(&names)),
        }
    }

    /// Draws error against a cost: the Pareto front, and lines for the methods of lowest error.
    fn chart(
        &self,
        name: &str,
        label: &'static str,
        cost: fn(&Entry) -> Option<f64>,
        best: fn(&Entry) -> bool,
    ) -> Chart {
        let entries = &self.comparison.entries;
        // Rates are in percent.
        let error = |entry: &Entry| entry.error_rate.map_or(entry.error(), |rate| 100.0 * rate);
        let points = |keep: &dyn Fn(&Entry) -> bool| {
            let kept = entries.iter().filter(|entry| keep(entry));
            let mut points: Vec<(f64, f64)> = kept.filter_map(|entry| Some((cost(entry)?, error(entry)))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points
        };
        let front = points(&best);
        let (y, ceiling) = Axis::of_errors(self.axis(), front.iter().map(|point| point.1));
        let mut methods: Vec<&str> = Vec::new();
        for entry in entries.iter().filter(|entry| cost(entry).is_some()) {
            if !methods.contains(&entry.method.as_str()) {
                methods.push(&entry.method);
            }
        }
        let others = methods.split_off(methods.len().min(LINES));
        let of_method = |method: &str| Series {
            name: self.name(method).to_owned(),
            points: points(&|entry| entry.method == method),
        };
        let series: Vec<Series> = methods.into_iter().map(of_method).collect();
        let drawn = entries.iter().filter(|entry| ceiling.is_none_or(|most| error(entry) <= most));
        Chart {
            name: name.to_owned(),
            title: format!("Error against {name}"),
            x: Axis::fitting(label, drawn.filter_map(cost)),
            y,
            mark: Mark::Lines,
            series,
            extras: Extras { front, ceiling, note: self.without_lines(&others), ..Extras::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use srfm_trainer::compare::Comparison;
    use srfm_trainer::data::Splitter;

    use super::*;

    #[test]
    fn methods_without_lines_are_named() {
        let entries = Vec::new();
        let inputs = Vec::new();
        let failed = Vec::new();
        let comparison = Comparison { entries, judged_with: None, inputs, failed, complete: true };
        let core = "cortex-m4f";
        let number = "f32";
        let split = Splitter::Random;
        let report = ComparisonReport {
            data: String::new(),
            rows: 1,
            core,
            number,
            split,
            weight: None,
            seed: 1,
            comparison,
            seconds: 1.0,
        };
        let note = "The 5 methods of lowest error have lines. Without a line: srff, mean.";
        assert_eq!(report.without_lines(&["srff", "mean"]), note);
        assert_eq!(report.without_lines(&[]), "");
    }
}
