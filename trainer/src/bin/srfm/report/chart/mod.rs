//! Charts as SVG: lines, dots or bars.

mod draw;
mod figure;
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
    /// A shaded range, a line for comparison and a point in a ring.
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
}

impl Chart {
    /// Returns the points of a series that can be drawn.
    fn points<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = (f64, f64)> + 'a {
        let fits = |axis: &Axis, value: f64| value.abs() < LARGEST && (!axis.logarithmic || value > 1.0 / LARGEST);
        series.points.iter().copied().filter(move |&(x, y)| fits(&self.x, x) && fits(&self.y, y))
    }

    /// Returns the range of an axis: the points with a margin, and zero for bars.
    fn range(&self, axis: &Axis, pick: fn((f64, f64)) -> f64) -> Range<f64> {
        let extras = || self.extras.ring.iter().chain(&self.extras.guide).copied().map(pick);
        let values = || self.series.iter().flat_map(|series| self.points(series)).map(pick).chain(extras());
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        if low > high {
            return if axis.logarithmic { 1.0..10.0 } else { 0.0..1.0 };
        }
        match (axis.logarithmic, self.mark) {
            (true, _) => low / 1.3..high * 1.3,
            (false, Mark::Bars) if std::ptr::eq(axis, &self.x) => low - 0.6..high + 0.6,
            (false, Mark::Bars) => 0.0..if high > 0.0 { 1.05 * high } else { 1.0 },
            (false, _) => {
                let margin = if high > low { 0.04 * (high - low) } else { 1.0 };
                low - margin..high + margin
            }
        }
    }

    /// Returns whether no point can be drawn.
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| self.points(series).next().is_none())
    }
}
