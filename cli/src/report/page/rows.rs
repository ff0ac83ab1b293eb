//! Predictions and residuals of rows.

use maud::{Markup, html};
use nalgebra::DMatrix;
use srfm_trainer::data::{Dataset, decide, shortfalls};
use srfm_trainer::export::{self, Blob};
use srfm_trainer::sampling::Sampler;
use srfm_trainer::validate::coverage;

use crate::report::chart::{Axis, Chart, Extras, Mark, Series};
use crate::report::page::side_by_side;
use crate::report::reliability::Reliability;

/// The largest number of dots of a chart.
const DOTS: usize = 400;

/// The number of rows of largest deviation that are among the dots.
const LARGEST: usize = 20;

/// The largest number of outputs that have charts of their own.
const OUTPUTS: usize = 3;

/// The number of parts of the rows whose coverage is drawn.
const TENTHS: usize = 10;

/// Returns the rows that are drawn as dots, ascending: all, or those of largest `deviation` and a random one of every
/// stride of the others. Rows at equal distances would have the same hour of the day in a log by the hour.
pub fn drawn(rows: usize, deviation: impl Fn(usize) -> f64) -> Vec<usize> {
    if rows <= DOTS {
        return (0..rows).collect();
    }
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by(|&a, &b| deviation(b).abs().total_cmp(&deviation(a).abs()));
    let mut others = order.split_off(LARGEST);
    others.sort_unstable();
    let strides = DOTS - LARGEST;
    let mut sampler = Sampler::new(3);
    order.extend((0..strides).map(|stride| {
        let first = stride * others.len() / strides;
        let end = (stride + 1) * others.len() / strides;
        others[first + sampler.below(end - first)]
    }));
    order.sort_unstable();
    order
}

/// Rows and their predictions by the device's code.
pub struct Rows<'a> {
    pub blob: &'a Blob,
    pub data: &'a Dataset,
    /// The name of the part of the rows.
    pub name: &'static str,
    /// Predictions, n×k.
    pub predictions: DMatrix<f64>,
}

impl<'a> Rows<'a> {
    /// Predicts the rows.
    pub fn of(blob: &'a Blob, data: &'a Dataset, name: &'static str) -> Rows<'a> {
        Rows { blob, data, name, predictions: export::predict(blob, &data.x).cast() }
    }

    /// Returns the outputs that have charts, and their names.
    fn outputs(&self) -> impl Iterator<Item = (usize, &str)> {
        self.data.output_names.iter().map(String::as_str).enumerate().take(OUTPUTS)
    }

    fn residual(&self, row: usize, output: usize) -> f64 {
        self.data.y[(row, output)] - self.predictions[(row, output)]
    }

    /// Returns the rows that are drawn in the charts of an output.
    fn drawn(&self, output: usize) -> Vec<usize> {
        drawn(self.data.rows(), |row| self.residual(row, output))
    }

    /// Returns charts of predicted against true values.
    pub fn predictions(&self) -> Markup {
        let chart = |(output, name): (usize, &str)| {
            let rows = self.drawn(output);
            let points: Vec<_> =
                rows.iter().map(|&r| (self.data.y[(r, output)], self.predictions[(r, output)])).collect();
            let values = || points.iter().flat_map(|&(a, b)| [a, b]);
            let ends = [values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max)];
            let guide = ends.map(|end| (end, end)).to_vec();
            self.dots(
                &format!("Predicted against true: {name}, {} rows", self.name),
                ("true", "predicted"),
                points,
                guide,
                "residual",
            )
        };
        html! { (side_by_side(self.outputs().map(chart))) (self.more_outputs()) }
    }

    /// Returns a remark where some outputs have no charts.
    fn more_outputs(&self) -> Markup {
        let outputs = self.data.outputs();
        html! { @if outputs > OUTPUTS { p { "Charts show the first " (OUTPUTS) " of " (outputs) " outputs." } } }
    }

