//! Drawing of charts.

use std::error::Error;

use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;

use crate::report::chart::labels::Labels;
use crate::report::chart::ticks::logarithmic;
use crate::report::chart::{COLOURS, Chart, Mark};

/// Width and height of a chart with its title and legend, in pixels.
const SIZE: (u32, u32) = (720, 440);

/// Width and height of a chart in a page. A telephone shows it in 358 pixels, with labels of 10 pixels.
const SMALL: (u32, u32) = (400, 280);

/// The opacity of the Pareto front.
pub(super) const FRONT: f64 = 0.2;

impl Chart {
    /// Returns the chart with its title and legend as an SVG document.
    pub fn svg(&self) -> String {
        self.drawn(SIZE)
    }

    /// Returns the chart without title and legend, which its page has.
    pub(super) fn small_svg(&self) -> String {
        self.drawn(SMALL)
    }

    fn drawn(&self, size: (u32, u32)) -> String {
        let mut svg = String::new();
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let (x, y) = (self.range(&self.x, |p| p.0), self.range(&self.y, |p| p.1));
        let whole = size == SIZE;
        let drawn = match (self.x.logarithmic, self.y.logarithmic) {
            (false, false) => self.draw(&root, x, y, whole),
            (false, true) => self.draw(&root, x, logarithmic(y, whole), whole),
            (true, false) => self.draw(&root, logarithmic(x, whole), y, whole),
            (true, true) => self.draw(&root, logarithmic(x, whole), logarithmic(y, whole), whole),
        };
        drawn.expect("writing to a string does not fail");
        drop(root);
        svg
    }

    /// Draws the chart; the `whole` chart has a title and a legend.
    fn draw<X, Y>(
        &self,
        root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
        x: X,
        y: Y,
        whole: bool,
    ) -> Result<(), Box<dyn Error>>
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        if whole {
            root.fill(&WHITE)?;
        }
        let mut builder = ChartBuilder::on(root);
        if whole {
            builder.caption(&self.title, ("sans-serif", 18));
        }
        let (beside, below) = if whole { (72, 44) } else { (70, 42) };
        // The last label of the axis stands half beyond it.
        builder.margin(12).margin_right(30).x_label_area_size(below).y_label_area_size(beside);
        let mut chart = builder.build_cartesian_2d(x, y)?;
        let x_labels = Labels::of(&self.x, &self.range(&self.x, |p| p.0));
        let y_labels = Labels::of(&self.y, &self.range(&self.y, |p| p.1));
        // Bars stand at whole numbers.
        let at_whole = |value: &f64| if value.fract() == 0.0 { x_labels.text(*value) } else { String::new() };
        let (at_x, at_y) = (|value: &f64| x_labels.text(*value), |value: &f64| y_labels.text(*value));
        let mut mesh = chart.configure_mesh();
        if !whole {
            mesh.x_labels(5).y_labels(7);
        }
        mesh.light_line_style(TRANSPARENT)
            .x_desc(self.x.label.as_str())
            .y_desc(self.y.label.as_str())
            .x_label_formatter(if self.mark == Mark::Bars { &at_whole } else { &at_x })
            .y_label_formatter(&at_y)
            .label_style(("sans-serif", if whole { 13 } else { 14 }))
            .axis_desc_style(("sans-serif", 15))
            .draw()?;
        self.draw_background(&mut chart)?;
        self.draw_series(&mut chart)?;
        if let Some(point) = self.extras.ring {
            chart.draw_series([Circle::new(point, 7, BLACK.stroke_width(2))])?;
        }
        if whole {
            chart
                .configure_series_labels()
                .background_style(WHITE.mix(0.85))
                .border_style(BLACK.mix(0.3))
                .label_font(("sans-serif", 13))
                .position(self.emptiest_place())
                .draw()?;
        }
        root.present()?;
        Ok(())
    }

    /// Draws the shaded range and the line for comparison.
    fn draw_background<X, Y>(
        &self,
        chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    ) -> Result<(), Box<dyn Error>>
    where
        X: Ranged<ValueType = f64>,
        Y: Ranged<ValueType = f64>,
    {
        if let Some((from, to)) = self.extras.shaded {
            let height = self.range(&self.y, |p| p.1);
            let corners = [(from, height.start), (to, height.end)];
            chart.draw_series([Rectangle::new(corners, BLACK.mix(0.08).filled())])?;
        }
        chart.draw_series(LineSeries::new(self.front(), BLACK.mix(FRONT).stroke_width(9)))?;
        chart.draw_series(self.front().map(|point| Circle::new(point, 3, BLACK.mix(0.5).filled())))?;
        if !self.extras.guide.is_empty() {
            chart.draw_series(LineSeries::new(self.extras.guide.iter().copied(), BLACK.mix(0.6).stroke_width(1)))?;
        }
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
        let radius = if self.mark == Mark::Dots { 2 } else { 3 };
        for (i, series) in self.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            if matches!(self.mark, Mark::Lines | Mark::Dots) {
                let dot = move |point| Circle::new(point, radius, colour.filled());
                chart.draw_series(self.points(series).map(dot))?;
            }
            let drawn = match self.mark {
                Mark::Dots => continue,
                Mark::Lines | Mark::Curves => {
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
