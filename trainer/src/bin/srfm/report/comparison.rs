//! A comparison of methods, sizes and inputs as text and as a page with pictures.

use std::fmt;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;

use crate::report::chart::{Axis, Chart, Mark, Series};
use crate::report::{percent, significant};
use srfm_trainer::search::comparison::{Comparison, Entry, Failed};

/// What a comparison is of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonReport {
    /// The data file.
    pub data: String,
    /// Its rows.
    pub rows: usize,
    /// Core whose instructions are counted.
    pub core: &'static str,
    /// How the device stores the models.
    pub number: &'static str,
    /// Seed of the random numbers.
    pub seed: u64,
    /// The models and inputs.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// Time that it took.
    pub seconds: f64,
}

/// Methods that a picture has lines for: more cannot be told apart.
const LINES: usize = 5;

impl ComparisonReport {
    /// Whether errors are shares of rows put into a wrong class.
    fn of_classes(&self) -> bool {
        self.comparison.entries.iter().any(|entry| entry.error_rate.is_some())
    }

    fn unit(&self) -> &'static str {
        if self.of_classes() { "share of rows in a wrong class" } else { "RMSE in standard deviations of the target" }
    }

    fn error(&self, error: f64) -> String {
        if !error.is_finite() {
            return "none".to_owned();
        }
        if self.of_classes() { percent(error) } else { significant(error) }
    }

    /// The page: pictures of error against flash and instructions, the models, the inputs.
    pub fn html(&self) -> String {
        let Comparison { entries, inputs, judged_with, failed, complete } = &self.comparison;
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width";
                    title { "srfm: " (self.data) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    h1 { (self.data) }
                    p {
                        (self.rows) " rows, " (self.core) ", numbers as " (self.number) ", seed " (self.seed) ". Errors are cross-validated: "
                        (self.unit()) "."
                        @if !complete { " The comparison was stopped before its end." }
                    }
                    (PreEscaped(self.chart("flash", "bytes of flash", |e| Some(e.flash_bytes as f64), |e| e.best_for_flash).svg()))
                    (PreEscaped(self.chart("instructions", "instructions of a prediction, at most",
                        |e| e.instructions.map(f64::from), |e| e.best_for_instructions).svg()))
                    h2 { "Models" }
                    p { "Nothing beats the models in bold: no other has less error in as much flash, or in as many instructions." }
                    (self.models(entries))
                    @if !failed.is_empty() {
                        h2 { "Not to be had" }
                        ul { @for (which, reason) in by_reason(failed) { li { (which) " features: " (reason) } } }
                    }
                    @if let Some((method, features)) = judged_with {
                        h2 { "Inputs" }
                        p {
                            "What leaving out inputs costs, with " (method) " of " (features)
                            " features, the smallest model whose error is within a standard error of the least."
                        }
                        table {
                            tr { th { "input" } th { "error without it" } th { "without it and all above" } th { "can be left off" } }
                            @for input in inputs {
                                tr {
                                    td { (input.input) }
                                    td { (self.error(input.without_it)) }
                                    td { (input.without_those_before.map_or("-".to_owned(), |error| self.error(error))) }
                                    td { (if input.dispensable { "yes" } else { "no" }) }
                                }
                            }
                        }
                    }
                }
            }
        };
        page.into_string()
    }

    fn models(&self, entries: &[Entry]) -> Markup {
        html! {
            table {
                tr { th { "method" } th { "features" } th { "error" } th { "flash, bytes" } th { "instructions" } }
                @for entry in entries {
                    tr class=[(entry.best_for_flash || entry.best_for_instructions).then_some("best")] {
                        td { (entry.method) }
                        td { (entry.features) }
                        td { (self.error(entry.error())) }
                        td { (entry.flash_bytes) }
                        td { (entry.instructions.map_or("-".to_owned(), |n| n.to_string())) }
                    }
                }
            }
        }
    }

    /// Error against a cost: the front, and lines for the methods of least error.
    fn chart(
        &self,
        name: &str,
        label: &'static str,
        cost: fn(&Entry) -> Option<f64>,
        best: fn(&Entry) -> bool,
    ) -> Chart {
        let entries = &self.comparison.entries;
        let points = |keep: &dyn Fn(&Entry) -> bool| {
            let kept = entries.iter().filter(|entry| keep(entry));
            let mut points: Vec<(f64, f64)> = kept.filter_map(|entry| Some((cost(entry)?, entry.error()))).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            points
        };
        // A logarithmic axis of less than a decade would have one number on it.
        let decade = |values: Vec<f64>| {
            let positive = || values.iter().copied().filter(|value| *value > 0.0);
            positive().fold(0.0, f64::max) > 10.0 * positive().fold(f64::INFINITY, f64::min)
        };
        let mut series = vec![Series { name: "nothing beats these".to_owned(), points: points(&best) }];
        let mut methods: Vec<&str> = Vec::new();
        for entry in entries.iter().filter(|entry| cost(entry).is_some()) {
            if methods.len() < LINES && !methods.contains(&entry.method.as_str()) {
                methods.push(&entry.method);
            }
        }
        series.extend(
            methods
                .into_iter()
                .map(|method| Series { name: method.to_owned(), points: points(&|entry| entry.method == method) }),
        );
        Chart {
            name: name.to_owned(),
            title: format!("Error against {name}"),
            x: Axis { label, logarithmic: decade(entries.iter().filter_map(cost).collect()) },
            y: Axis { label: self.unit(), logarithmic: decade(entries.iter().map(Entry::error).collect()) },
            mark: Mark::Lines,
            series,
        }
    }
}

