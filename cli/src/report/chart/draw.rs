//! Drawing of charts.

use std::error::Error;

use plotters::prelude::*;

use crate::report::chart::labels::shortened;
use crate::report::chart::ticks::Scale;
use crate::report::chart::{COLOURS, Chart, Mark};

/// The units of a drawing in a pixel. Coordinates of plotters are whole numbers, and curves of whole pixels are stairs.
const UNITS: u32 = 10;

/// The size of the text of titles of axes, and that of the labels of a chart with title and legend, and in a page.
const TITLE: u32 = 15;
const LABELS: [u32; 2] = [13, 14];

/// The height of a character in its size of text, and the width of a wide character in its height.
const HEIGHT: f64 = 1.0 / 1.24;
const WIDTH: f64 = 0.64;

/// The margins of a chart: left, above and below; and right, where the last label stands half beyond the axis.
const MARGINS: (u32, u32) = (12, 30);

/// The length of a tick.
const TICK: u32 = 5;

/// The opacity of the Pareto front.
pub(super) const FRONT: f64 = 0.2;

/// The axes of a drawing.
type Axes = Cartesian2d<Scale, Scale>;

/// The frame of a chart; lengths are in pixels.
struct Frame {
    /// Whether the chart has a title and a legend.
    whole: bool,
    width: u32,
    height: u32,
    /// The size of the text of labels.
    labels: u32,
    /// The space of labels and title of the vertical axis, and of the horizontal axis.
    beside: u32,
    below: u32,
}

impl Frame {
    /// Returns the frame of a chart; `longest` is the number of characters of the longest label of the vertical axis.
    fn new(whole: bool, longest: usize) -> Frame {
        // A telephone shows a chart of a page in 358 pixels, with labels of 10 pixels.
        let (width, height, labels) = if whole { (720, 440, LABELS[0]) } else { (400, 280, LABELS[1]) };
        let (least, below) = if whole { (72, 44) } else { (70, 42) };
        let title = 1.4 * HEIGHT * f64::from(TITLE);
        let needed = title + f64::from(2 * TICK) + longest as f64 * character(labels);
        Frame { whole, width, height, labels, beside: least.max(needed.ceil() as u32), below }
    }

    /// Returns the length of the horizontal axis.
    fn across(&self) -> f64 {
        f64::from(self.width - MARGINS.0 - MARGINS.1 - self.beside)
    }

    /// Returns the largest numbers of characters of the titles of the axes. A title has the middle of its axis in its
    /// own, and reaches to the edges of the chart.
    fn titles(&self) -> [usize; 2] {
        let across = self.across() + f64::from(2 * MARGINS.1);
        let upwards = f64::from(self.height - self.below);
        [across, upwards].map(|length| (length / character(TITLE)) as usize)
    }
}

/// Returns the width of a wide character.
fn character(size: u32) -> f64 {
    WIDTH * HEIGHT * f64::from(size)
}

/// Returns a length in units of the drawing.
fn units(pixels: u32) -> i32 {
    (UNITS * pixels) as i32
}

/// Returns a font of this size.
fn font(pixels: u32) -> (&'static str, i32) {
    ("sans-serif", units(pixels))
}

impl Chart {
    /// Returns the chart with its title and legend as an SVG document.
    pub fn svg(&self) -> String {
        self.drawn(true)
    }

    /// Returns the chart without title and legend, which its page has.
    pub(super) fn small_svg(&self) -> String {
        self.drawn(false)
    }

    fn drawn(&self, whole: bool) -> String {
        let x = self.range(&self.x, |p| p.0);
        let y = self.range(&self.y, |p| p.1);
        let (most_x, most_y) = if whole { (10, 10) } else { (5, if self.y.logarithmic { 5 } else { 7 }) };
        let y = Scale::of(&self.y, &y, most_y);
        let frame = Frame::new(whole, y.longest());
        let x = Scale::horizontal(&self.x, &x, most_x, frame.across(), character(frame.labels));
        // Bars stand at whole numbers.
        let x = if self.mark == Mark::Bars { x.at_whole_numbers() } else { x };
        let mut svg = String::new();
        let size = (UNITS * frame.width, UNITS * frame.height);
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let drawn = self.draw(&root, &frame, (x, y));
        drawn.expect("writing to a string does not fail");
        drop(root);
        let dimensions = |(width, height): (u32, u32)| format!("width=\"{width}\" height=\"{height}\"");
        svg.replacen(&dimensions(size), &dimensions((frame.width, frame.height)), 1)
    }

