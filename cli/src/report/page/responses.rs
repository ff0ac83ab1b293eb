//! Response curves: the predictions where one reading varies.

use maud::{Markup, html};
use nalgebra::DMatrix;
use srfm_runtime::format::{LIMITED, Prepared};
use srfm_trainer::export;
use srfm_trainer::scaling::Warp;

use crate::report::chart::{Axis, Chart, Extras, Mark, Series};
use crate::report::page::inputs::InputError;
use crate::report::page::rows::Rows;
use crate::report::page::side_by_side;
use crate::report::text::{counted, significant};

/// The number of inputs that have response curves.
const CURVES: usize = 4;

/// The largest number of outputs whose response is drawn.
const OUTPUTS: usize = 6;

/// Steps of a curve at equal distances before and after the warp of the input.
const STEPS: usize = 80;

/// The share of the range that a curve goes beyond its ends.
const BEYOND: f64 = 0.05;

impl Rows<'_> {
    /// Returns the response curves of the most important inputs; nothing for many classes.
    pub fn responses(&self, errors: &[InputError]) -> Markup {
        if self.data.classes.len() > OUTPUTS {
            return html! {};
        }
        html! {
            h3 { "Responses" }
            p {
                "One reading varies, the others stay at their medians. The range of the " (self.name)
                " rows is shaded. "
                @if errors.len() > CURVES {
                    "Drawn are the " (CURVES) " inputs above of the largest errors; the model uses "
                    (counted(errors.len(), "input")) ". "
                }
                @if self.data.output_names.len() > OUTPUTS { "Drawn are the first " (OUTPUTS) " outputs." }
            }
            (side_by_side(errors.iter().take(CURVES).map(|&(input, _)| self.response(input).figure())))
        }
    }

    /// Returns the response curve of an input.
    fn response(&self, input: usize) -> Chart {
        let medians: Vec<f64> = self.data.x.column_iter().map(|column| median(column.as_slice())).collect();
        let column = self.data.x.column(input);
        let low = column.min();
        let high = column.max();
        let warp = self.prepared(input).map_or(Warp::Identity, |(_, prepared)| warp_of(prepared));
        let readings = readings(low, high, warp);
        let reading = |point: usize, i: usize| if i == input { readings[point] } else { medians[i] };
        let x = DMatrix::from_fn(readings.len(), medians.len(), reading);
        let y: DMatrix<f64> = export::predict(self.blob, &x).cast();
        // One output is the label of the axis. Two classes share an output.
        let names = if y.ncols() > 1 { &self.data.output_names[..] } else { &[] };
        let several = |output: usize| names.get(output).cloned().unwrap_or_default();
        let series = (0..y.ncols().min(OUTPUTS)).map(|output| Series {
            name: several(output),
            points: readings.iter().enumerate().map(|(point, &reading)| (reading, y[(point, output)])).collect(),
        });
        let name = &self.data.input_names[input];
        let (title, label) = match &self.data.output_names[..] {
            [only] => (format!("Response of {only} to {name}"), format!("predicted {only}")),
            _ => (format!("Response to {name}"), "predicted".to_owned()),
        };
        let limited = |[low, high]: [f64; 2]| {
            format!("The model limits readings to {} and {}.", significant(low), significant(high))
        };
        Chart {
            name: String::new(),
            title,
            x: Axis::new(name.as_str(), warp == Warp::Log && low > 0.0 && high > 10.0 * low),
            y: Axis::new(label, false),
            mark: Mark::Curves,
            series: series.collect(),
            extras: Extras {
                shaded: Some((low, high)),
                note: self.limits(input).map_or(String::new(), limited),
                ..Extras::default()
            },
        }
    }

    /// Returns how the model prepares an input, and at which place.
    fn prepared(&self, input: usize) -> Option<(usize, Prepared)> {
        let prepared = self.blob.model().prepared();
        let place = prepared.iter().position(|prepared| usize::from(prepared.input) == input)?;
        Some((place, prepared[place]))
    }

    /// Returns the smallest and the largest reading of an input that the model distinguishes; none without limits.
    fn limits(&self, input: usize) -> Option<[f64; 2]> {
        let model = self.blob.model();
        let (place, prepared) = self.prepared(input).filter(|(_, prepared)| prepared.warp & LIMITED != 0)?;
        let limited = model.prepared().iter().rposition(|prepared| prepared.warp & LIMITED != 0)? + 1;
        let words = model.input_limits();
        if words.len() == 2 * limited {
            return Some([2 * place, 2 * place + 1].map(|word| f64::from(f32::from_bits(words[word]))));
        }
        let counts = [words[place] as i16, (words[place] >> 16) as i16];
        let step = 2_f64.powi(-i32::from(prepared.exponent));
        Some(counts.map(|count| f64::from(prepared.centre) + f64::from(count) * step))
    }
}

/// Returns the warp of a prepared input.
fn warp_of(prepared: Prepared) -> Warp {
    srfm_runtime::format::Warp::of(prepared.warp_number()).map_or(Warp::Identity, Warp::from)
}

/// Returns the readings of a curve, ascending: at equal distances, and at equal distances of their warps. They go a
/// little beyond the range of the rows, but change no sign.
fn readings(low: f64, high: f64, warp: Warp) -> Vec<f64> {
    let margin = BEYOND * (high - low);
    let mut first = low - margin;
    let mut last = high + margin;
    if low > 0.0 && warp == Warp::Log {
        first = first.max(low / 1.1);
    } else if low >= 0.0 {
        first = first.max(0.0);
    }
    if high <= 0.0 {
        last = last.min(0.0);
    }
    let [to, from]: [fn(f64) -> f64; 2] = match warp {
        Warp::Log if first > 0.0 => [f64::ln, f64::exp],
        Warp::Sqrt if first >= 0.0 => [f64::sqrt, |value| value * value],
        _ => [|value| value, |value| value],
    };
    let share = |step: usize| step as f64 / STEPS as f64;
    let even = (0..=STEPS).map(|step| first + share(step) * (last - first));
    let warped = (0..=STEPS).map(|step| from(to(first) + share(step) * (to(last) - to(first))).clamp(first, last));
    let mut readings: Vec<f64> = even.chain(warped).collect();
    readings.sort_by(f64::total_cmp);
    readings.dedup();
    readings
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_change_no_sign_and_are_dense_where_the_warp_is_steep() {
        for warp in [Warp::Identity, Warp::Log, Warp::Sqrt] {
            let found = readings(200.0, 20_000.0, warp);
            assert!(found[0] >= 0.0 && found.is_sorted() && (20_900.0..21_100.0).contains(&found[found.len() - 1]));
            let below = found.iter().filter(|&&reading| reading < 1000.0).count();
            assert!(if warp == Warp::Identity { below < 6 } else { below > 12 }, "{below}");
        }
        assert!(readings(-10.0, 0.0, Warp::Identity).iter().all(|&reading| reading <= 0.0));
        assert_eq!(readings(-1.0, 1.0, Warp::Identity)[0], -1.1);
        assert_eq!(readings(3.0, 3.0, Warp::Identity), [3.0]);
    }
}
