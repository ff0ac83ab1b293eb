//! A model and its rows as a page with charts.

use maud::{Markup, html};
use srfm_trainer::Model;
use srfm_trainer::data::{Dataset, Splitter};
use srfm_trainer::export::Blob;

use crate::report::evaluated::Evaluated;
use crate::report::page::rows::Rows;
use crate::report::page::{SearchView, confusion, page, section};
use crate::report::summary::ModelSummary;
use crate::report::text::counted;

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
    /// The errors of cross-validation; none without a choice of settings.
    pub validation: Option<CrossValidation>,
    /// The search that found the model; none without a search.
    pub search: Option<&'a SearchView>,
}

/// The errors of cross-validation.
pub struct CrossValidation {
    /// How the rows were divided into folds.
    pub split: Splitter,
    /// The number of folds.
    pub folds: usize,
    /// The number of rows that were tested.
    pub rows: usize,
    /// Root mean squared error in units of the target; none for classes.
    pub rmse: Option<f64>,
    /// The same in standard deviations of the target over all fitted rows.
    pub deviations: Option<f64>,
    /// Share of misclassified rows; none for quantities.
    pub error_rate: Option<f64>,
}

/// A part of the rows with its errors.
pub struct Part<'a> {
    /// The name of the part, before the word "rows".
    pub name: &'static str,
    /// The file of the rows, or how they were held out; empty for the rows that were fitted.
    pub detail: String,
    /// The rows.
    pub data: &'a Dataset,
    /// The errors of the model on the rows.
    pub evaluated: &'a Evaluated,
}

impl ModelPage<'_> {
    /// Returns the page.
    pub fn html(&self) -> String {
        page(&self.title, self.body())
    }

    /// Returns the content of the page below its title, which [`STYLE`](crate::report::STYLE) suits.
    pub fn content(&self) -> String {
        self.body().into_string()
    }

    fn body(&self) -> Markup {
        let shown = self.parts.last().expect("a page has rows");
        let rows = Rows::of(self.blob, shown.data, shown.name);
        let quantities = shown.data.classes.is_empty();
        html! {
            (self.lead())
            (section("Errors", html! {
                (self.errors())
                @if quantities { (rows.predictions()) } @else {
                    (confusion::matrix(&shown.evaluated.evaluation)) (rows.certainty())
                }
            }))
            @if quantities { (section("Residuals", rows.residuals())) (section("Intervals", rows.coverage())) }
            (section("Inputs", rows.inputs()))
            @if let Some(search) = self.search { (section("Error against size", search.html())) }
            (section("On the device", self.device()))
            (section("Code", self.code()))
        }
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
}
