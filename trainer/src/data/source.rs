//! The inputs and targets among the columns of data files.

use std::path::Path;

use srfm_runtime::Model;

use crate::data::classes::TargetKind;
use crate::data::column_error::ColumnError;
use crate::data::columns::{Columns, Files, find_all, names, shortened};
use crate::data::inputs::{Code, InputSource, Inputs};
use crate::data::look_back::{check_windows, look_back};
use crate::data::matching::Signature;
use crate::data::preparation::Missing;
use crate::data::targets::Targets;
use crate::data::value::Fields;
use crate::data::{DataError, Dataset, Description, NOVELTY, Preparation, Prepared, Table};

/// A data file, or a file of inputs and a file of targets, and how their columns are used.
///
/// ```no_run
/// use srfm_trainer::data::{Source, Table, TargetKind};
///
/// # fn main() -> Result<(), srfm_trainer::data::DataError> {
/// let columns = |names: [&str; 2]| names.map(String::from);
/// let two_targets = Source::new(Table::read("room.csv")?, None, &columns(["celsius", "humidity"]));
/// let data = two_targets.dataset(TargetKind::Quantities)?;
/// let labels = Source::new(Table::read("modes.csv")?, None, &["mode".into()]).dataset(TargetKind::Classes)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Source {
    files: Files,
    description: Option<Description>,
}

impl Dataset {
    /// Reads a data file whose last column is the target, a quantity; [`Source`] reads classes and several targets.
    /// [`Table::read`] lists the formats.
    ///
    /// # Errors
    /// As [`Table::read`] and [`Source::dataset`].
    pub fn read(path: impl AsRef<Path>) -> Result<Dataset, DataError> {
        Source::new(Table::read(path)?, None, &[]).dataset(TargetKind::Quantities)
    }
}

impl Source {
    /// Creates a source from a table and, optionally, a second table with the targets.
    ///
    /// The targets are the named columns. If no name is given, they are the last column of `table`, or all columns of
    /// `labels`.
    pub fn new(table: Table, labels: Option<Table>, targets: &[String]) -> Source {
        let labels = labels.map(|labels| labels.with_rows(table.rows()));
        let files = Files { table, labels, targets: targets.to_vec(), settings: Preparation::default() };
        Source { files, description: None }
    }

    /// Sets how columns become inputs.
    pub fn with_preparation(mut self, preparation: Preparation) -> Source {
        self.files.settings = preparation;
        self
    }

    /// Sets the description of the model whose inputs are wanted: columns are found by their names in any order, and
    /// categories are coded as in the training file.
    pub fn with_description(self, description: Option<Description>) -> Source {
        Source { description, ..self }
    }

    /// Sets the column of what rows count.
    pub fn with_weight(mut self, column: Option<&str>) -> Source {
        self.files.settings.weight = column.map(str::to_owned);
        self
    }

    /// Returns whether all inputs probably share a unit, as pixels of images do.
    pub fn shares_unit(&self) -> bool {
        self.files.table.shares_unit()
    }

    /// Returns the inputs and targets, in the order of the file. Missing values of inputs are replaced by the means of
    /// all rows, if the settings say so.
    ///
    /// # Errors
    /// As [`Source::prepare`].
    pub fn dataset(&self, kind: TargetKind) -> Result<Dataset, DataError> {
        let Prepared { mut data, mut description, .. } = self.prepare(kind)?;
        description.replace_missing(&mut data, None);
        Ok(data)
    }

    /// Returns the inputs and targets, in the order of the file, with NaN for missing values of inputs.
    ///
    /// # Errors
    /// [`DataError`] if a name is unknown, no input or no target is left, or a value is not a number; for classes also
    /// if several columns hold them, all rows have the same class, or there are too many classes.
    pub fn prepare(&self, kind: TargetKind) -> Result<Prepared, DataError> {
        let has_targets = kind != TargetKind::Novelty;
        if has_targets && self.files.labels.is_none() && !self.files.table.may_hold_targets() {
            return Err(DataError::NoTargets { path: self.files.table.path().to_owned() });
        }
        self.files.check_rows()?;
        let settings = &self.files.settings;
        check_windows(settings)?;
        let columns = if has_targets { Columns::named(&self.files)? } else { Columns::of_inputs(&self.files)? };
        let categorical = find_all(&self.files.table, &settings.categorical)?;
        let rules = Fields::new(settings);
        let code = |column| if categorical.contains(&column) { Code::NewCategories } else { Code::Numbers };
        let sources = columns.inputs.iter().map(|&column| InputSource::Column(column, code(column))).collect();
        let mut inputs = Inputs::read(&self.files.table, sources, settings).or_else(|error| {
            let numeric = columns.inputs.iter().copied().filter(|column| !categorical.contains(column));
            let of_text = match error {
                DataError::Value { .. } => self.files.table.not_numbers(&numeric.collect::<Vec<_>>(), &rules)?,
                _ => None,
            };
            Err(of_text.map_or(error, DataError::from))
        })?;
        inputs.check_values(self.files.table.path())?;
        look_back(&mut inputs, &columns, &self.files.table, settings)?;
        let targets = match kind {
            TargetKind::Quantities | TargetKind::Novelty => Targets::quantities(&columns, settings)?,
            TargetKind::Classes => Targets::classes(&columns, None, settings)?,
        };
        let drops = settings.missing == Missing::Drop && inputs.history.is_empty();
        let costliest = drops.then(|| inputs.costliest(&targets)).flatten();
        let mut prepared = Prepared::join(&self.files.table, &columns, inputs, targets, settings)?;
        prepared.counts.costliest = costliest;
        if kind == TargetKind::Novelty {
            prepared.data = prepared.data.normal();
            prepared.description.targets = vec![NOVELTY.to_owned()];
            prepared.description.novelty = true;
        }
        Ok(prepared)
    }