/// Methods and sizes that could not be had, together where the reason is the same.
fn by_reason(failed: &[Failed]) -> Vec<(String, &str)> {
    let mut reasons: Vec<(String, &str)> = Vec::new();
    for Failed { method, features, reason } in failed {
        match reasons.iter_mut().find(|(_, other)| other == reason) {
            Some((which, _)) => *which += &format!(", {method} {features}"),
            None => reasons.push((format!("{method} {features}"), reason)),
        }
    }
    reasons
}

/// The look of the page.
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222}\
    svg{max-width:100%;height:auto}table{border-collapse:collapse;width:100%}\
    th,td{text-align:right;padding:.15rem .6rem;border-bottom:1px solid #ddd}\
    th:first-child,td:first-child{text-align:left}.best{font-weight:600}";

impl fmt::Display for ComparisonReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { entries, inputs, judged_with, failed, complete } = &self.comparison;
        writeln!(
            f,
            "{}, {} rows, {}, {}, seed {}; cross-validated {}",
            self.data,
            self.rows,
            self.core,
            self.number,
            self.seed,
            self.unit()
        )?;
        writeln!(
            f,
            "\n{:<12} {:>8} {:>10} {:>12} {:>13}",
            "method", "features", "error", "flash, bytes", "instructions"
        )?;
        for entry in entries {
            let instructions = entry.instructions.map_or("-".to_owned(), |n| n.to_string());
            let best = match (entry.best_for_flash, entry.best_for_instructions) {
                (true, true) => "  best for both",
                (true, false) => "  best for flash",
                (false, true) => "  best for instructions",
                (false, false) => "",
            };
            let (method, features, flash) = (&entry.method, entry.features, entry.flash_bytes);
            writeln!(
                f,
                "{method:<12} {features:>8} {:>10} {flash:>12} {instructions:>13}{best}",
                self.error(entry.error())
            )?;
        }
        for (which, reason) in by_reason(failed) {
            writeln!(f, "not to be had: {which} features: {reason}")?;
        }
        if let Some((method, features)) = judged_with {
            writeln!(f, "\ninputs, judged with {method} of {features} features:\n")?;
            let width = inputs.iter().map(|input| input.input.chars().count()).max().unwrap_or(0).max(5);
            writeln!(f, "{:<width$} {:>16} {:>24}", "input", "error without it", "without it and all above")?;
            for input in inputs {
                let together = input.without_those_before.map_or("-".to_owned(), |error| self.error(error));
                let verdict = if input.dispensable { "  can be left off the board" } else { "" };
                writeln!(f, "{:<width$} {:>16} {together:>24}{verdict}", input.input, self.error(input.without_it))?;
            }
        }
        let ended = if *complete { "" } else { "; stopped before its end" };
        writeln!(f, "\ntook {:.1} s{ended}", self.seconds)
    }
}
