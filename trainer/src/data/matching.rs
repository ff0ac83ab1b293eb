//! Finds the columns of a file that a fitted model takes.

use srfm_runtime::Model;

use crate::data::column_error::ColumnError;
use crate::data::columns::{Columns, Files, conflict, find, find_all, find_each, names};
use crate::data::description::InputColumn;
use crate::data::inputs::{Code, InputSource, Inputs};
use crate::data::layout::automatic_name;
use crate::data::{DataError, Dataset, Description, History, Table, inputs_hash};
use crate::message::message;
use crate::message::setting::{IGNORE, WEIGHT};

/// The inputs and outputs that the columns of a source must match.
pub struct Signature<'a> {
    /// The number of readings of a sample.
    inputs: usize,
    outputs: usize,
    inputs_hash: u32,
    pub classes: Vec<String>,
    /// The samples that the inputs come from.
    history: History,
    /// Whether the outputs depend on each input, in the order of the model. The inputs of a column of categories are
    /// used together.
    used: Vec<bool>,
    description: Option<&'a Description>,
}

impl<'a> Signature<'a> {
    pub fn from_model(model: &Model<'_>, description: Option<&'a Description>) -> Signature<'a> {
        let channels = match description {
            Some(description) => description.readings(),
            None => (1..=model.channels()).map(automatic_name).collect(),
        };
        Signature {
            inputs: model.channels(),
            history: History::from_model(model.samples(), channels),
            used: used(model, description),
            outputs: model.outputs(),
            inputs_hash: model.header().inputs_hash,
            classes: model.classes().map(str::to_owned).collect(),
            description,
        }
    }

    pub fn from_dataset(data: &Dataset, description: Option<&'a Description>) -> Signature<'a> {
        Signature {
            inputs: data.readings().len(),
            outputs: data.outputs(),
            inputs_hash: inputs_hash(data.readings()),
            used: vec![true; data.inputs()],
            history: data.history.clone(),
            classes: data.classes.clone(),
            description,
        }
    }

    /// Returns the number of target columns in a file.
    fn targets(&self) -> usize {
        if self.classes.is_empty() { self.outputs } else { 1 }
    }

    /// Returns the columns that hold the inputs; none without a description.
    fn columns(&self) -> Option<Vec<InputColumn>> {
        self.description.map(Description::columns)
    }

    /// Reads the inputs, and returns the columns of the inputs and targets.
    ///
    /// # Errors
    /// [`DataError`] if the columns are not those of the signature, or a value cannot be read.
    pub fn read<'s>(&self, files: &'s Files) -> Result<(Columns<'s>, Inputs), DataError> {
        let (columns, sources) = self.find(files)?;
        let mut inputs = Inputs::read(&files.table, sources, &files.settings)?;
        let described = self.columns().unwrap_or_default();
        let count: usize = described.iter().map(|column| column.inputs().len()).sum();
        // A damaged description may state samples that the model does not have.
        if !self.history.is_empty() && count == self.used.len() {
            for (column, described) in inputs.columns.iter_mut().zip(described) {
                column.derived = described.derived;
            }
        }
        inputs.history = self.history.clone();
        inputs.unused = (0..self.used.len()).filter(|&input| !self.used[input]).collect();
        Ok((columns, inputs))
    }

    /// Returns whether the outputs depend on each column of the inputs.
    fn used_columns(&self) -> Vec<bool> {
        match self.columns() {
            Some(columns) => {
                let mut inputs = self.used.iter();
                let mut any = |count: usize| inputs.by_ref().take(count).filter(|&&used| used).count() > 0;
                columns.iter().map(|column| any(column.inputs().len())).collect()
            }
            None if self.history.is_empty() => self.used.clone(),
            None => self.history.used_channels(&self.used),
        }
    }

    /// Returns the columns of the inputs and targets, and the source of every column of the inputs.
    ///
    /// The settings may name the inputs. Otherwise a description names them, if the file and the training file both
    /// have names, or both have none; then the file may lack the columns that the model does not use. Otherwise the
    /// file holds the inputs alone, or the inputs followed by the targets; in a file with a header, the checksum of the
    /// names detects other or reordered inputs.
    ///
    /// # Errors
    /// [`DataError`] if the columns are not those of the signature.
    fn find<'s>(&self, files: &'s Files) -> Result<(Columns<'s>, Vec<InputSource>), DataError> {
        let table = &files.table;
        let described = self.columns();
        let used = self.used_columns();
        let width = described.as_ref().map_or(self.inputs, Vec::len);
        let found = described.iter().flatten().flat_map(InputColumn::channels).count();
        if !self.history.is_empty() && described.is_some() && found != self.inputs {
            let problem = format!("the description has {found} readings of a sample, the model {}", self.inputs);
            return Err(ColumnError::History { path: table.path().to_owned(), problem: problem.into() }.into());
        }
        let ignored = find_all(table, &files.settings.ignore)?;
        let named = find_each(table, &files.settings.inputs)?;
        if !named.is_empty() && named.len() != width {
            let path = table.path().to_owned();
            let found = named.len();
            return Err(ColumnError::InputCount { path, found, inputs: width }.into());
        }
        let by_name =
            described.as_ref().filter(|_| self.description.is_some_and(|description| alike(table, description)));
        let columns = match by_name {
            _ if !named.is_empty() => self.remaining_targets(files, named, &ignored)?,
            Some(columns) => {
                let needed = columns.iter().zip(&used).filter(|(_, used)| **used);
                let inputs =
                    needed.map(|(column, _)| described_column(table, &column.name)).collect::<Result<_, _>>()?;
                self.remaining_targets(files, inputs, &ignored)?
            }
            None => self.by_position(files, width, &ignored)?,
        };
        check_ignored(files, &columns, &ignored)?;
        check_weight(files, &columns)?;
        self.check_targets(files, &columns)?;
        let sources = self.sources(&columns, &used, described);
        Ok((columns, sources))
    }

    /// Checks that the number of target columns is that of the signature; a file may lack targets.
    fn check_targets(&self, files: &Files, columns: &Columns<'_>) -> Result<(), DataError> {
        if columns.targets.is_empty() || columns.targets.len() == self.targets() {
            return Ok(());
        }
        let path = columns.target_table.path().to_owned();
        let named = columns.targets.len();
        let outputs = self.targets();
        if files.targets.is_empty() {
            let problem = format!("has {named} target column(s), but the model {outputs} output(s)");
            return Err(DataError::Format { path, problem: problem.into() });
        }
        Err(DataError::TargetCount { path, named, outputs })
    }

    /// Returns the source of every column of the inputs; `columns` are all of these, or the used ones.
    fn sources(&self, columns: &Columns<'_>, used: &[bool], described: Option<Vec<InputColumn>>) -> Vec<InputSource> {
        let all = columns.inputs.len() == used.len();
        let mut next = columns.inputs.iter();
        let numbers = || (1..=used.len()).map(|number| InputColumn::numeric(automatic_name(number)));
        let described = described.unwrap_or_else(|| numbers().collect());
        let source = |(column, &is_used): (InputColumn, &bool)| {
            let index = if is_used || all { next.next() } else { None };
            match index.filter(|_| is_used) {
                Some(&index) => InputSource::Column(index, column.categories.map_or(Code::Numbers, Code::Categories)),
                None => InputSource::Unused(column),
            }
        };
        described.into_iter().zip(used).map(source).collect()
    }

    /// Returns the columns of given inputs with the targets that the source or the description names.
    fn remaining_targets<'s>(
        &self,
        files: &'s Files,
        inputs: Vec<usize>,
        ignored: &[usize],
    ) -> Result<Columns<'s>, DataError> {
        let given = &files.targets;
        let target_table = files.target_table();
        let described = self.description.map_or(&[][..], |description| &description.targets);
        let ordered = |list: &[String]| -> bool {
            list.len() == described.len() && list.iter().all(|name| described.contains(name))
        };
        let is_read = |column: usize| files.labels.is_some() || !ignored.contains(&column);
        let known = |name: &String| (0..).zip(target_table.names()).any(|(column, own)| own == name && is_read(column));
        let targets = if !given.is_empty() && !ordered(given) {
            find_all(target_table, given)?
        } else if !described.is_empty() && (ordered(given) || described.iter().any(known)) {
            described.iter().map(|name| described_column(target_table, name)).collect::<Result<_, _>>()?
        } else if files.labels.is_some() {
            target_table.columns()
        } else {
            Vec::new()
        };
        files.check_rows()?;
        let [group, time, weight] = [self.group(&files.table), self.time(&files.table), weight(files)?];
        Ok(Columns { inputs, targets, target_table, group, time, weight })
    }

    /// Returns the column of the groups whose samples inputs look back at.
    fn group(&self, table: &Table) -> Option<usize> {
        find(table, self.description?.group.as_ref()?).ok()
    }

    /// Returns the column of time stamps after whose gaps lags begin anew.
    fn time(&self, table: &Table) -> Option<usize> {
        find(table, self.description?.time.as_ref()?).ok()
    }

    /// Returns the columns of a file whose names are of no use.
    fn by_position<'s>(&self, files: &'s Files, width: usize, ignored: &[usize]) -> Result<Columns<'s>, DataError> {
        let table = &files.table;
        let outputs = self.targets();
        let target_table = files.target_table();
        let targets = find_all(target_table, &files.targets)?;
        let beside = files.labels.is_some();
        if !beside && !targets.is_empty() && targets.len() != outputs {
            return Err(DataError::TargetCount { path: table.path().to_owned(), named: targets.len(), outputs });
        }
        // A narrow file without a header has the inputs first, not the groups.
        let group = self.group(table);
        let given = files.settings.group.as_ref();
        let groups = [group, given.and_then(|name| find(table, name).ok())].map(|c| c.filter(|_| table.has_header()));
        let time = self.time(table).filter(|_| table.has_header());
        let weight = weight(files)?;
        let has_other_role = |c: &usize| groups.contains(&Some(*c)) || [time, weight].contains(&Some(*c));
        let is_read = |c: &usize| !ignored.contains(c) && !has_other_role(c);
        let unused = |c: &usize| is_read(c) && (beside || !targets.contains(c));
        // Columns without name and values come from separators at the ends of lines, or hold inputs that the model does
        // not use.
        let filled = table.columns().last().map_or(0, |last| last + 1);
        let [all, filled] =
            [table.names().len(), filled].map(|columns| (0..columns).filter(unused).collect::<Vec<usize>>());
        let suits = |inputs: &[usize]| inputs.len() == width || inputs.len() == width + outputs;
        let mut inputs = if suits(&all) && !suits(&filled) { all } else { filled };
        let columns = inputs.len();
        let targets = if columns == width {
            if beside && targets.is_empty() { target_table.columns() } else { targets }
        } else if !beside && targets.is_empty() && columns == width + outputs && table.may_hold_targets() {
            inputs.split_off(width)
        } else {
            let path = table.path().to_owned();
            let columns = table.columns().iter().filter(|column| is_read(column)).count();
            return Err(ColumnError::WrongWidth { path, columns, inputs: width, outputs }.into());
        };
        files.check_rows()?;
        let input_names = names(table, &inputs);
        if table.has_header() && self.inputs_hash != 0 && inputs_hash(&input_names) != self.inputs_hash {
            let path = table.path().to_owned();
            return Err(ColumnError::OtherInputs { path, columns: input_names.join(", ") }.into());
        }
        Ok(Columns { inputs, targets, target_table, group: groups[0], time, weight })
    }
}

