//! The order of time of the rows of a log, and its gaps.

use std::collections::BTreeMap;

use speedate::{Date, DateTime, DateTimeConfig, MicrosecondsPrecisionOverflowBehavior, TimeConfig};

use crate::data::table::Label;

/// The number of usual steps from which on the time between two rows is a gap.
const GAP: f64 = 1.5;

/// The order of time of rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timeline {
    /// The rows, the earliest first.
    pub order: Vec<usize>,
    /// The number of the sequence of every row: rows of a group without a gap between them.
    pub sequences: Vec<usize>,
    /// The number of gaps within groups.
    pub gaps: usize,
}

impl Timeline {
    /// Returns the order of rows by their times. Rows of the same time keep their order. Groups follow each other by
    /// their first rows.
    pub fn new(times: &[f64], groups: Option<&[usize]>) -> Timeline {
        let group = |row: usize| groups.map_or(0, |groups| groups[row]);
        let mut starts = vec![f64::INFINITY; (0..times.len()).map(group).max().map_or(0, |last| last + 1)];
        times.iter().enumerate().for_each(|(row, &time)| starts[group(row)] = starts[group(row)].min(time));
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by(|&a, &b| {
            let by_group = starts[group(a)].total_cmp(&starts[group(b)]).then(group(a).cmp(&group(b)));
            by_group.then(times[a].total_cmp(&times[b]))
        });
        let mut rows: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &row in &order {
            rows.entry(group(row)).or_default().push(row);
        }
        let step = |pair: &[usize]| times[pair[1]] - times[pair[0]];
        let mut sequences = vec![0; times.len()];
        let mut count = 0;
        for rows in rows.values() {
            let mut steps: Vec<f64> = rows.windows(2).map(step).filter(|step| *step > 0.0).collect();
            steps.sort_by(f64::total_cmp);
            let usual = steps.get(steps.len() / 2).copied().unwrap_or(f64::INFINITY);
            for (place, &row) in rows.iter().enumerate() {
                count += usize::from(place > 0 && times[row] - times[rows[place - 1]] > GAP * usual);
                sequences[row] = count;
            }
            count += 1;
        }
        let gaps = count - rows.len();
        Timeline { order, sequences, gaps }
    }

    /// Returns values of all rows in the order of time.
    pub fn ordered<T: Clone>(&self, values: &[T]) -> Vec<T> {
        self.order.iter().map(|&row| values[row].clone()).collect()
    }

    /// Returns whether the rows of every sequence follow each other in time.
    pub fn is_sorted(&self) -> bool {
        let mut last = vec![None; self.sequences.iter().max().map_or(0, |last| last + 1)];
        self.order.iter().all(|&row| last[self.sequences[row]].replace(row).is_none_or(|before| before < row))
    }
}

/// Returns the time of a label in seconds: a number as it is, or a time stamp in the form of ISO 8601, with a blank or
/// T between date and time. A time stamp without an offset is that of UTC.
pub(crate) fn seconds(label: &str) -> Option<f64> {
    let text = label.trim();
    if let Ok(number) = text.parse::<f64>() {
        return Some(number).filter(|number| number.is_finite());
    }
    let rounds = TimeConfig {
        microseconds_precision_overflow_behavior: MicrosecondsPrecisionOverflowBehavior::Truncate,
        ..TimeConfig::default()
    };
    let stamp = DateTime::parse_bytes_with_config(
        text.as_bytes(),
        &DateTimeConfig { time_config: rounds, ..Default::default() },
    );
    if let Ok(stamp) = stamp {
        return Some(stamp.timestamp_tz() as f64 + f64::from(stamp.time.microsecond) / 1e6);
    }
    Date::parse_str(text).ok().map(|date| date.timestamp() as f64)
}

/// Returns the times of labels in seconds, or the first label that is no time, with its place.
pub(crate) fn times(labels: &[Label]) -> Result<Vec<f64>, (u64, String)> {
    let time = |(line, label): &Label| {
        let text = label.as_deref().unwrap_or_default();
        seconds(text).ok_or_else(|| (*line, text.to_owned()))
    };
    labels.iter().map(time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_seconds() {
        for (text, expected) in [
            ("12.5", 12.5),
            ("1970-01-01T00:01:00Z", 60.0),
            ("1970-01-01 00:01:00", 60.0),
            ("1970-01-01T00:01", 60.0),
            ("1970-01-02", 86_400.0),
            ("1970-01-01T01:00:00.250+01:00", 0.25),
            ("1970-01-01 00:00:01.123456789", 1.123456),
            (" 2026-11-29T12:00:00Z ", 1_795_953_600.0),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        for text in ["", "noon", "2026-13-01", "29.11.2026", "NaN", "inf"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn gaps_divide_groups_into_sequences() {
        // A step of 10; a gap of 16 between 20 and 36, none of 15.
        let times = [36.0, 0.0, 10.0, 20.0, 51.0, 61.0];
        let found = Timeline::new(&times, None);
        assert_eq!(found.order, [1, 2, 3, 0, 4, 5]);
        assert_eq!((&found.sequences[..], found.gaps), (&[1, 0, 0, 0, 1, 1][..], 1));
        assert!(!Timeline::new(&[0.0, 20.0, 10.0], None).is_sorted());
        // Each group has a time of its own.
        let found = Timeline::new(&[0.0, 5.0, 1.0, 6.0, 2.0, 7.0, 3.0], Some(&[0, 1, 0, 1, 0, 1, 0]));
        assert_eq!((&found.sequences[..], found.gaps), (&[0, 1, 0, 1, 0, 1, 0][..], 0));
        assert_eq!(found.order, [0, 2, 4, 6, 1, 3, 5]);
        // One group has steps of 1, the other of 5.
        let found = Timeline::new(&[0.0, 0.0, 1.0, 5.0, 2.0, 10.0], Some(&[0, 1, 0, 1, 0, 1]));
        assert_eq!((&found.sequences[..], found.gaps), (&[0, 1, 0, 1, 0, 1][..], 0));
        assert!(found.is_sorted());
        // Rows of one time have no usual step.
        assert_eq!(Timeline::new(&[3.0; 4], None).gaps, 0);
        assert_eq!(Timeline::new(&[], None).order.len(), 0);
    }
}