    /// Draws the chart in its frame.
    fn draw(
        &self,
        root: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
        frame: &Frame,
        (x, y): (Scale, Scale),
    ) -> Result<(), Box<dyn Error>> {
        if frame.whole {
            root.fill(&WHITE)?;
        }
        let mut builder = ChartBuilder::on(root);
        if frame.whole {
            builder.caption(&self.title, font(18));
        }
        builder.margin(units(MARGINS.0)).margin_right(units(MARGINS.1));
        builder.x_label_area_size(units(frame.below)).y_label_area_size(units(frame.beside));
        let mut chart = builder.build_cartesian_2d(x, y)?;
        self.draw_axes(&mut chart, frame)?;
        self.draw_background(&mut chart)?;
        self.draw_series(&mut chart)?;
        if let Some(point) = self.extras.ring {
            chart.draw_series([Circle::new(point, units(7), BLACK.stroke_width(2 * UNITS))])?;
        }
        if frame.whole {
            chart
                .configure_series_labels()
                .background_style(WHITE.mix(0.85))
                .margin(units(10))
                .legend_area_size(units(30))
                .label_font(font(13))
                .position(self.emptiest_place())
                .draw()?;
        }
        root.present()?;
        Ok(())
    }

    /// Draws the axes with their labels and titles.
    fn draw_axes(
        &self,
        chart: &mut ChartContext<'_, SVGBackend<'_>, Axes>,
        frame: &Frame,
    ) -> Result<(), Box<dyn Error>> {
        let [x_title, y_title] = frame.titles();
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(BLACK.mix(0.2).stroke_width(UNITS))
            .axis_style(BLACK.stroke_width(UNITS))
            .set_all_tick_mark_size(units(TICK))
            .x_desc(shortened(&self.x.label, x_title))
            .y_desc(shortened(&self.y.label, y_title))
            .label_style(font(frame.labels))
            .axis_desc_style(font(TITLE))
            .draw()?;
        Ok(())
    }

    /// Draws the shaded range and the line for comparison.
    fn draw_background(&self, chart: &mut ChartContext<'_, SVGBackend<'_>, Axes>) -> Result<(), Box<dyn Error>> {
        if let Some((from, to)) = self.extras.shaded {
            let height = self.range(&self.y, |p| p.1);
            let corners = [(from, height.start), (to, height.end)];
            chart.draw_series([Rectangle::new(corners, BLACK.mix(0.08).filled())])?;
        }
        chart.draw_series(LineSeries::new(self.front(), BLACK.mix(FRONT).stroke_width(9 * UNITS)))?;
        chart.draw_series(self.front().map(|point| Circle::new(point, units(3), BLACK.mix(0.5).filled())))?;
        if !self.extras.guide.is_empty() {
            let style = BLACK.mix(0.6).stroke_width(UNITS);
            chart.draw_series(LineSeries::new(self.extras.guide.iter().copied(), style))?;
        }
        Ok(())
    }

    fn draw_series(&self, chart: &mut ChartContext<'_, SVGBackend<'_>, Axes>) -> Result<(), Box<dyn Error>> {
        let width = 0.8 / self.series.len().max(1) as f64;
        let radius = units(if self.mark == Mark::Dots { 2 } else { 3 });
        for (i, series) in self.series.iter().enumerate() {
            let colour = COLOURS[i % COLOURS.len()];
            if matches!(self.mark, Mark::Lines | Mark::Dots) {
                let dot = move |point| Circle::new(point, radius, colour.filled());
                chart.draw_series(self.points(series).map(dot))?;
            }
            let drawn = match self.mark {
                Mark::Dots => continue,
                Mark::Lines | Mark::Curves => {
                    chart.draw_series(LineSeries::new(self.points(series), colour.stroke_width(2 * UNITS)))?
                }
                Mark::Bars => chart.draw_series(self.points(series).map(|(x, y)| {
                    let left = x - 0.4 + width * i as f64;
                    Rectangle::new([(left, 0.0), (left + width, y)], colour.filled())
                }))?,
            };
            drawn.label(&series.name).legend(move |(x, y)| {
                Rectangle::new([(x, y - units(4)), (x + units(16), y + units(4))], colour.filled())
            });
        }
        Ok(())
    }
}
