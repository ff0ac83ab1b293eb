//! The place of a legend within a chart.

use std::ops::Range;

use plotters::prelude::*;

use crate::report::chart::{Axis, Chart, Mark};

impl Chart {
    /// Returns the place where the legend hides the fewest marks.
    pub(super) fn emptiest_place(&self) -> SeriesLabelPosition {
        let portion = |axis: &Axis, range: &Range<f64>, value: f64| {
            let along = |v: f64| if axis.logarithmic { libm::log(v) } else { v };
            (along(value) - along(range.start)) / (along(range.end) - along(range.start))
        };
        let x = self.range(&self.x, |p| p.0);
        let y = self.range(&self.y, |p| p.1);
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
}