    /// Returns charts of the residuals in the order of the rows and against the inputs.
    pub fn residuals(&self) -> Markup {
        let mut figures = Vec::new();
        for (output, name) in self.outputs() {
            let rows = self.drawn(output);
            let against = |title: String, label: &str, place: &dyn Fn(usize) -> f64| {
                let points: Vec<_> = rows.iter().map(|&row| (place(row), self.residual(row, output))).collect();
                let places = || points.iter().map(|point| point.0);
                let ends = [places().fold(f64::INFINITY, f64::min), places().fold(f64::NEG_INFINITY, f64::max)];
                let guide = ends.map(|end| (end, 0.0)).to_vec();
                self.dots(&title, (label, "true less predicted"), points, guide, "residual")
            };
            figures.push(against(
                format!("Residuals of {name} in the order of the {} rows", self.name),
                "row",
                &|row| (row + 1) as f64,
            ));
            let (_, inputs) = self.important_inputs();
            for &(input, _) in inputs.iter().take(if self.data.outputs() == 1 { 5 } else { 1 }) {
                let input_name = &self.data.input_names[input];
                let title = format!("Residuals of {name} against {input_name}, {} rows", self.name);
                figures.push(against(title, input_name, &|row| self.data.x[(row, input)]));
            }
        }
        side_by_side(figures)
    }

    /// Returns a chart of dots, one for each drawn row; `deviation` is the name of what the rows were chosen by.
    pub fn dots(
        &self,
        title: &str,
        (x, y): (&str, &str),
        points: Vec<(f64, f64)>,
        guide: Vec<(f64, f64)>,
        deviation: &str,
    ) -> Markup {
        let drawn = points.len();
        let rows = self.data.rows();
        let note = if drawn < rows {
            format!("{drawn} of {rows} rows are drawn, among them the {LARGEST} of largest {deviation}.")
        } else {
            String::new()
        };
        let chart = Chart {
            name: String::new(),
            title: title.to_owned(),
            x: Axis::new(x, false),
            y: Axis::new(y, false),
            mark: Mark::Dots,
            series: vec![Series { name: String::new(), points }],
            extras: Extras { guide, note, ..Extras::default() },
        };
        chart.figure()
    }

    /// Returns a chart of the coverage of the intervals over the rows; nothing without intervals.
    pub fn coverage(&self) -> Markup {
        let model = self.blob.model();
        let rows = self.data.rows();
        let Some(level) = model.level().filter(|_| rows >= 2 * TENTHS) else { return html! {} };
        let mut series = Vec::new();
        for (output, name) in self.outputs() {
            let Some(half_width) = model.half_width(output) else { continue };
            let share = |tenth: usize| {
                let first = tenth * rows / TENTHS;
                let end = (tenth + 1) * rows / TENTHS;
                let residuals = (first..end).map(|row| self.residual(row, output));
                ((tenth + 1) as f64, 100.0 * coverage(residuals, half_width.into()))
            };
            let name = if self.data.outputs() > 1 { name } else { "" };
            series.push(Series { name: name.to_owned(), points: (0..TENTHS).map(share).collect() });
        }
        let level = 100.0 * f64::from(level);
        let chart = Chart {
            name: String::new(),
            title: format!("Rows within their interval of {level:.0} %, by tenth of the {} rows in order", self.name),
            x: Axis::new("tenth of the rows", false),
            y: Axis::new("rows within, %", false),
            mark: Mark::Lines,
            series,
            extras: Extras { guide: vec![(1.0, level), (TENTHS as f64, level)], ..Extras::default() },
        };
        side_by_side([chart.figure()])
    }
}

