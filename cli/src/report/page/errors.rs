//! The errors of a model: cross-validation, the parts of the rows, and each output.

use maud::{Markup, html};
use srfm_trainer::data::Splitter;

use crate::report::metrics::Evaluation;
use crate::report::page::{CrossValidation, ModelPage, Part};
use crate::report::text::{breakable, counted, percent, r_squared, significant};

/// The largest number of outputs in the table of outputs.
const OUTPUTS: usize = 12;

impl CrossValidation {
    fn name(&self) -> String {
        format!("cross-validation, {} {} folds, {}", self.folds, self.split.name(), counted(self.rows, "row"))
    }
}

/// Returns how a splitter holds rows out.
pub fn held_out_by(split: Splitter) -> String {
    match split {
        Splitter::Random => "at random".to_owned(),
        Splitter::Blocked | Splitter::Forward => "the last rows".to_owned(),
    }
}

impl Part<'_> {
    fn full_name(&self) -> Markup {
        html! {
            (self.name) @if !self.detail.is_empty() { ", " (breakable(&self.detail)) }
            ", " (counted(self.data.rows(), "row"))
        }
    }

    /// Returns the share within the interval and the half-width of an output.
    fn interval(&self, output: usize) -> [String; 2] {
        let Some(half) = self.evaluated.half_widths.get(output) else { return Default::default() };
        let within = self.evaluated.coverage.get(output).map_or(String::new(), |&share| percent(share));
        [within, format!("± {}", significant((*half).into()))]
    }
}

impl ModelPage<'_> {
    /// Returns the tables of errors and the number of rows outside of the fitted range.
    pub fn errors(&self) -> Markup {
        let shown = self.parts.last().expect("a page has rows");
        html! {
            div class="wide" {
                @if shown.data.classes.is_empty() { (self.quantities()) } @else { (self.accuracies()) }
            }
            (outputs(shown))
            @if self.parts.iter().any(|part| part.evaluated.weighted) {
                p { "Rows count by their weights in these figures, and alike in the charts." }
            }
            @for part in self.parts.iter().filter(|part| part.name != "training") {
                @if let Some(outside) = part.evaluated.outside {
                    p {
                        (outside) " of the " (part.data.rows()) " " (part.name)
                        " rows " (if outside == 1 { "has" } else { "have" })
                        " readings outside of the range of the fitted rows."
                    }
                }
            }
        }
    }

    /// Returns the table of the accuracy of classes.
    fn accuracies(&self) -> Markup {
        html! {
            table {
                tr { th { "rows" } th { "accuracy" } }
                @if let Some((validation, rate)) = self.validation.as_ref().and_then(|v| Some((v, v.error_rate?))) {
                    tr { td { (validation.name()) } td { (percent(1.0 - rate)) } }
                }
                @for part in &self.parts {
                    @if let Evaluation::Classes(metrics) = &part.evaluated.evaluation {
                        tr { td { (part.full_name()) } td { (percent(metrics.accuracy)) } }
                    }
                }
            }
        }
    }

    /// Returns the table of the errors of quantities, with the intervals of a single output.
    fn quantities(&self) -> Markup {
        let level = self.parts.iter().filter(|part| part.data.outputs() == 1).find_map(|part| part.evaluated.level);
        let half_width = self.parts.iter().find_map(|part| part.evaluated.half_widths.first().copied());
        let cross_validated = self.validation.as_ref().and_then(|v| Some((v, v.rmse?)));
        let deviations = self.validation.as_ref().and_then(|v| v.deviations).is_some();
        html! {
            table {
                tr {
                    th { "rows" } th { "RMSE" }
                    @if deviations { th { "RMSE in SD" } }
                    th { "R²" }
                    @if let Some(level) = level {
                        th {
                            (within(level))
                            @if let Some(half) = half_width { ", ±\u{a0}" (significant(half.into())) }
                        }
                    }
                }
                @if let Some((validation, rmse)) = cross_validated {
                    tr {
                        td { (validation.name()) } td { (significant(rmse)) }
                        @if let Some(share) = validation.deviations { td { (significant(share)) } }
                        td {}
                        @if level.is_some() { td {} }
                    }
                }
                @for part in &self.parts {
                    @if let Evaluation::Quantities { total, .. } = &part.evaluated.evaluation {
                        tr {
                            td { (part.full_name()) } td { (significant(total.rmse)) }
                            @if deviations { td { (in_deviations(total.r2)) } }
                            td { (r_squared(total.r2)) }
                            @if level.is_some() { td { (part.interval(0)[0]) } }
                        }
                    }
                }
            }
            @if deviations {
                p class="note" {
                    "RMSE is in units of the target; SD is the standard deviation of the target in the same rows."
                }
            }
        }
    }
}

fn within(level: f32) -> String {
    format!("in the {:.0}\u{a0}% interval", 100.0 * level)
}

/// Returns the RMSE in standard deviations of the target, from the explained share of the variance.
fn in_deviations(r2: f64) -> String {
    if r2.is_finite() { significant((1.0 - r2).max(0.0).sqrt()) } else { String::new() }
}

/// Returns the table of the outputs of a part; nothing for a single output.
fn outputs(part: &Part<'_>) -> Markup {
    let Evaluation::Quantities { outputs, .. } = &part.evaluated.evaluation else { return html! {} };
    if outputs.is_empty() {
        return html! {};
    }
    let level = part.evaluated.level;
    html! {
        h3 { "Outputs on the " (part.name) " rows" }
        div class="wide" { table {
            tr {
                th { "output" } th { "RMSE" } th { "R²" }
                @if let Some(level) = level { th { (within(level)) } th { "half-width" } }
            }
            @for (output, (name, metrics)) in outputs.iter().enumerate().take(OUTPUTS) {
                tr {
                    td { (breakable(name)) } td { (significant(metrics.rmse)) } td { (r_squared(metrics.r2)) }
                    @if level.is_some() { @for text in part.interval(output) { td { (text) } } }
                }
            }
        } }
        @if outputs.len() > OUTPUTS { p { "And " (counted(outputs.len() - OUTPUTS, "more output")) "." } }
    }
}
