//! What the settings say about the samples that inputs come from.

use std::collections::BTreeMap;

use srfm_runtime::format::WINDOW_SAMPLES;

use crate::data::column_error::ColumnError;
use crate::data::columns::{Columns, find_each};
use crate::data::description::Derived;
use crate::data::history::{History, Lag, Windows, names_of};
use crate::data::inputs::Inputs;
use crate::data::preparation::Preparation;
use crate::data::table::Table;
use crate::message::setting::{IGNORE, LAG, STEP, WINDOW};
use crate::message::{Message, Setting, message};

/// Checks the settings of windows.
///
/// # Errors
/// [`ColumnError::Windows`] for windows of too few or too many samples, a step that is not within a window or has no
/// window, and for lags or categories beside windows.
pub fn check_windows(settings: &Preparation) -> Result<(), ColumnError> {
    let wrong = |problem| Err(ColumnError::Windows { problem });
    let Some(window) = settings.window else {
        return match settings.step {
            Some(_) => wrong(message!(STEP, " is the step of windows; set ", WINDOW, ", too")),
            None => Ok(()),
        };
    };
    let [least, most] = WINDOW_SAMPLES;
    if !(least..=most).contains(&window) {
        return wrong(message!(WINDOW, " must be between {least} and {most} samples, not {window}"));
    }
    if let Some(step) = settings.step.filter(|step| !(1..=window).contains(step)) {
        return wrong(message!(STEP, " must be between 1 and the {window} samples of a window, not {step}"));
    }
    let others = [
        ("lag", !settings.lag.is_empty()),
        ("difference", !settings.difference.is_empty()),
        ("categorical", !settings.categorical.is_empty()),
    ];
    match others.into_iter().find(|(_, given)| *given) {
        Some((other, _)) => {
            wrong(message!(WINDOW, " and ", Setting::new(other), " do not go together; leave out one of them"))
        }
        None => Ok(()),
    }
}

/// Sets which samples of their columns the inputs are, as the settings say.
///
/// # Errors
/// As [`lags`], and [`ColumnError::History`] for windows of too many columns.
pub fn look_back(
    inputs: &mut Inputs,
    columns: &Columns<'_>,
    table: &Table,
    settings: &Preparation,
) -> Result<(), ColumnError> {
    if let Some(samples) = settings.window {
        let channels = inputs.columns.len();
        if channels > Windows::MOST_CHANNELS {
            let most = Windows::MOST_CHANNELS;
            let problem =
                message!("windows of {channels} columns are more than the {most} that a model takes; leave some out")
                    .and_further(message!(" with ", IGNORE));
            return Err(ColumnError::History { path: table.path().to_owned(), problem });
        }
        let statistic = |statistic| Derived::Statistic { statistic };
        for column in &mut inputs.columns {
            column.derived = names_of(samples).into_iter().map(statistic).collect();
        }
        let names = inputs.columns.iter().map(|column| column.name.clone()).collect();
        inputs.history = History::of_windows(samples, settings.step_of_windows(samples), names);
        return Ok(());
    }
    let all = lags(table, settings)?;
    let mut of_columns = Vec::new();
    for (column, index) in inputs.columns.iter_mut().zip(&columns.inputs) {
        let lags = all.get(index).cloned().unwrap_or_else(|| vec![Lag::default()]);
        column.derived = lags.iter().copied().map(Derived::Lag).collect();
        of_columns.push((column.channels(), lags));
    }
    inputs.history = History::of_lags(&of_columns);
    Ok(())
}

/// The largest number of slots that a model file can number.
const MOST_SLOTS: usize = 1 << 15;

/// Returns the samples of every column that the settings name: those of `lag`, then the differences.
///
/// # Errors
/// [`ColumnError`] if a column is unknown or named twice, its list is empty, or a model cannot hold so many samples.
fn lags(table: &Table, settings: &Preparation) -> Result<BTreeMap<usize, Vec<Lag>>, ColumnError> {
    let mut all: BTreeMap<usize, Vec<Lag>> = BTreeMap::new();
    for (setting, entries, difference) in [("lag", &settings.lag, false), ("difference", &settings.difference, true)] {
        for (name, samples) in entries {
            for column in find_each(table, std::slice::from_ref(name))? {
                let of_column = all.entry(column).or_default();
                let wrong = |problem: Message| {
                    let path = table.path().to_owned();
                    let name = table.names()[column].clone();
                    Err(ColumnError::Role { path, name, problem })
                };
                if of_column.iter().any(|lag| lag.difference == difference) {
                    return wrong(message!("is named by ", Setting::new(setting), " twice; give one list of lags"));
                } else if samples.is_empty() {
                    return wrong(message!("has no lags in ", Setting::new(setting), "; name some, such as 0..4"));
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
                    let setting = Setting::new(setting);
                    return wrong(message!(
                        "looks back at more than {most} samples in ",
                        setting,
                        "; name smaller lags"
                    ));
                }
            }
        }
    }
    let window = |lags: &Vec<Lag>| lags.iter().map(|lag| lag.window()).max().unwrap_or(0);
    let slots = table.names().len() + all.values().map(window).sum::<usize>();
    if !all.is_empty() && slots > MOST_SLOTS {
        let counts = format!("{slots} readings, but a model holds at most {MOST_SLOTS}");
        let problem = message!("the inputs look back at {counts}; name fewer columns in ", LAG);
        return Err(ColumnError::History { path: table.path().to_owned(), problem });
    }
    Ok(all)
}
