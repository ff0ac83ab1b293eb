//! Logarithmic axes and their labels.

use std::ops::Range;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// Returns a logarithmic axis.
pub fn logarithmic(range: Range<f64>) -> impl AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>> {
    let ticks = ticks(&range);
    range.log_scale().with_key_points(ticks)
}

/// Returns the labels of a logarithmic axis: about ten at most, without overlap.
fn ticks(range: &Range<f64>) -> Vec<f64> {
    let (first, last) = (libm::log10(range.start), libm::log10(range.end));
    let digits: &[f64] = match last - first {
        ..0.7 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        ..2.0 => &[1.0, 2.0, 3.0, 5.0, 7.0],
        ..4.0 => &[1.0, 3.0],
        _ => &[1.0],
    };
    let step = ((last - first) / 10.0).ceil().max(1.0) as usize;
    let powers = (first.floor() as i32..=last.floor() as i32).step_by(step);
    let all = powers.flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
    all.filter(|tick| range.contains(tick)).collect()
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn labels_are_about_ten_at_most() {
        assert_eq!(ticks(&(1.6..2.9)), [2.0]);
        assert_eq!(ticks(&(1e-6..2e3)).len(), 10);
        for decades in 1..200 {
            let (low, high) = (0.9e-100, 10_f64.powi(decades) / 1e100);
            let count = ticks(&(low..high)).len();
            assert!((4..=11).contains(&count), "{count} on {decades} decades");
        }
    }
}
