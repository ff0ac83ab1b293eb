//! What the model makes of its inputs: the error without each reading.

use maud::{Markup, html};
use nalgebra::DMatrix;
use srfm_trainer::data::Dataset;
use srfm_trainer::export;
use srfm_trainer::sampling::Sampler;

use crate::report::metrics::Evaluation;
use crate::report::page::rows::Rows;
use crate::report::text::{breakable, counted, percent, significant};

/// The number of inputs that are listed.
const LISTED: usize = 12;

/// Predictions that the permutations take at most, and rows that they take at least.
const PREDICTIONS: usize = 400_000;
const ROWS: usize = 50;

/// The error of predictions on the permuted readings of an input.
pub type InputError = (usize, f64);

impl Rows<'_> {
    /// Returns the error with all readings, and the used inputs with the error where the readings of each are permuted,
    /// largest error first. Both are of the same rows.
    pub fn important_inputs(&self) -> (f64, Vec<InputError>) {
        let model = self.blob.model();
        let used: Vec<usize> = (0..model.inputs()).filter(|&input| model.uses_input(input)).collect();
        let rows = self.permuted_rows(used.len());
        let some = self.data.select(&Sampler::new(1).choose(self.data.rows(), rows));
        let order = Sampler::new(2).permutation(rows);
        let mut permuted = some.x.clone();
        let mut errors: Vec<InputError> = Vec::new();
        for input in used {
            let column = some.x.column(input);
            permuted.column_mut(input).iter_mut().zip(&order).for_each(|(value, &row)| *value = column[row]);
            errors.push((input, self.error(&permuted, &some)));
            permuted.column_mut(input).copy_from(&column);
        }
        errors.sort_by(|a, b| b.1.total_cmp(&a.1));
        (self.error(&some.x, &some), errors)
    }

    /// Returns the number of rows whose readings are permuted where this many inputs are used.
    fn permuted_rows(&self, used: usize) -> usize {
        (PREDICTIONS / used.max(1)).max(ROWS).min(self.data.rows())
    }

    /// Returns the error of the predictions at `x` for the targets of `data`: the error rate of classes, else the RMSE.
    fn error(&self, x: &DMatrix<f64>, data: &Dataset) -> f64 {
        match Evaluation::of(&export::predict(self.blob, x).cast(), data, &[]) {
            Evaluation::Quantities { total, .. } => total.rmse,
            Evaluation::Classes(metrics) => metrics.error_rate,
        }
    }

    /// Returns the table of inputs and the response curves; nothing for a model without inputs.
    pub fn inputs(&self) -> Markup {
        let (own, errors) = self.important_inputs();
        let Some(&(_, first)) = errors.first() else { return html! {} };
        let share = |error: f64| format!("{:.1}", 100.0 * error / first.max(own).max(f64::MIN_POSITIVE));
        let classes = !self.data.classes.is_empty();
        let text = |error: f64| if classes { percent(error) } else { significant(error) };
        html! {
            p {
                "The error of this model when a sensor says nothing: its readings are permuted among the "
                (self.name) " rows. "
                "All sensors, the line in the bars, on " (counted(self.permuted_rows(errors.len()), "row")) ": "
                (if classes { "error rate" } else { "RMSE" }) " " (text(own)) ". "
                "A model fitted without the sensor may lose less; srfm compare fits it."
            }
            table class="sensors" {
                tr { th { "without" } th { "error" } td {} }
                @for &(input, error) in errors.iter().take(LISTED) {
                    tr {
                        td { (breakable(&self.data.input_names[input])) } td { (text(error)) }
                        td class="bars" {
                            span class="bar" style={ "width:" (share(error)) "%" } {}
                            i style={ "left:" (share(own)) "%" } {}
                        }
                    }
                }
            }
            @if errors.len() > LISTED { p { "And " (errors.len() - LISTED) " more." } }
            (self.responses(&errors))
        }
    }
}
