//! The settings of inputs that look back in time.

use std::collections::BTreeMap;

use crate::data::Table;
use crate::data::column_error::ColumnError;
use crate::data::columns::find_each;
use crate::data::history::Lag;
use crate::data::preparation::Preparation;

/// The largest number of slots that a model file can number.
const MOST_SLOTS: usize = 1 << 15;

/// Returns the samples of every column that the settings name: those of `lag`, then the differences.
///
/// # Errors
/// [`ColumnError`] if a column is unknown or named twice, its list is empty, or a model cannot hold so many samples.
pub fn lags(table: &Table, settings: &Preparation) -> Result<BTreeMap<usize, Vec<Lag>>, ColumnError> {
    let mut all: BTreeMap<usize, Vec<Lag>> = BTreeMap::new();
    for (setting, entries, difference) in [("lag", &settings.lag, false), ("difference", &settings.difference, true)] {
        for (name, samples) in entries {
            for column in find_each(table, std::slice::from_ref(name))? {
                let of_column = all.entry(column).or_default();
                let wrong = |problem: String| {
                    let path = table.path().to_owned();
                    let name = table.names()[column].clone();
                    Err(ColumnError::Role { path, name, problem })
                };
                if of_column.iter().any(|lag| lag.difference == difference) {
                    return wrong(format!("is named by `{setting}` twice; give one list of lags"));
                } else if samples.is_empty() {
                    return wrong(format!("has no lags in `{setting}`; name some, such as 0..4"));
                }
                let mut samples = samples.clone();
                samples.sort_unstable();
                samples.dedup();
                if difference && of_column.is_empty() {
                    of_column.push(Lag::default());
                }
                of_column.extend(samples.into_iter().map(|samples| Lag { samples, difference }));
                if of_column.iter().any(|lag| lag.window() > Lag::MOST_SAMPLES) {
                    let most = Lag::MOST_SAMPLES;
                    return wrong(format!("looks back at more than {most} samples in `{setting}`; name smaller lags"));
                }
            }
        }
    }
    let window = |lags: &Vec<Lag>| lags.iter().map(|lag| lag.window()).max().unwrap_or(0);
    let slots = table.names().len() + all.values().map(window).sum::<usize>();
    if !all.is_empty() && slots > MOST_SLOTS {
        let counts = format!("{slots} readings, but a model holds at most {MOST_SLOTS}");
        let problem = format!("the inputs look back at {counts}; name fewer columns in `lag`");
        return Err(ColumnError::History { path: table.path().to_owned(), problem });
    }
    Ok(all)
}
