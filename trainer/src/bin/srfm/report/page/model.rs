//! A model and its rows as a page with charts.

use maud::{Markup, html};
use srfm_trainer::Model;
use srfm_trainer::data::Dataset;
use srfm_trainer::export::Blob;

use crate::report::evaluated::Evaluated;
use crate::report::evaluation::headline;
use crate::report::page::{SearchView, page, section};
use crate::report::summary::ModelSummary;
use crate::report::text::{counted, percent, significant};

/// A model and the rows that it is shown on.
pub struct ModelPage<'a> {
    /// The title: the name of the model file or of the data file.
    pub title: String,
    /// The name of the model file, in the lines of code.
    pub file: String,
    /// The model.
    pub blob: &'a Blob,
    /// The rows, those of the charts last.
    pub parts: Vec<Part<'a>>,
    /// The model in `f64`, for the quantisation error; none if only its file is known.
    pub host: Option<&'a Model>,
    /// The cross-validated root mean squared error in units of the target; none without cross-validation.
    pub validation: Option<f64>,
    /// The search that found the model; none without a search.
    pub search: Option<&'a SearchView>,
}

/// A part of the rows with its errors.
pub struct Part<'a> {
    /// The name of the part.
    pub name: &'static str,
    /// The rows.
    pub data: &'a Dataset,
    /// The errors of the model on the rows.
    pub evaluated: &'a Evaluated,
}

impl ModelPage<'_> {
    /// Returns the page.
    pub fn html(&self) -> String {
        let shown = self.parts.last().expect("a page has rows");
        let rows = crate::report::page::rows::Rows::of(self.blob, shown.data, shown.name);
        let quantities = shown.data.classes.is_empty();
        let body = html! {
            (self.lead())
            (section("Errors", html! {
                (self.errors())
                @if quantities { (rows.predictions()) } @else { (rows.confusion(&shown.evaluated.evaluation)) }
            }))
            @if quantities { (section("Residuals", rows.residuals())) (section("Intervals", rows.coverage())) }
            (section("Inputs", rows.inputs()))
            @if let Some(search) = self.search { (section("Error against size", search.html())) }
            (section("On the device", self.device()))
            (section("Code", self.code()))
        };
        page(&self.title, body)
    }

    /// Returns what the model is, in a sentence or two.
    fn lead(&self) -> Markup {
        let summary = ModelSummary::of(self.blob);
        html! {
            p {
                "A model in " (summary.number) " of the method " (summary.method) ": "
                (counted(summary.features, "feature")) ", "
                (summary.active_inputs) " of " (counted(summary.inputs, "input")) " used, "
                (counted(summary.outputs, "output")) ", " b { (counted(summary.flash_bytes, "byte")) } " of flash. "
                "Predictions are those of the device's own code."
            }
        }
    }

    /// Returns the table of errors and of the coverage of intervals by part.
    fn errors(&self) -> Markup {
        let intervals = self.parts.iter().any(|part| part.evaluated.level.is_some());
        html! {
            div class="wide" { table {
                tr {
                    th { "rows" } th { "number" } th { "error" }
                    @if intervals { th { "in interval" } th { "half-width" } }
                }
                @if let Some(rmse) = self.validation {
                    tr {
                        td { "cross-validation" } td { "" } td { "RMSE " (significant(rmse)) }
                        @if intervals { td { "" } td { "" } }
                    }
                }
                @for part in &self.parts {
                    tr {
                        td { (part.name) } td { (part.data.rows()) } td { (headline(&part.evaluated.evaluation)) }
                        @if intervals {
                            td { (joined(part.evaluated.coverage.iter().map(|&share| percent(share)))) }
                            td { (joined(part.evaluated.half_widths.iter().map(|&half| significant(half.into())))) }
                        }
                    }
                }
            } }
        }
    }
}

/// Returns the first texts of a list.
fn joined(texts: impl Iterator<Item = String>) -> String {
    const SHOWN: usize = 4;
    let texts: Vec<String> = texts.collect();
    let more = if texts.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", texts[..texts.len().min(SHOWN)].join(", "))
}
