//! Numbers that may stand for missing values.

use std::collections::HashSet;

use srfm_trainer::data::Dataset;

use crate::common::Common;

/// The least share of rows that the number stands in.
const LEAST_SHARE: f64 = 0.01;

/// The least number of rows that the number stands in.
const LEAST_ROWS: usize = 3;

/// The least distance of the number to the nearest other value, as a share of the range of the others.
const LEAST_GAP: f64 = 0.5;

/// The least number of different other values: a column of a few states may have one that is far away.
const LEAST_VALUES: usize = 10;

/// Prints a remark on a number that may stand for missing values and is not declared.
pub fn remark_on_codes(data: &Dataset, common: &Common) {
    if common.quiet {
        return;
    }
    let targets = data.y.column_iter().zip(&data.output_names).filter(|_| data.classes.is_empty());
    let columns: Vec<_> = data.x.column_iter().zip(&data.input_names).chain(targets).collect();
    let found = columns.iter().find_map(|(column, name)| Some((code(column.as_slice())?, name)));
    let Some(((value, rows), name)) = found else { return };
    let others = columns.iter().filter(|(column, other)| *other != *name && column.iter().any(|&x| x == value)).count();
    let more = match others {
        0 => String::new(),
        1 => " and in another column".to_owned(),
        _ => format!(" and in {others} other columns"),
    };
    say!(
        "srfm: {value} stands in {rows} rows of {name:?}{more}, far from the other values; if it means missing, add \
         --missing-value {value}"
    );
}

/// Returns the least or the largest value of a column, and the number of its rows, if it repeats far from the others.
fn code(column: &[f64]) -> Option<(f64, usize)> {
    let range = |but: Option<f64>| {
        let values = column.iter().copied().filter(|x| !x.is_nan() && Some(*x) != but);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
    };
    let (lowest, highest) = range(None);
    [lowest, highest].into_iter().find_map(|value| {
        let rows = column.iter().filter(|&&x| x == value).count();
        let (low, high) = range(Some(value));
        let gap = if value < low { low - value } else { value - high };
        let is_far = high > low && gap >= LEAST_GAP * (high - low);
        if !is_far || rows < LEAST_ROWS || (rows as f64) < LEAST_SHARE * column.len() as f64 {
            return None;
        }
        let others = column.iter().filter(|x| !x.is_nan() && **x != value).map(|x| x.to_bits());
        let mut different = HashSet::new();
        let mut enough = others.map(|bits| different.insert(bits)).filter(|is_new| *is_new);
        enough.nth(LEAST_VALUES - 1).map(|_| (value, rows))
    })
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn a_code_repeats_far_from_the_other_values() {
        let column = |code: f64, rows: usize, states: usize| -> Vec<f64> {
            let values = (0..300 - rows).map(|i| (i % states) as f64);
            values.chain(std::iter::repeat_n(code, rows)).collect()
        };
        assert_eq!(code(&column(-200.0, 3, 50)), Some((-200.0, 3)));
        assert_eq!(code(&column(9999.0, 150, 50)), Some((9999.0, 150)));
        for (value, rows, states) in [(-200.0, 2, 50), (-20.0, 30, 50), (60.0, 30, 50), (-200.0, 30, 9), (5.0, 1, 1)] {
            assert_eq!(code(&column(value, rows, states)), None, "{value} {rows} {states}");
        }
        assert_eq!(code(&[f64::NAN; 40]), None);
    }
}
