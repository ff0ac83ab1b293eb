//! The labels of an axis, all in one notation.

use std::ops::Range;

use crate::report::chart::Axis;
use crate::report::text::scientific;

/// The notation of the labels of an axis.
#[derive(Clone, Copy)]
pub struct Labels {
    /// Sizes of at most this are 0. The labels of a linear axis are sums, which may miss 0 by their rounding.
    zero: f64,
    /// Whether labels have no exponent.
    plain: bool,
}

impl Labels {
    /// Returns the notation for a range of an axis.
    pub fn of(axis: &Axis, range: &Range<f64>) -> Labels {
        let (size, length) = (range.start.abs().max(range.end.abs()), range.end - range.start);
        let fits = if axis.logarithmic { range.start >= 1e-4 } else { size >= 1e-2 };
        Labels { zero: if axis.logarithmic { 0.0 } else { 1e-9 * length }, plain: size < 1e6 && fits }
    }

    /// Returns the label of a value.
    pub fn text(self, value: f64) -> String {
        match value.abs() {
            size if size <= self.zero => "0".to_owned(),
            _ if self.plain => format!("{}", (value * 1e6).round() / 1e6),
            _ => scientific(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_one_notation() {
        let texts = |logarithmic, range: Range<f64>, values: [f64; 3]| {
            let labels = Labels::of(&Axis::new("", logarithmic), &range);
            values.map(|value| labels.text(value))
        };
        assert_eq!(texts(true, 8e3..4e5, [1e4, 1e5, 3e5]), ["10000", "100000", "300000"]);
        assert_eq!(texts(true, 8e3..4e6, [1e4, 1e5, 3e6]), ["1e4", "1e5", "3e6"]);
        assert_eq!(texts(true, 1e-6..2.0, [1e-5, 0.1, 1.0]), ["1e-5", "1e-1", "1e0"]);
        assert_eq!(texts(false, -0.01..0.05, [-0.005, 1e-18, 0.05]), ["-0.005", "0", "0.05"]);
        assert_eq!(texts(false, 0.0..2e6, [0.0, 5e5, 1.5e6]), ["0", "5e5", "1.5e6"]);
    }
}
