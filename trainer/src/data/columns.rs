//! Columns of inputs and targets, and their names.

use std::collections::HashMap;

use crate::data::column_error::ColumnError;
use crate::data::preparation::{Missing, Preparation};
use crate::data::table::Label;
use crate::data::time::{Timeline, times};
use crate::data::value::Fields;
use crate::data::weights::{self, WeightProblem};
use crate::data::{DataError, NOVELTY, Table};
use crate::message::setting::INPUTS;
use crate::message::{Message, Setting, message};

/// The columns of a source by their roles.
pub struct Columns<'a> {
    /// The columns of the inputs, in the order of the model.
    pub inputs: Vec<usize>,
    /// The columns of the targets, in the file that holds them.
    pub targets: Vec<usize>,
    /// The file that holds the targets.
    pub target_table: &'a Table,
    /// The column of groups, in the file that holds the inputs.
    pub group: Option<usize>,
    /// The column of time stamps, in the same file.
    pub time: Option<usize>,
    /// The column of weights, in the same file.
    pub weight: Option<usize>,
}

impl<'a> Columns<'a> {
    /// Returns the columns that the settings name: all columns without another role are inputs.
    ///
    /// Without `names` of targets, the targets are the last column that is left, or all columns of `labels`.
    ///
    /// # Errors
    /// [`ColumnError`] if a name is unknown or ambiguous, a column has two roles, or no input is left.
    pub fn named(files: &'a Files) -> Result<Columns<'a>, ColumnError> {
        Columns::find(files, true)
    }

    /// As [`Columns::named`], without targets. A column of labels of novelty is an input only if it is named.
    ///
    /// # Errors
    /// As [`Columns::named`].
    pub fn of_inputs(files: &'a Files) -> Result<Columns<'a>, ColumnError> {
        Columns::find(files, false)
    }

    fn find(files: &'a Files, has_targets: bool) -> Result<Columns<'a>, ColumnError> {
        let Files { table, labels, targets: names, settings } = files;
        let Preparation { inputs, ignore, categorical, lag, difference, group, time_column, weight, .. } = settings;
        let ignored = find_all(table, ignore)?;
        let group = group.as_ref().map(|name| find(table, name)).transpose()?;
        let time = time_column.as_ref().map(|name| find(table, name)).transpose()?;
        let weight = weight.as_ref().map(|name| find(table, name)).transpose()?;
        let given = find_each(table, inputs)?;
        let beside = |column: usize| [group, time, weight].contains(&Some(column));
        let unused = |column: &usize| ignored.contains(column) || beside(*column);
        let (targets, target_table) = match labels {
            _ if !has_targets => (Vec::new(), table),
            Some(labels) if names.is_empty() => (labels.columns(), labels),
            Some(labels) => (find_all(labels, names)?, labels),
            None if names.is_empty() => {
                (last_column(table, |c| !unused(c) && !given.contains(c)).into_iter().collect(), table)
            }
            None => (find_all(table, names)?, table),
        };
        let is_target = |column: &usize| labels.is_none() && targets.contains(column);
        let is_label = |column: &usize| !has_targets && table.names()[*column] == NOVELTY;
        let all = || table.columns().into_iter().filter(|c| !unused(c) && !is_target(c) && !is_label(c)).collect();
        let inputs = if given.is_empty() { all() } else { given };
        let of_lists = |lists: &[(String, Vec<u8>)]| {
            find_all(table, &lists.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>())
        };
        let codings = [
            ("categorical", find_all(table, categorical)?),
            ("lag", of_lists(lag)?),
            ("difference", of_lists(difference)?),
        ];
        for column in 0..table.names().len() {
            let roles = [
                ("inputs", !settings.inputs.is_empty() && inputs.contains(&column)),
                ("target", is_target(&column)),
                ("ignore", ignored.contains(&column) && !beside(column)),
                ("group", group == Some(column)),
                ("time_column", time == Some(column)),
                ("weight", weight == Some(column)),
            ];
            let mut found: Vec<&str> = roles.into_iter().filter(|(_, has)| *has).map(|(role, _)| role).collect();
            let coded = codings.iter().filter(|(_, columns)| columns.contains(&column)).map(|(coding, _)| *coding);
            let coded = coded.collect::<Vec<_>>();
            let is_input = inputs.contains(&column);
            if !is_input {
                found.extend(coded.first());
            } else if coded.len() > 1 && coded[0] == "categorical" {
                found = coded.clone();
            }
            if found.len() > 1 || (!is_input && found.first() == coded.first() && !coded.is_empty()) {
                return Err(conflict(table, column, &found));
            }
        }
        let columns = Columns { inputs, targets, target_table, group, time, weight };
        columns.check(table, has_targets)?;
        Ok(columns)
    }

    /// Checks that there are inputs and, where there should be targets, a target, and that no two of these columns of
    /// `table` have the same name.
    fn check(&self, table: &Table, has_targets: bool) -> Result<(), ColumnError> {
        let path = || table.path().to_owned();
        if has_targets && self.targets.is_empty() {
            return Err(ColumnError::NoTargetLeft { path: path() });
        } else if self.inputs.is_empty() {
            return Err(ColumnError::NoInputs { path: path(), columns: table.columns().len() });
        }
        let mut seen = HashMap::new();
        let targets = self.targets.iter().filter(|_| std::ptr::eq(table, self.target_table));
        for &column in self.inputs.iter().chain(targets) {
            let name = &table.names()[column];
            if let Some(other) = seen.insert(name, column) {
                let first = other.min(column) + 1;
                let second = other.max(column) + 1;
                return Err(ColumnError::AmbiguousColumn { path: path(), name: name.clone(), first, second });
            }
        }
        Ok(())
    }

    /// Returns the group of each row; none without a column of groups.
    ///
    /// # Errors
    /// [`DataError::Value`] if a group is missing against the settings.
    pub fn labels_of_groups(&self, table: &Table, settings: &Preparation) -> Result<Option<Vec<Label>>, DataError> {
        self.group.map(|column| table.labels(column, &Fields::new(settings))).transpose()
    }

    /// Returns the order of the rows by time, within their groups; none without a column of time stamps.
    ///
    /// # Errors
    /// [`ColumnError::Time`] for a value that is no time stamp.
    pub fn timeline(
        &self,
        table: &Table,
        groups: Option<&[usize]>,
        settings: &Preparation,
    ) -> Result<Option<Timeline>, DataError> {
        let Some(column) = self.time else { return Ok(None) };
        // Zero is a time, whatever stands for a missing reading.
        let kept = Preparation { missing: Missing::Drop, missing_values: Vec::new(), ..settings.clone() };
        let labels = table.labels(column, &Fields::new(&kept))?;
        let times = times(&labels).map_err(|(line, text)| {
            let path = table.path().to_owned();
            ColumnError::Time { path, place: table.place(line, column), text }
        })?;
        Ok(Some(Timeline::new(&times, groups)))
    }

    /// Returns the weight of every row; none without a column of weights.
    ///
    /// # Errors
    /// [`ColumnError::Weight`] for a value that is no weight, [`ColumnError::NoWeight`] where all weights are zero.
    pub fn weights(&self, table: &Table, settings: &Preparation) -> Result<Option<Vec<f64>>, DataError> {
        let Some(column) = self.weight else { return Ok(None) };
        // A number that stands for a missing reading may be a weight, and a missing weight is an error.
        let kept = Preparation { missing: Missing::Drop, missing_values: Vec::new(), ..settings.clone() };
        let fields = Fields::new(&kept);
        let labels = table.labels(column, &fields)?;
        let text = |row: usize| labels[row].1.clone().unwrap_or_default();
        let weights: Vec<f64> = (0..labels.len()).map(|row| fields.number(&text(row)).unwrap_or(f64::NAN)).collect();
        let path = table.path().to_owned();
        match weights::check(&weights) {
            Ok(()) => Ok(Some(weights)),
            Err(WeightProblem::Row { row, .. }) => {
                let place = table.place(labels[row].0, column);
                Err(ColumnError::Weight { path, place, text: text(row) }.into())
            }
            Err(WeightProblem::AllZero) => {
                Err(ColumnError::NoWeight { path, rows: weights.len(), name: table.names()[column].clone() }.into())
            }
        }
    }

    /// Returns whether a column of `table`, the file of the inputs, has a role.
    pub fn uses(&self, table: &Table, column: usize) -> bool {
        let is_target = std::ptr::eq(table, self.target_table) && self.targets.contains(&column);
        is_target || self.inputs.contains(&column) || [self.group, self.time, self.weight].contains(&Some(column))
    }

    /// Returns the names of the targets; `target`, or `target 1` and so on, in a file of targets without a header.
    pub fn target_names(&self) -> Vec<String> {
        let table = self.target_table;
        match self.targets.len() {
            _ if table.has_header() || self.targets.len() < table.columns().len() => names(table, &self.targets),
            1 => vec!["target".to_owned()],
            count => (1..=count).map(|target| format!("target {target}")).collect(),
        }
    }
}

/// Returns the error of a column with two roles, or with a code but no role.
pub fn conflict(table: &Table, column: usize, roles: &[&'static str]) -> ColumnError {
    let path = table.path().to_owned();
    let name = table.names()[column].clone();
    let problem = match roles {
        [first] => message!("is named by ", Setting::new(first), ", but is no input; name it in ", INPUTS, ", too"),
        [first, second, ..] => message!(
            "is named by ",
            Setting::new(first),
            " and by ",
            Setting::new(second),
            "; name it in one of the two only"
        ),
        _ => Message::default(),
    };
    ColumnError::Role { path, name, problem }
}

/// Returns the last column that `accepts` holds for.
fn last_column(table: &Table, accepts: impl Fn(&usize) -> bool) -> Option<usize> {
    table.columns().into_iter().rev().find(accepts)
}

/// Returns the names of the given columns.
pub fn names(table: &Table, columns: &[usize]) -> Vec<String> {
    columns.iter().map(|&column| table.names()[column].clone()).collect()
}

/// Returns the columns with the given names, in the order of the file.
pub fn find_all(table: &Table, names: &[String]) -> Result<Vec<usize>, ColumnError> {
    let mut columns = find_each(table, names)?;
    columns.sort_unstable();
    columns.dedup();
    Ok(columns)
}

/// Returns the columns with the given names, in the given order. An entry that is no name is a list of names.
pub fn find_each(table: &Table, entries: &[String]) -> Result<Vec<usize>, ColumnError> {
    let mut columns = Vec::with_capacity(entries.len());
    for entry in entries {
        if table.names().contains(entry) || !entry.contains(',') {
            columns.push(find(table, entry)?);
        } else {
            for name in entry.split(',').map(str::trim) {
                columns.push(find(table, name)?);
            }
        }
    }
    Ok(columns)
}

/// Returns the column with the given name, or with the given number from 1.
pub fn find(table: &Table, name_given: &str) -> Result<usize, ColumnError> {
    let mut found = (0..table.names().len()).filter(|&c| table.names()[c] == name_given);
    let number = || name_given.parse().ok().filter(|number| (1..=table.names().len()).contains(number));
    let path = || table.path().to_owned();
    let name = || name_given.to_owned();
    match (found.next(), found.next(), number()) {
        (Some(index), None, _) => Ok(index),
        (Some(first), Some(second), _) => {
            Err(ColumnError::AmbiguousColumn { path: path(), name: name(), first: first + 1, second: second + 1 })
        }
        (None, _, Some(number)) => Ok(number - 1),
        (None, _, None) => {
            let available = match (similar(name_given, table.names()), name_given.parse::<usize>()) {
                (Some(meant), _) => format!("{}; did you mean {meant:?}?", shortened(table.names())),
                (None, Ok(_)) => format!("{}, numbered from 1 to {}", shortened(table.names()), table.names().len()),
                (None, Err(_)) => shortened(table.names()),
            };
            Err(ColumnError::UnknownColumn { path: path(), name: name(), available })
        }
    }
}

/// Returns the name that begins most like `given`, if at most a third of the letters of `given` differ.
fn similar<'a>(given: &str, names: &'a [String]) -> Option<&'a String> {
    let (given, letters) = (given.to_lowercase(), given.chars().count());
    let distance = |name: &&String| {
        let name = name.to_lowercase();
        let ends = name.char_indices().map(|(end, _)| end).chain([name.len()]);
        ends.map(|end| strsim::levenshtein(&given, &name[..end])).min().unwrap_or(letters)
    };
    names.iter().min_by_key(distance).filter(|name| 3 * distance(name) <= letters && letters > 2)
}

/// Returns the first few names as a list.
pub fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    names[..names.len().min(SHOWN)].join(", ") + more
}

/// A data file, or a file of inputs and a file of targets, and how their columns are used.
#[derive(Clone, Debug)]
pub struct Files {
    /// The file of the inputs.
    pub table: Table,
    /// The file of the targets, if it is another one.
    pub labels: Option<Table>,
    /// The names of the targets.
    pub targets: Vec<String>,
    /// The settings.
    pub settings: Preparation,
}

impl Files {
    /// Returns the file that holds the targets.
    pub fn target_table(&self) -> &Table {
        self.labels.as_ref().unwrap_or(&self.table)
    }

    /// Checks that both files have the same number of rows.
    pub fn check_rows(&self) -> Result<(), DataError> {
        match &self.labels {
            Some(labels) if labels.rows() != self.table.rows() => Err(DataError::RowCount {
                path: self.table.path().to_owned(),
                rows: self.table.rows(),
                labels: labels.path().to_owned(),
                found: labels.rows(),
            }),
            _ => Ok(()),
        }
    }
}
