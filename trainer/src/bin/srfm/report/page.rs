//! A comparison as a page with charts: HTML that needs no other file.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use srfm_trainer::search::Entry;

use crate::report::chart::{Axis, Chart, Mark, Series};
use crate::report::comparison::ComparisonReport;
use crate::report::text::counted;

/// The number of methods that a chart has lines for; more lines cannot be told apart.
const LINES: usize = 5;

/// The style sheet of the page.
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;color:#222}\
    body{max-width:46rem;margin:2rem auto;padding:0 1rem}\
    svg{max-width:100%;height:auto}table{border-collapse:collapse;width:100%}\
    th,td{text-align:right;padding:.15rem .6rem;border-bottom:1px solid #ddd}\
    th:first-child,td:first-child{text-align:left}.best{font-weight:600}";

impl ComparisonReport {
    /// Returns the page: charts of error against flash and instructions, the models, the inputs.
    pub fn html(&self) -> String {
        let flash = self.chart("flash", "bytes of flash", |e| Some(e.flash_bytes as f64), |e| e.best_for_flash);
        let label = "instructions of a prediction, upper bound";
        let cost = |entry: &Entry| entry.instructions.map(f64::from);
        let instructions = self.chart("instructions", label, cost, |e| e.best_for_instructions);
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
                        (counted(self.rows, "row")) ", " (self.core) ", " (self.number) ", seed " (self.seed)
                        ". Errors are cross-validated: " (self.unit()) "."
                        @if !self.comparison.complete { " The comparison was stopped before its end." }
                    }
                    (PreEscaped(flash.svg()))
                    (PreEscaped(instructions.svg()))
                    h2 { "Models" }
                    p {
                        "Models in bold are on a Pareto front: no other model has a lower error with as much flash, "
                        "or with as many instructions."
                    }
                    (self.models())
                    (self.failed())
                    (self.inputs())
                }
            }
        };
        page.into_string()
    }

    fn models(&self) -> Markup {
        html! {
            table {
                tr { th { "method" } th { "features" } th { "error" } th { "flash, bytes" } th { "instructions" } }
                @for entry in &self.comparison.entries {
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
                "The error without an input, judged with " (method) " of " (counted(*features, "feature"))
                ", the smallest model whose error is within one standard error of the lowest."
            }
            table {
                tr {
                    th { "input" } th { "error without it" } th { "without it and all above" } th { "can be left out" }
                }
                @for input in &self.comparison.inputs {
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

    /// Draws error against a cost: the Pareto front, and lines for the methods of lowest error.
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
        // A logarithmic axis of less than a decade would have a single label.
        let decade = |values: Vec<f64>| {
            let positive = || values.iter().copied().filter(|value| *value > 0.0);
            positive().fold(0.0, f64::max) > 10.0 * positive().fold(f64::INFINITY, f64::min)
        };
        let mut series = vec![Series { name: "Pareto front".to_owned(), points: points(&best) }];
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
