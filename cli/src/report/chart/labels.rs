//! The labels of an axis, all in one notation, and its title.

use std::ops::Range;

use crate::report::chart::Axis;
use crate::report::text::scientific;

/// The notation of the labels of an axis.
#[derive(Clone, Copy)]
pub struct Labels {
    logarithmic: bool,
    /// Whether labels have no exponent.
    plain: bool,
}

impl Labels {
    /// Returns the notation for a range of an axis.
    pub fn of(axis: &Axis, range: &Range<f64>) -> Labels {
        let size = range.start.abs().max(range.end.abs());
        let fits = if axis.logarithmic { range.start >= 1e-4 } else { size >= 1e-2 };
        Labels { logarithmic: axis.logarithmic, plain: size < 1e6 && fits }
    }

    /// Returns the label of a value.
    pub fn text(self, value: f64) -> String {
        match (self.plain, self.logarithmic) {
            (true, true) => format!("{}", (value * 1e6).round() / 1e6),
            (false, true) => scientific(value),
            // The values of a linear axis are decimal numbers of few digits, which the shortest text shows.
            (true, false) => format!("{value}"),
            (false, false) if value == 0.0 => "0".to_owned(),
            (false, false) => format!("{value:e}"),
        }
    }
}

/// Returns a text of at most this many characters: a longer text loses its middle, because a name begins and ends with
/// what tells it apart.
pub fn shortened(text: &str, most: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let head = kept.div_ceil(2);
    let tail = kept / 2;
    let end = &characters[characters.len() - tail..];
    characters[..head].iter().chain(&['…']).chain(end).collect()
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
        assert_eq!(texts(true, 1e-4..2.0, [3.0 * 10_f64.powi(-4), 0.1, 1.0]), ["0.0003", "0.1", "1"]);
        assert_eq!(texts(false, -0.01..0.05, [-0.005, 0.0, 0.05]), ["-0.005", "0", "0.05"]);
        assert_eq!(texts(false, 0.0..2e6, [0.0, 5e5, 1.5e6]), ["0", "5e5", "1.5e6"]);
        let close = [1.002816, 1.002818, 1.00282];
        assert_eq!(texts(false, 1.002815..1.002821, close), ["1.002816", "1.002818", "1.00282"]);
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(shortened("predicted lifetime, h", 12), "predic…me, h");
        assert_eq!(shortened("predicted lifetime, h", 11), "predi…me, h");
        assert_eq!(shortened("µµµ", 3), "µµµ");
        assert_eq!(shortened("µµµµ", 3), "µ…µ");
    }
}
