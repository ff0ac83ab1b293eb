//! What the model makes of its inputs: the error without each reading, and response curves.

use maud::{Markup, html};
use nalgebra::DMatrix;
use srfm_trainer::data::Dataset;
use srfm_trainer::export;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::validate::Evaluation;

use crate::report::chart::{Axis, Chart, Extras, Mark, Series};
use crate::report::page::rows::Rows;
use crate::report::page::side_by_side;
use crate::report::text::{counted, percent, significant};

/// The number of inputs that are listed, and that have response curves.
const LISTED: usize = 12;
const CURVES: usize = 4;

/// The largest number of outputs whose response is drawn.
const OUTPUTS: usize = 6;

/// Predictions that the permutations take at most, and rows that they take at least.
const PREDICTIONS: usize = 400_000;
const ROWS: usize = 50;

/// Points of a response curve, and the share of the range that it goes beyond its ends.
const POINTS: usize = 81;
const BEYOND: f64 = 0.15;

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
        match Evaluation::of(&export::predict(self.blob, x).cast(), data) {
            Evaluation::Quantities { total, .. } => total.rmse,
            Evaluation::Classes(metrics) => metrics.error_rate,
        }
    }

    /// Returns the table of inputs and the response curves; nothing for a model without inputs.
    pub fn inputs(&self) -> Markup {
        let (own, errors) = self.important_inputs();
        let Some(&(_, largest)) = errors.first() else { return html! {} };
        let classes = !self.data.classes.is_empty();
        let text = |error: f64| if classes { percent(error) } else { significant(error) };
        html! {
            p {
                "The error of this model when a sensor says nothing: its readings are permuted among the rows. "
                "All sensors, on " (counted(self.permuted_rows(errors.len()), "row")) ": "
                (if classes { "error rate" } else { "RMSE" }) " " (text(own)) ". "
                "A model fitted without the sensor may lose less; srfm compare fits it."
            }
            table style="width:100%" {
                tr { th { "without" } th { "error" } th { "" } }
                @for &(input, error) in errors.iter().take(LISTED) {
                    tr {
                        td { (self.data.input_names[input]) } td { (text(error)) }
                        td class="bars" {
                            span class="bar" style={ "width:" (format!("{:.1}", 100.0 * error / largest)) "%" } {}
                        }
                    }
                }
            }
            @if errors.len() > LISTED { p { "And " (errors.len() - LISTED) " more." } }
            (self.responses(&errors))
        }
    }

    /// Returns the response curves of the most important inputs; nothing for many classes.
    fn responses(&self, errors: &[InputError]) -> Markup {
        if self.data.classes.len() > OUTPUTS {
            return html! {};
        }
        html! {
            h3 { "Responses" }
            p { "One reading varies, the others stay at their medians. The range of the rows is shaded." }
            (side_by_side(errors.iter().take(CURVES).map(|&(input, _)| self.response(input).figure())))
        }
    }

    /// Returns the response curve of an input.
    fn response(&self, input: usize) -> Chart {
        let medians: Vec<f64> = self.data.x.column_iter().map(|column| median(column.as_slice())).collect();
        let column = self.data.x.column(input);
        let (low, high) = (column.min(), column.max());
        let margin = BEYOND * (high - low);
        let reading = |point: usize| low - margin + (high - low + 2.0 * margin) * point as f64 / (POINTS - 1) as f64;
        let x =
            DMatrix::from_fn(POINTS, medians.len(), |point, i| if i == input { reading(point) } else { medians[i] });
        let y: DMatrix<f64> = export::predict(self.blob, &x).cast();
        // One output is the label of the axis. Two classes share an output.
        let names = if y.ncols() > 1 { &self.data.output_names[..] } else { &[] };
        let several = |output: usize| names.get(output).cloned().unwrap_or_default();
        let series = (0..y.ncols().min(OUTPUTS)).map(|output| Series {
            name: several(output),
            points: (0..POINTS).map(|point| (reading(point), y[(point, output)])).collect(),
        });
        let name = &self.data.input_names[input];
        let label = match &self.data.output_names[..] {
            [only] => format!("predicted {only}"),
            _ => "predicted".to_owned(),
        };
        Chart {
            name: String::new(),
            title: format!("Response to {name}"),
            x: Axis::new(name.as_str(), false),
            y: Axis::new(label, false),
            mark: Mark::Curves,
            series: series.collect(),
            extras: Extras { shaded: Some((low, high)), ..Extras::default() },
        }
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