    /// Returns the inputs and targets of a model. A file of inputs alone gives a data set without targets. Columns that
    /// the model does not use are not read: zeros stand for their values.
    ///
    /// # Errors
    /// As [`Source::prepare`], and if the columns are not those of the model.
    pub fn for_model(&self, model: &Model<'_>) -> Result<Prepared, DataError> {
        self.matching(&Signature::from_model(model, self.description.as_ref()))
    }

    /// Returns rows with the inputs, targets and classes of `other`. A file of inputs alone gives a data set without
    /// targets.
    ///
    /// # Errors
    /// As [`Source::prepare`], and if the columns are not those of `other`.
    pub fn like(&self, other: &Dataset) -> Result<Prepared, DataError> {
        self.matching(&Signature::from_dataset(other, self.description.as_ref()))
    }

    /// Returns the inputs of a model for all rows, without targets. If rows with missing values are dropped, they stay
    /// in place, with NaN.
    ///
    /// # Errors
    /// As [`Source::for_model`]. Values of targets are not read.
    pub fn inputs(&self, model: &Model<'_>) -> Result<Prepared, DataError> {
        let signature = Signature::from_model(model, self.description.as_ref());
        let (columns, inputs) = signature.read(&self.files)?;
        let mut prepared = Prepared::all_rows(&self.files.table, &columns, inputs, &self.files.settings)?;
        prepared.describe(self.description.as_ref(), self.files.table.path())?;
        Ok(prepared)
    }

    /// As [`Source::like`], with NaN for missing values of inputs.
    ///
    /// # Errors
    /// As [`Source::like`].
    pub(crate) fn with_gaps(&self, other: &Dataset) -> Result<Prepared, DataError> {
        self.joined(&Signature::from_dataset(other, self.description.as_ref()))
    }

    fn matching(&self, signature: &Signature<'_>) -> Result<Prepared, DataError> {
        let mut prepared = self.joined(signature)?;
        if let Some(description) = self.description.as_ref().filter(|_| prepared.data.outputs() == 0) {
            self.check_left_over(description, &prepared.description)?;
        }
        prepared.describe(self.description.as_ref(), self.files.table.path())?;
        Ok(prepared)
    }

    /// Checks that a file without the targets of a model has no other column that may be the target. `found` describes
    /// the file.
    ///
    /// # Errors
    /// [`ColumnError::OtherTarget`].
    fn check_left_over(&self, model: &Description, found: &Description) -> Result<(), ColumnError> {
        let table = &self.files.table;
        let ignored = names(table, &find_all(table, &self.files.settings.ignore)?);
        let is_input = |name: &String| model.inputs.iter().any(|input| input.column == *name);
        let is_known = |name: &String| ignored.contains(name) || model.ignored.contains(name) || is_input(name);
        let others: Vec<String> = found.ignored.iter().filter(|name| !is_known(name)).cloned().collect();
        match model.targets.first() {
            Some(name) if !others.is_empty() => {
                let path = table.path().to_owned();
                let name = name.clone();
                let others = shortened(&others);
                Err(ColumnError::OtherTarget { path, name, others })
            }
            _ => Ok(()),
        }
    }

    fn joined(&self, signature: &Signature<'_>) -> Result<Prepared, DataError> {
        let (columns, inputs) = signature.read(&self.files)?;
        let settings = &self.files.settings;
        let targets = if signature.classes.is_empty() || columns.targets.is_empty() {
            Targets::quantities(&columns, settings)?
        } else {
            Targets::classes(&columns, Some(&signature.classes), settings)?
        };
        Prepared::join(&self.files.table, &columns, inputs, targets, settings)
    }
}
