//! From the fields of a file to the rows of a data set.

use std::collections::HashMap;
use std::ops::AddAssign;

use nalgebra::DMatrix;
use serde::Serialize;

use crate::data::column_error::ColumnError;
use crate::data::columns::Columns;
use crate::data::inputs::Inputs;
use crate::data::preparation::{Missing, Preparation};
use crate::data::table::{Label, Table};
use crate::data::targets::Targets;
use crate::data::weights;
use crate::data::{DataError, Dataset, Description, History};
use crate::message::message;
use crate::message::setting::{GROUP, WINDOW};

/// The rows of a file, and how they were prepared.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The rows that are left, in the order of time where a column has time stamps, otherwise of the file. Missing
    /// values of inputs are NaN. Groups count from 0 in the order of their first rows.
    pub data: Dataset,
    /// How the columns became inputs.
    pub description: Description,
    /// The numbers of rows and missing values.
    pub counts: Counts,
    /// The samples that the inputs of a model come from, n×c, if rows are left in place; none without a history.
    pub samples: Option<DMatrix<f64>>,
    /// The rows without enough samples, where rows are left in place. Their inputs are NaN.
    waiting: Vec<usize>,
    /// The rows of the file that are left; none if all are.
    pub(crate) kept: Option<Vec<usize>>,
}

/// The numbers of rows and missing values of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// The number of rows in the file.
    rows: usize,
    /// The number of rows that were dropped, since too few rows lie before them or they complete no window.
    rows_without_history: usize,
    /// The number of windows; left out without windows. The other rows are among those without history.
    #[serde(skip_serializing_if = "is_zero")]
    windows: usize,
    /// The number of windows that were dropped, since their rows have different classes; left out where there is none.
    #[serde(skip_serializing_if = "is_zero")]
    mixed_windows: usize,
    /// The number of gaps of time, after which lags and windows begin anew; left out where there is none.
    #[serde(skip_serializing_if = "is_zero")]
    gaps: usize,
    /// The number of rows that were dropped, since their weight is 0; left out where there is none.
    #[serde(skip_serializing_if = "is_zero")]
    rows_without_weight: usize,
    /// The number of rows that were dropped, since a value or the target was missing.
    dropped_rows: usize,
    /// The number of missing values in the other rows.
    replaced_values: usize,
    /// The input column whose missing values alone drop the most rows, and the number of rows that are left without the
    /// column; none where a model needs the column.
    #[serde(skip)]
    pub(crate) costliest: Option<(String, usize)>,
    /// Whether the rows that count as dropped stay in place, without a prediction.
    #[serde(skip)]
    in_place: bool,
}

/// Returns whether a count is zero.
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl AddAssign for Counts {
    /// Adds the numbers of other rows.
    fn add_assign(&mut self, other: Counts) {
        self.rows += other.rows;
        self.rows_without_history += other.rows_without_history;
        self.windows += other.windows;
        self.mixed_windows += other.mixed_windows;
        self.gaps += other.gaps;
        self.rows_without_weight += other.rows_without_weight;
        self.dropped_rows += other.dropped_rows;
        self.replaced_values += other.replaced_values;
        self.in_place |= other.in_place;
    }
}

impl Counts {
    /// The numbers of rows of which none is left.
    pub fn dropped(rows: usize) -> Counts {
        Counts { rows, dropped_rows: rows, ..Counts::default() }
    }

    /// Returns a remark on dropped rows and replaced values; none if there are no such rows and values.
    pub fn remark(&self) -> Option<String> {
        let Counts { rows, dropped_rows, replaced_values, costliest, .. } = self;
        let Counts { rows_without_history, rows_without_weight, mixed_windows, .. } = self;
        let mut dropped = self.left_out(*dropped_rows, " for missing values", "a reading is missing");
        if let Some((column, left)) = costliest {
            dropped += &format!("; without the column {column:?}, {left} would be kept");
        }
        let replaced = match replaced_values {
            1 => "1 missing value replaced by the mean of its input".to_owned(),
            count => format!("{count} missing values replaced by the means of their inputs"),
        };
        let mixed = match mixed_windows {
            1 => "1 window left out, since its rows have different classes".to_owned(),
            count => format!("{count} windows left out, since their rows have different classes"),
        };
        let weightless = format!("{rows_without_weight} of {rows} rows left out for the weight 0");
        let parts = [
            (rows_without_history, self.without_history()),
            (mixed_windows, mixed),
            (rows_without_weight, weightless),
            (dropped_rows, dropped),
            (replaced_values, replaced),
        ];
        let said = parts.into_iter().filter(|(count, _)| **count > 0).map(|(_, part)| part);
        said.reduce(|before, part| format!("{before}; {part}"))
    }

