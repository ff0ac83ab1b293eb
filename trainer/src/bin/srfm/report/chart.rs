//! Charts as SVG: lines or bars.

use std::error::Error;
use std::ops::Range;

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;

use crate::report::ticks::logarithmic;

/// Width and height of a chart, in pixels.
const SIZE: (u32, u32) = (720, 440);

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
    pub label: &'static str,
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
}

impl Chart {
    /// Returns the chart as an SVG document.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let (x, y) = (self.range(&self.x, |p| p.0), self.range(&self.y, |p| p.1));
        let drawn = match (self.x.logarithmic, self.y.logarithmic) {
            (false, false) => self.draw(&root, x, y),
            (false, true) => self.draw(&root, x, logarithmic(y)),
            (true, false) => self.draw(&root, logarithmic(x), y),
            (true, true) => self.draw(&root, logarithmic(x), logarithmic(y)),
        };
        drawn.expect("writing to a string does not fail");
        drop(root);
        svg
    }

    /// Returns the points of a series that can be drawn.
    fn points<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = (f64, f64)> + 'a {
        let fits = |axis: &Axis, value: f64| value.abs() < LARGEST && (!axis.logarithmic || value > 1.0 / LARGEST);
        series.points.iter().copied().filter(move |&(x, y)| fits(&self.x, x) && fits(&self.y, y))
    }

    /// Returns the range of an axis: the points with a margin, and zero for bars.
    fn range(&self, axis: &Axis, pick: fn((f64, f64)) -> f64) -> Range<f64> {
        let values = || self.series.iter().flat_map(|series| self.points(series)).map(pick);
        let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        if low > high {
            return if axis.logarithmic { 1.0..10.0 } else { 0.0..1.0 };
        }
        match (axis.logarithmic, self.mark) {
            (true, _) => low / 1.3..high * 1.3,
            (false, Mark::Bars) if std::ptr::eq(axis, &self.x) => low - 0.6..high + 0.6,
            (false, Mark::Bars) => 0.0..if high > 0.0 { 1.05 * high } else { 1.0 },
            (false, Mark::Lines) => {
                let margin = if high > low { 0.04 * (high - low) } else { 1.0 };
                low - margin..high + margin
            }
        }
    }

    /// Returns the place where the legend hides the fewest marks.
    fn emptiest_place(&self) -> SeriesLabelPosition {
        let portion = |axis: &Axis, range: &Range<f64>, value: f64| {
            let along = |v: f64| if axis.logarithmic { libm::log(v) } else { v };
            (along(value) - along(range.start)) / (along(range.end) - along(range.start))
        };
        let (x, y) = (self.range(&self.x, |p| p.0), self.range(&self.y, |p| p.1));
        let portions = |p: (f64, f64)| (portion(&self.x, &x, p.0), portion(&self.y, &y, p.1));
        let mut drawn = Vec::new();
        for series in &self.series {
            let mut last = None;
            for point in self.points(series).map(portions) {
                let from = if self.mark == Mark::Bars { (point.0, 0.0) } else { last.unwrap_or(point) };
                let between = |t: f64| (from.0 + t * (point.0 - from.0), from.1 + t * (point.1 - from.1));
                drawn.extend((0..=10).map(|step| between(f64::from(step) / 10.0)));
                last = Some(point);
            }
        }
        let places = [
            (SeriesLabelPosition::UpperRight, (0.8, 0.8)),
            (SeriesLabelPosition::UpperLeft, (0.2, 0.8)),
            (SeriesLabelPosition::LowerRight, (0.8, 0.2)),
            (SeriesLabelPosition::LowerLeft, (0.2, 0.2)),
            (SeriesLabelPosition::MiddleRight, (0.8, 0.5)),
            (SeriesLabelPosition::MiddleLeft, (0.2, 0.5)),
        ];
        // The largest legend takes about 0.4 of the width and of the height.
        let near = |a: f64, b: f64| (a - b).abs() < 0.2;
        let hidden = |(x, y): (f64, f64)| drawn.iter().filter(|point| near(point.0, x) && near(point.1, y)).count();
        let best = places.into_iter().min_by_key(|&(_, centre)| hidden(centre));
        best.map_or(SeriesLabelPosition::UpperRight, |(place, _)| place)
    }

    fn draw<X, Y>(
        &self,
        root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
        x: X,
        y: Y,
    ) -> Result<(), Box<dyn Error>>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(root)
            .caption(&self.title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(72)
            .build_cartesian_2d(x, y)?;
        let short = |value: &f64| match value.abs() {
            0.0 => "0".to_owned(),
            size if (1e-2..1e5).contains(&size) => format!("{}", (value * 1e4).round() / 1e4),
            _ => format!("{value:.0e}"),
        };
        // Bars stand at whole numbers.
        let whole = |value: &f64| if value.fract() == 0.0 { short(value) } else { String::new() };
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc(self.x.label)
            .y_desc(self.y.label)
            .x_label_formatter(if self.mark == Mark::Bars { &whole } else { &short })
            .y_label_formatter(&short)
            .axis_desc_style(("sans-serif", 15))
            .draw()?;
        self.draw_series(&mut chart)?;
        chart
            .configure_series_labels()
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .label_font(("sans-serif", 13))
            .position(self.emptiest_place())
            .draw()?;
        root.present()?;
        Ok(())
    }

    fn draw_series<X, Y>(
        &self,
        chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    ) -> Result<(), Box<dyn Error>>
    where
        X: Ranged<ValueType = f64>,
        Y: Ranged<ValueType = f64>,
    {
        let width = 0.8 / self.series.len().max(1) as f64;
        for (i, series) in self.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            let drawn = match self.mark {
                Mark::Lines => {
                    let dot = move |point| Circle::new(point, 3, colour.filled());
                    chart.draw_series(self.points(series).map(dot))?;
                    chart.draw_series(LineSeries::new(self.points(series), colour.stroke_width(2)))?
                }
                Mark::Bars => chart.draw_series(self.points(series).map(|(x, y)| {
                    let left = x - 0.4 + width * i as f64;
                    Rectangle::new([(left, 0.0), (left + width, y)], colour.filled())
                }))?,
            };
            drawn
                .label(&series.name)
                .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 16, y + 4)], colour.filled()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(mark: Mark, logarithmic: bool, points: &[(f64, f64)]) -> Chart {
        let axis = |label| Axis { label, logarithmic };
        let series = vec![Series { name: "a < b".to_owned(), points: points.to_vec() }];
        Chart { name: "c".to_owned(), title: "T & U".to_owned(), x: axis("x"), y: axis("y"), mark, series }
    }

    #[test]
    fn every_point_is_drawn_and_none_that_cannot_be() {
        let points = [(1.0, 1e-3), (10.0, f64::NAN), (100.0, 0.0), (1000.0, 10.0)];
        let circles = |logarithmic| chart(Mark::Lines, logarithmic, &points).svg().matches("<circle").count();
        assert_eq!((circles(true), circles(false)), (2, 3));
    }

    #[test]
    fn text_is_escaped_and_extremes_draw() {
        let svg = chart(Mark::Bars, false, &[(1.0, 0.2), (2.0, 0.8)]).svg();
        assert!(svg.contains("T &amp; U") && svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
        for points in [&[][..], &[(5.0, 5.0)], &[(1e-300, 1e300), (1e-99, 1e99)]] {
            for (mark, logarithmic) in [(Mark::Lines, true), (Mark::Lines, false), (Mark::Bars, false)] {
                assert!(chart(mark, logarithmic, points).svg().starts_with("<svg"));
            }
        }
    }

    #[test]
    fn logarithmic_axes_have_labels_from_end_to_end() {
        let svg = chart(Mark::Lines, true, &[(107.0, 0.2), (2660.0, 1.0)]).svg();
        let labelled = |label: &str| svg.contains(&format!("\n{label}\n"));
        assert!(["100", "200", "700", "1000", "2000", "3000", "0.5"].into_iter().all(labelled));
        assert!(!["600", "800", "900"].into_iter().any(labelled));
    }

    #[test]
    fn the_legend_hides_no_line() {
        // A line from corner to corner leaves two corners free, and the upper one comes first.
        for (points, expected) in [
            (&[(1.0, 1.0), (100.0, 100.0)][..], SeriesLabelPosition::UpperLeft),
            (&[(1.0, 100.0), (100.0, 1.0)], SeriesLabelPosition::UpperRight),
            (&[(1.0, 100.0), (10.0, 1.0), (100.0, 100.0)], SeriesLabelPosition::LowerRight),
        ] {
            for logarithmic in [false, true] {
                let place = chart(Mark::Lines, logarithmic, points).emptiest_place();
                assert_eq!(format!("{place:?}"), format!("{expected:?}"));
            }
        }
    }

    #[test]
    fn a_higher_value_is_drawn_higher() {
        let svg = chart(Mark::Lines, true, &[(1.0, 1e-6), (10.0, 1.0)]).svg();
        let heights: Vec<f64> = svg
            .match_indices("cy=\"")
            .map(|(at, _)| svg[at + 4..].split('"').next().unwrap().parse().unwrap())
            .collect();
        assert!(heights.len() == 2 && heights[1] < heights[0]); // pixels count from the top
    }
}
