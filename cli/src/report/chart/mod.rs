//! Charts as SVG: lines, dots or bars.

mod draw;
mod figure;
mod labels;
mod legend;
#[cfg(test)]
mod tests;
mod ticks;

use std::ops::Range;

use plotters::prelude::*;

/// Colours that also differ in lightness, for grey prints and colour-blind readers (Okabe and Ito 2008).
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
];

/// The largest value that is drawn; on a logarithmic axis its inverse is the smallest. Beyond, ticks cannot be placed.
const LARGEST: f64 = 1e100;

/// The ratio of the largest to the lowest error on a linear axis of errors.
const FEW_TIMES: f64 = 2.5;

/// One axis of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity and its unit.
    pub label: String,
    /// Whether the axis is logarithmic. Values are then positive.
    pub logarithmic: bool,
}

/// One line, or one bar at every place.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points. Points that are not finite, not positive on a logarithmic axis, or beyond 10¹⁰⁰ are left out.
    pub points: Vec<(f64, f64)>,
}

/// The marks of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Lines with a dot at every point.
    Lines,
    /// Bars from zero at whole numbers; the bars of several series stand side by side.
    Bars,
    /// Dots alone.
    Dots,
    /// Lines without dots.
    Curves,
}

/// What stands behind and above the series of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extras {
    /// A shaded range of the horizontal axis.
    pub shaded: Option<(f64, f64)>,
    /// A thin line for comparison.
    pub guide: Vec<(f64, f64)>,
    /// A point in a ring.
    pub ring: Option<(f64, f64)>,
    /// A broad pale line behind the series, named "Pareto front".
    pub front: Vec<(f64, f64)>,
    /// The largest value of the vertical axis that is drawn; none for all. A figure counts the points above.
    pub ceiling: Option<f64>,
    /// A remark below the figure.
    pub note: String,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Name of the file, without `.svg`.
    pub name: String,
    /// The title above the chart.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The marks of the points.
    pub mark: Mark,
    /// The series; up to six have different colours.
    pub series: Vec<Series>,
    /// What stands behind, above and below the series.
    pub extras: Extras,
}

impl Axis {
    /// Creates an axis.
    pub fn new(label: impl Into<String>, logarithmic: bool) -> Axis {
        Axis { label: label.into(), logarithmic }
    }

    /// Creates an axis that is logarithmic if the positive values span more than a decade: a logarithmic axis of less
    /// would have a single label.
    pub fn fitting(label: impl Into<String>, values: impl Iterator<Item = f64> + Clone) -> Axis {
        let positive = || values.clone().filter(|value| *value > 0.0 && value.is_finite());
        let logarithmic = positive().fold(0.0, f64::max) > 10.0 * positive().fold(f64::INFINITY, f64::min);
        Axis::new(label, logarithmic)
    }

    /// Creates a vertical axis of errors, and its ceiling where it has one. The errors of the Pareto front are `front`.
    /// Where most of them are a few times the lowest, the axis is linear and ends there, so that the error of the mean
    /// does not flatten the others; where they are more, it is logarithmic.
    pub fn of_errors(label: impl Into<String>, front: impl Iterator<Item = f64>) -> (Axis, Option<f64>) {
        let mut front: Vec<f64> = front.filter(|error| error.is_finite()).collect();
        front.sort_by(f64::total_cmp);
        let Some(&lowest) = front.first() else { return (Axis::new(label, false), None) };
        let middle = front[front.len() / 2];
        let highest = front[front.len() - 1];
        if lowest > 0.0 && middle > FEW_TIMES * lowest {
            return (Axis::new(label, true), Some(2.0 * highest));
        }
        let most = (FEW_TIMES * lowest).max(1.05 * middle);
        (Axis::new(label, false), (most > 0.0).then_some(most))
    }
}

impl Chart {
    /// Returns the points of a series that can be drawn.
    fn points<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = (f64, f64)> + 'a {
        let fits = |axis: &Axis, value: f64| value.abs() < LARGEST && (!axis.logarithmic || value > 1.0 / LARGEST);
        let low = move |&(_, y): &(f64, f64)| self.extras.ceiling.is_none_or(|ceiling| y <= ceiling);
        series.points.iter().copied().filter(move |&(x, y)| fits(&self.x, x) && fits(&self.y, y)).filter(low)
    }

    /// Returns the points above the ceiling: their number, and the largest value.
    fn above(&self) -> Option<(usize, f64)> {
        let ceiling = self.extras.ceiling?;
        let of_series = || self.series.iter().flat_map(|series| &series.points);
        let of_front = self.extras.front.iter().filter(|point| of_series().all(|other| other != *point));
        let values = of_series().chain(of_front).map(|point| point.1);
        let above: Vec<f64> = values.filter(|value| *value > ceiling && value.is_finite()).collect();
        Some((above.len(), above.iter().copied().reduce(f64::max)?))
    }

    /// Returns the points of the front below the ceiling.
    fn front(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.extras.front.iter().copied().filter(|point| self.extras.ceiling.is_none_or(|ceiling| point.1 <= ceiling))
    }

    /// Returns the range of an axis: the points with a margin, and zero for bars.
    fn range(&self, axis: &Axis, pick: fn((f64, f64)) -> f64) -> Range<f64> {
        let extras = || self.extras.ring.iter().chain(&self.extras.guide).copied().chain(self.front()).map(pick);
        let values = || self.series.iter().flat_map(|series| self.points(series)).map(pick).chain(extras());
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return if axis.logarithmic { 1.0..10.0 } else { 0.0..1.0 };
        }
        match (axis.logarithmic, self.mark) {
            (true, Mark::Curves) if std::ptr::eq(axis, &self.x) && high > low => low..high,
            (true, _) => low / 1.3..high * 1.3,
            (false, Mark::Bars) if std::ptr::eq(axis, &self.x) => low - 0.6..high + 0.6,
            (false, Mark::Bars) => 0.0..if high > 0.0 { 1.05 * high } else { 1.0 },
            (false, Mark::Curves) if std::ptr::eq(axis, &self.x) && high > low => low..high,
            (false, _) => {
                let of_one = if high == 0.0 { 1.0 } else { 0.5 * high.abs() };
                let margin = if high > low { 0.04 * (high - low) } else { of_one };
                low - margin..high + margin
            }
        }
    }

    /// Returns whether no point can be drawn.
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| self.points(series).next().is_none())
    }
}