    /// Returns what is said of rows that are left out, or have no prediction where they stay in place.
    fn left_out(&self, count: usize, why: &str, why_in_place: &str) -> String {
        let rows = self.rows;
        match (self.in_place, count) {
            (false, _) => format!("{count} of {rows} rows left out{why}"),
            (true, 1) => format!("1 of {rows} rows has no prediction: {why_in_place}"),
            (true, _) => format!("{count} of {rows} rows have no prediction: {why_in_place}"),
        }
    }

    /// Returns what is said of rows without enough samples, or that complete no window.
    fn without_history(&self) -> String {
        let Counts { rows, rows_without_history, windows, gaps, .. } = self;
        let after = match gaps {
            0 => String::new(),
            1 => ", or between them and a gap of time".to_owned(),
            gaps => format!(", or between them and one of {gaps} gaps of time"),
        };
        if *windows > 0 {
            let made = if *windows == 1 { "1 window".to_owned() } else { format!("{windows} windows") };
            let anew = match gaps {
                0 => "",
                1 => ", which begin anew after a gap of time",
                _ => ", which begin anew after gaps of time",
            };
            let predicted = if self.in_place { "; each has a prediction in its last row" } else { "" };
            return format!("{rows} rows make {made}{anew}{predicted}");
        }
        let why = format!(", since too few rows lie before them{after}");
        self.left_out(*rows_without_history, &why, &format!("there are too few earlier rows{after}"))
    }
}

impl Prepared {
    /// Returns the rows of the table that are left, numbered from 0, in the order of the data.
    pub fn kept_rows(&self) -> Vec<usize> {
        self.kept.clone().unwrap_or_else(|| (0..self.data.rows()).collect())
    }

    /// Returns the rows without enough samples, where rows are left in place. Their inputs are NaN.
    pub fn waiting(&self) -> &[usize] {
        &self.waiting
    }

    /// Joins inputs and targets, and drops rows as the settings say.
    ///
    /// # Errors
    /// [`DataError`] if a group is missing, all rows are dropped, or the rows have no classes that a model can have.
    pub(crate) fn join(
        table: &Table,
        columns: &Columns<'_>,
        mut inputs: Inputs,
        targets: Targets<'_>,
        settings: &Preparation,
    ) -> Result<Prepared, DataError> {
        let mut labels = columns.labels_of_groups(table, settings)?;
        let mut groups = labels.as_deref().map(numbered);
        let timeline = columns.timeline(table, groups.as_deref(), settings)?;
        let mut weights = columns.weights(table, settings)?.unwrap_or_default();
        let mut targets = targets;
        let mut sequences = groups.clone();
        if let Some(timeline) = &timeline {
            // From here on, all rows are in the order of time.
            inputs.x = inputs.x.select_rows(&timeline.order);
            targets = targets.select(&timeline.order);
            weights = weights::select(&weights, &timeline.order);
            labels = labels.map(|labels| timeline.ordered(&labels));
            groups = labels.as_deref().map(numbered);
            sequences = Some(timeline.ordered(&timeline.sequences));
        }
        let ready = inputs.look_back(table, sequences.as_deref())?.map(|samples| samples.ready);
        let gaps = timeline.as_ref().map_or(0, |timeline| timeline.gaps);
        let mut counts = Counts { rows: table.rows(), gaps, ..Counts::default() };
        let mut complete = ready.unwrap_or_else(|| vec![true; counts.rows]);
        let [with_history, of_one_class] =
            keep_ready(table, &inputs.history, &targets, sequences.as_deref(), &mut complete, settings)?;
        complete.iter_mut().zip(&weights).for_each(|(complete, &weight)| *complete &= weight > 0.0);
        let with_weight = complete.iter().filter(|&&complete| complete).count();
        if settings.missing != Missing::Error {
            mark_missing(table, &inputs, &targets, labels.as_deref(), settings.missing, &mut complete)?;
        }
        let kept: Vec<usize> = (0..counts.rows).filter(|&row| complete[row]).collect();
        counts.rows_without_history = counts.rows - with_history;
        counts.windows = if inputs.history.has_windows() { with_history } else { 0 };
        counts.mixed_windows = with_history - of_one_class;
        counts.rows_without_weight = of_one_class - with_weight;
        counts.dropped_rows = with_weight - kept.len();
        counts.replaced_values = inputs.missing_in(&kept);
        let description = described(table, columns, &inputs, settings);
        let input_names = inputs.names();
        let mut x = inputs.x;
        if kept.len() < counts.rows {
            x = x.select_rows(&kept);
            targets = targets.select(&kept);
            weights = weights::select(&weights, &kept);
            groups = labels.map(|labels| numbered(kept.iter().map(|&row| &labels[row])));
        }
        let mut data = targets.into_dataset(x, input_names, columns)?;
        data.groups = groups.unwrap_or_default();
        data.history = inputs.history;
        data.weights = weights;
        let of_file = |row: usize| timeline.as_ref().map_or(row, |timeline| timeline.order[row]);
        let kept: Vec<usize> = kept.into_iter().map(of_file).collect();
        let kept = Some(kept).filter(|kept| kept.len() < counts.rows || !kept.is_sorted());
        Ok(Prepared { data, description, counts, samples: None, waiting: Vec::new(), kept })
    }

