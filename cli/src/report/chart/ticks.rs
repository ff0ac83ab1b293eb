//! The ticks of axes.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use crate::report::chart::Axis;
use crate::report::chart::labels::Labels;

/// The range of an axis with its ticks.
#[derive(Clone)]
pub struct Scale {
    logarithmic: bool,
    range: Range<f64>,
    ticks: Vec<f64>,
    labels: Labels,
}

impl Scale {
    /// Returns the scale of an axis with about `most` ticks at most.
    pub fn of(axis: &Axis, range: &Range<f64>, most: u32) -> Scale {
        let ticks = if axis.logarithmic { logarithmic(range, most.into()) } else { linear(range, most) };
        Scale { logarithmic: axis.logarithmic, range: range.clone(), ticks, labels: Labels::of(axis, range) }
    }

    /// Returns the scale of a horizontal axis of `length` pixels, with labels whose characters are `character` pixels
    /// wide and do not overlap.
    pub fn horizontal(axis: &Axis, range: &Range<f64>, most: u32, length: f64, character: f64) -> Scale {
        let scale = |most| Scale::of(axis, range, most);
        let fits = |scale: &Scale| scale.ticks.len() as f64 * (scale.longest() as f64 + 1.0) * character <= length;
        let found = (2..=most).rev().map(scale).find(|found| axis.logarithmic || fits(found));
        found.unwrap_or_else(|| scale(1))
    }

    /// Returns the scale without the ticks between whole numbers.
    pub fn at_whole_numbers(mut self) -> Scale {
        self.ticks.retain(|tick| tick.fract() == 0.0);
        self
    }

    /// Returns the label of a value.
    fn text(&self, value: f64) -> String {
        self.labels.text(value)
    }

    /// Returns the number of characters of the longest label.
    pub fn longest(&self) -> usize {
        self.ticks.iter().map(|&tick| self.text(tick).chars().count()).max().unwrap_or(0)
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let along = |value: f64| if self.logarithmic { libm::log(value) } else { value };
        let start = along(self.range.start);
        let end = along(self.range.end);
        // Marks end at the edges of a chart.
        let share = ((along(*value) - start) / (end - start)).clamp(-1.0, 2.0);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        self.text(*value)
    }
}

/// Returns the ticks of a linear axis: at most `most` multiples of 1, 2 or 5 times a power of ten.
fn linear(range: &Range<f64>, most: u32) -> Vec<f64> {
    let coarsest = (range.end - range.start) / f64::from(most);
    let first = libm::log10(coarsest).floor();
    if !first.is_finite() {
        return Vec::new();
    }
    let steps = (first as i32..first as i32 + 3).flat_map(|power| [1, 2, 5].map(|digit| (digit, power)));
    let ticks = |(digit, power): (i64, i32)| -> Option<Vec<f64>> {
        let parsed = |multiple: i64| format!("{}e{power}", multiple * digit).parse().ok();
        let step: f64 = parsed(1)?;
        let multiples = (range.start / step).ceil() as i64..=(range.end / step).floor() as i64;
        // The nearest number to a decimal has a short text, which a product of a power of ten may not have.
        (step >= coarsest && multiples.clone().count() <= most as usize).then(|| multiples.filter_map(parsed).collect())
    };
    steps.filter_map(ticks).find(|_| true).unwrap_or_default()
}

/// Returns the labels of a logarithmic axis: about `most`, without overlap.
fn logarithmic(range: &Range<f64>, most: f64) -> Vec<f64> {
    let first = libm::log10(range.start);
    let last = libm::log10(range.end);
    // The share of the axis that a decade takes decides, where a large chart has ten labels.
    let digits: &[f64] = match (last - first) * 10.0 / most {
        ..0.5 => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        ..0.7 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        ..2.0 => &[1.0, 2.0, 3.0, 5.0, 7.0],
        ..4.0 => &[1.0, 3.0],
        _ => &[1.0],
    };
    let step = ((last - first) / most).ceil().max(1.0) as usize;
    let powers = (first.floor() as i32..=last.floor() as i32).step_by(step);
    let all = powers.flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
    all.filter(|tick| range.contains(tick)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_about_ten_at_most() {
        assert_eq!(logarithmic(&(1.6..2.9), 10.0), [2.0, 2.5]);
        assert_eq!(logarithmic(&(1e-6..2e3), 10.0).len(), 10);
        assert_eq!(logarithmic(&(150.0..7e3), 5.0), [300.0, 1000.0, 3000.0]);
        for decades in 1..200 {
            let low = 0.9e-100;
            let high = 10_f64.powi(decades) / 1e100;
            let count = logarithmic(&(low..high), 10.0).len();
            assert!((4..=11).contains(&count), "{count} on {decades} decades");
        }
    }

    #[test]
    fn ticks_of_a_linear_axis_are_round() {
        assert_eq!(linear(&(-0.4..9.3), 5), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(linear(&(1.002815..1.002821), 5), [1.002816, 1.002818, 1.00282]);
        assert_eq!(linear(&(-2.3e-16..1.2e-16), 7), [-2e-16, -1.5e-16, -1e-16, -5e-17, 0.0, 5e-17, 1e-16]);
        assert_eq!(linear(&(3.4e20..9.9e20), 5), [4e20, 6e20, 8e20]);
        assert_eq!(linear(&(3.0..3.0), 5), [0.0; 0]);
        for tenths in 1..2000 {
            let low = -0.7 * f64::from(tenths);
            let high = 0.4 * f64::from(tenths);
            assert!((2..=5).contains(&linear(&(low..high), 5).len()), "{low} to {high}");
        }
    }

    #[test]
    fn long_labels_below_an_axis_are_few() {
        let scale = |range| Scale::horizontal(&Axis::new("", false), &range, 5, 290.0, 7.0);
        assert_eq!(scale(0.0..5.0).ticks, [0.0, 2.0, 4.0]);
        assert_eq!(scale(0.1..4.9).ticks, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(scale(123456.7012..123456.7059).ticks, [123456.702, 123456.704]);
    }
}