/// Returns whether the outputs depend on each input; on all inputs of a column of categories where on one of them.
fn used(model: &Model<'_>, description: Option<&Description>) -> Vec<bool> {
    let mut used: Vec<bool> = (0..model.inputs()).map(|input| model.uses_input(input)).collect();
    let mut rest = &mut used[..];
    for column in description.map(Description::columns).into_iter().flatten() {
        let Some((own, others)) = rest.split_at_mut_checked(column.inputs().len()) else { break };
        if column.categories.is_some() {
            own.fill(own.contains(&true));
        }
        rest = others;
    }
    used
}

/// Checks that the settings ignore no input or target.
fn check_ignored(files: &Files, columns: &Columns<'_>, ignored: &[usize]) -> Result<(), ColumnError> {
    let table = &files.table;
    let has_other_role = |column: usize| [columns.group, columns.time, columns.weight].contains(&Some(column));
    let is_read = |column: &&usize| !has_other_role(**column) && columns.uses(table, **column);
    let Some(&column) = ignored.iter().find(is_read) else { return Ok(()) };
    let is_input = columns.inputs.contains(&column);
    if is_input && !files.settings.inputs.is_empty() {
        return Err(conflict(table, column, &["inputs", "ignore"]));
    } else if !is_input && !files.targets.is_empty() {
        return Err(conflict(table, column, &["target", "ignore"]));
    }
    let path = table.path().to_owned();
    let name = table.names()[column].clone();
    let problem = message!("is named by ", IGNORE, ", but the model needs it; leave it out of ", IGNORE);
    Err(ColumnError::Role { path, name, problem })
}