    /// Joins inputs without targets. Rows without enough samples stay as rows with NaN, and under [`Missing::Drop`]
    /// rows with missing values as well.
    ///
    /// # Errors
    /// [`DataError`] if a group is missing.
    pub(crate) fn all_rows(
        table: &Table,
        columns: &Columns<'_>,
        mut inputs: Inputs,
        settings: &Preparation,
    ) -> Result<Prepared, DataError> {
        let mut groups = columns.labels_of_groups(table, settings)?.as_deref().map(numbered);
        let timeline = columns.timeline(table, groups.as_deref(), settings)?;
        if let Some(timeline) = &timeline {
            if let (Some(column), false) = (columns.time, inputs.history.is_empty() || timeline.is_sorted()) {
                let name = table.names()[column].clone();
                return Err(ColumnError::Unsorted { path: table.path().to_owned(), name }.into());
            }
            groups = Some(timeline.sequences.clone());
        }
        let samples = inputs.look_back(table, groups.as_deref())?;
        let is_ready = |row: &usize| samples.as_ref().is_none_or(|samples| samples.ready[*row]);
        let (ready, waiting): (Vec<usize>, Vec<usize>) = (0..table.rows()).partition(is_ready);
        let rows = table.rows();
        let rows_without_history = waiting.len();
        let gaps = timeline.map_or(0, |timeline| timeline.gaps);
        let windows = if inputs.history.has_windows() { ready.len() } else { 0 };
        let mut counts = Counts { rows, rows_without_history, windows, gaps, in_place: true, ..Counts::default() };
        match settings.missing {
            Missing::Error => {}
            Missing::Drop => counts.dropped_rows = inputs.incomplete(&ready),
            Missing::Mean => counts.replaced_values = inputs.missing_in(&ready),
        }
        let description = Description::new(&inputs.columns, Vec::new(), None, Vec::new(), settings);
        let input_names = inputs.names();
        let groups = groups.unwrap_or_default();
        let y = DMatrix::zeros(rows, 0);
        let output_names = Vec::new();
        let classes = Vec::new();
        let history = inputs.history;
        let weights = Vec::new();
        let data = Dataset { x: inputs.x, y, input_names, output_names, classes, weights, groups, history };
        let samples = samples.map(|samples| samples.readings);
        Ok(Prepared { data, description, counts, samples, waiting, kept: None })
    }

    /// Takes the description of a fitted model and replaces missing values by its means.
    ///
    /// # Errors
    /// [`ColumnError::NoMeans`] if values are missing and there are no means.
    pub(crate) fn describe(&mut self, description: Option<&Description>, path: &str) -> Result<(), ColumnError> {
        if let Some(description) = description {
            self.description = description.clone();
        }
        if self.counts.replaced_values > 0 {
            self.description.fill(&mut self.data.x);
        }
        let is_missing = |row: usize| self.data.x.row(row).iter().any(|value| value.is_nan());
        let mut rows = (0..self.data.rows()).filter(|row| self.waiting.binary_search(row).is_err());
        if self.counts.replaced_values > 0 && rows.any(is_missing) {
            return Err(ColumnError::NoMeans { path: path.to_owned() });
        }
        self.waiting.iter().for_each(|&row| self.data.x.row_mut(row).fill(f64::NAN));
        Ok(())
    }
}

/// Returns the number of each label, from 0 in the order of their first occurrence.
fn numbered<'a>(labels: impl IntoIterator<Item = &'a Label>) -> Vec<usize> {
    let mut numbers = HashMap::new();
    labels
        .into_iter()
        .map(|(_, label)| {
            let next = numbers.len();
            *numbers.entry(label).or_insert(next)
        })
        .collect()
}

