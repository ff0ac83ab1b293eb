//! Logarithmic axes and their labels.

use std::ops::Range;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// Returns a logarithmic axis of a `whole` chart, or of a small one, which has fewer labels.
pub fn logarithmic(
    range: Range<f64>,
    whole: bool,
) -> impl AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>> {
    let ticks = ticks(&range, if whole { 10.0 } else { 5.0 });
    range.log_scale().with_key_points(ticks)
}

/// Returns the labels of a logarithmic axis: about `most`, without overlap.
fn ticks(range: &Range<f64>, most: f64) -> Vec<f64> {
    let (first, last) = (libm::log10(range.start), libm::log10(range.end));
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
    use super::ticks;

    #[test]
    fn labels_are_about_ten_at_most() {
        assert_eq!(ticks(&(1.6..2.9), 10.0), [2.0, 2.5]);
        assert_eq!(ticks(&(1e-6..2e3), 10.0).len(), 10);
        assert_eq!(ticks(&(150.0..7e3), 5.0), [300.0, 1000.0, 3000.0]);
        for decades in 1..200 {
            let (low, high) = (0.9e-100, 10_f64.powi(decades) / 1e100);
            let count = ticks(&(low..high), 10.0).len();
            assert!((4..=11).contains(&count), "{count} on {decades} decades");
        }
    }
}