impl Rows<'_> {
    /// Returns what the scores of classes say beyond decisions: the share of right decisions by their probability, and
    /// the errors that are left where the least certain rows get no class.
    pub fn certainty(&self) -> Markup {
        let probabilities = self.blob.probabilities(&self.predictions.clone().cast());
        let members = decide(&self.data.y);
        let of_bins = Reliability::of(&probabilities, &members, &|_| 1.0).bins.into_iter().filter(|bin| bin.rows > 0);
        let points = of_bins.map(|bin| (100.0 * bin.probability, 100.0 * bin.right)).collect();
        let reliability = Chart {
            name: String::new(),
            title: format!("Decisions that are right, by their probability, {} rows", self.name),
            x: Axis::new("probability of the decision, %", false),
            y: Axis::new("right, %", false),
            mark: Mark::Lines,
            series: vec![Series { name: String::new(), points }],
            extras: Extras { guide: vec![(0.0, 0.0), (100.0, 100.0)], ..Extras::default() },
        };
        let rejection = Chart {
            name: String::new(),
            title: format!("Errors among the rows that get a class, {} rows", self.name),
            x: Axis::new("rows that get a class, most certain first, %", false),
            y: Axis::new("errors among them, %", false),
            mark: Mark::Curves,
            series: vec![Series { name: String::new(), points: self.errors_of_most_certain(&members) }],
            extras: Extras::default(),
        };
        side_by_side([reliability.figure(), rejection.figure()])
    }

    /// Returns shares of the rows, those whose score is furthest ahead, and the errors among them, both in percent.
    fn errors_of_most_certain(&self, members: &[Option<usize>]) -> Vec<(f64, f64)> {
        let known = |row: &usize| !self.predictions.row(*row).iter().any(|score| score.is_nan());
        let rows: Vec<usize> = (0..self.data.rows()).filter(known).collect();
        let scores = self.predictions.select_rows(&rows);
        let decided: Vec<usize> = decide(&scores).into_iter().flatten().collect();
        let mut ahead: Vec<(f64, bool)> = shortfalls(&scores, &decided)
            .into_iter()
            .zip(decided.iter().zip(&rows).map(|(class, &row)| members[row] != Some(*class)))
            .collect();
        ahead.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut wrong = 0.0;
        let errors: Vec<(f64, f64)> = (1..)
            .zip(&ahead)
            .map(|(count, (_, is_wrong))| {
                wrong += f64::from(u8::from(*is_wrong));
                (100.0 * f64::from(count) / ahead.len() as f64, 100.0 * wrong / f64::from(count))
            })
            .collect();
        // The first few rows say little, and as many points as there are pixels are enough.
        let stride = errors.len().div_ceil(DOTS).max(1);
        let last = errors.last().copied();
        errors.into_iter().skip(LARGEST).step_by(stride).chain(last).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_rows_have_all_hours_and_the_largest_residuals() {
        // 9600 rows by the hour, one stride of which is a day. The outliers have the same hour.
        let outliers: Vec<usize> = (0..LARGEST).map(|day| 24 * 7 * day + 5).collect();
        let residual = |row: usize| if outliers.contains(&row) { -30.0 } else { (row % 24) as f64 / 24.0 };
        let rows = drawn(9600, residual);
        assert!(rows.len() == DOTS && rows.is_sorted_by(|a, b| a < b) && rows[DOTS - 1] < 9600);
        assert!(outliers.iter().all(|outlier| rows.contains(outlier)));
        for hour in 0..24 {
            // 380 rows at random have 16 of an hour, with a standard deviation of 4.
            let count = rows.iter().filter(|row| *row % 24 == hour && !outliers.contains(row)).count();
            assert!((2..32).contains(&count), "{count} rows of hour {hour}");
        }
        assert_eq!(rows, drawn(9600, residual));
        // The rows spread from end to end.
        assert!(rows.windows(2).all(|pair| pair[1] - pair[0] < 2 * 9600 / (DOTS - LARGEST) + 2));
    }

    #[test]
    fn few_rows_are_all_drawn() {
        assert_eq!(drawn(DOTS, |_| 0.0), (0..DOTS).collect::<Vec<_>>());
        let rows = drawn(DOTS + 1, |row| f64::from(row != 7));
        assert!(rows.len() == DOTS && rows[0] == 0 && rows.is_sorted_by(|a, b| a < b));
        assert!(drawn(0, |_| 0.0).is_empty());
    }
}