/// Returns the description of a model of these inputs. Its predictions need groups and time stamps only if they look
/// back.
fn described(table: &Table, columns: &Columns<'_>, inputs: &Inputs, settings: &Preparation) -> Description {
    let looks_back = !inputs.history.is_empty();
    let beside = [columns.group, columns.time];
    let is_unneeded = |column: usize| columns.weight == Some(column) || beside.contains(&Some(column)) && !looks_back;
    let is_other = |column: &usize| !columns.uses(table, *column) || is_unneeded(*column);
    let name = |column: usize| table.names()[column].clone();
    let ignored = table.columns().into_iter().filter(is_other).map(name).collect();
    let [group, time] = beside.map(|column| column.filter(|_| looks_back).map(name));
    let mut description = Description::new(&inputs.columns, columns.target_names(), group, ignored, settings);
    description.time = time;
    description
}

/// Returns the error of a file none of whose sequences has as many rows as the inputs look back at.
fn too_short(table: &Table, history: &History, divided: bool, settings: &Preparation) -> ColumnError {
    let depth = history.depth();
    let has = if divided { "no group has" } else { "the data do not have" };
    let path = table.path().to_owned();
    if history.has_windows() {
        let short = format!("a window takes {depth} samples, but {has} {depth} rows");
        // The window of a model is given.
        let problem = match settings.window {
            Some(_) => message!("{short}; set a smaller ", WINDOW, ", or add rows"),
            None => message!("{short}; add rows"),
        };
        return ColumnError::History { path, problem };
    }
    // The lags of a model are given.
    let given = settings.lag.is_empty() && settings.difference.is_empty();
    let advice = if given { "add rows" } else { "name smaller lags, or add rows" };
    let problem = format!("the inputs look back at {depth} samples, but {has} {depth} rows; {advice}");
    ColumnError::History { path, problem: problem.into() }
}

/// Returns the error of a file all of whose windows have rows of different classes.
fn all_mixed(table: &Table, windows: usize, settings: &Preparation) -> ColumnError {
    let all = if windows == 1 { "the only window has".to_owned() } else { format!("all {windows} windows have") };
    let problem = match settings.window {
        Some(_) => {
            message!("{all} rows of different classes; set a smaller ", WINDOW, ", or name recordings in ", GROUP)
        }
        None => message!("{all} rows of different classes; give rows whose class stays for a window"),
    };
    ColumnError::History { path: table.path().to_owned(), problem }
}

/// Sets the flag of every window with rows of different classes to false, among the rows that are `ready`. Returns the
/// number of these rows before and after.
///
/// # Errors
/// [`ColumnError::History`] if no row is ready, or none is left.
fn keep_ready(
    table: &Table,
    history: &History,
    targets: &Targets<'_>,
    sequences: Option<&[usize]>,
    ready: &mut [bool],
    settings: &Preparation,
) -> Result<[usize; 2], ColumnError> {
    let before = ready.iter().filter(|&&ready| ready).count();
    if before == 0 {
        return Err(too_short(table, history, sequences.is_some(), settings));
    }
    if let Some(labels) = targets.labels() {
        let mixed = history.are_mixed(&labels, sequences);
        ready.iter_mut().zip(mixed).for_each(|(ready, mixed)| *ready &= !mixed);
    }
    match ready.iter().filter(|&&ready| ready).count() {
        0 => Err(all_mixed(table, before, settings)),
        after => Ok([before, after]),
    }
}

/// Sets the flag of every row that the settings drop for missing values to false.
///
/// # Errors
/// [`ColumnError`] if no row is left.
fn mark_missing(
    table: &Table,
    inputs: &Inputs,
    targets: &Targets<'_>,
    groups: Option<&[Label]>,
    missing: Missing,
    complete: &mut [bool],
) -> Result<(), ColumnError> {
    for (complete, (_, group)) in complete.iter_mut().zip(groups.unwrap_or_default()) {
        *complete &= group.is_some();
    }
    targets.mark_missing(complete);
    if missing == Missing::Drop {
        inputs.mark_missing(complete);
    }
    if complete.contains(&true) {
        return Ok(());
    }
    let path = table.path().to_owned();
    let rows = table.rows();
    match inputs.most_missing().filter(|(_, gaps)| *gaps > 0 && missing == Missing::Drop) {
        Some((column, gaps)) => Err(ColumnError::AllDropped { path, rows, name: column.name.clone(), gaps }),
        None => Err(ColumnError::NoTargetValues { path, rows, grouped: groups.is_some() }),
    }
}