/// Returns the column of weights that the settings name.
fn weight(files: &Files) -> Result<Option<usize>, ColumnError> {
    files.settings.weight.as_ref().map(|name| find(&files.table, name)).transpose()
}

/// Checks that the column of weights is neither an input nor a target.
fn check_weight(files: &Files, columns: &Columns<'_>) -> Result<(), ColumnError> {
    let table = &files.table;
    let is_target = |column: &usize| files.labels.is_none() && columns.targets.contains(column);
    let is_read = |column: &usize| columns.inputs.contains(column) || is_target(column);
    let Some(column) = columns.weight.filter(is_read) else { return Ok(()) };
    let path = table.path().to_owned();
    let name = table.names()[column].clone();
    let problem =
        message!("is named by ", WEIGHT, ", but the model reads it as an input or a target; name another one");
    Err(ColumnError::Role { path, name, problem })
}

/// Returns the column that the description of a model names.
fn described_column(table: &Table, name: &str) -> Result<usize, ColumnError> {
    find(table, name).map_err(|error| match error {
        ColumnError::UnknownColumn { path, name, available } => ColumnError::MissingColumn { path, name, available },
        error => error,
    })
}

/// Returns whether the inputs of a file are found by their names, or by their numbers in a file without names.
fn alike(table: &Table, description: &Description) -> bool {
    match description.unnamed_width() {
        // A narrower file has the inputs first, whatever their numbers were in the training file.
        Some(width) => !table.has_header() && table.names().len() >= width,
        None => table.has_header(),
    }
}
