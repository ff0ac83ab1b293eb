//! The inputs and targets among the columns of data files.

use std::path::Path;

use nalgebra::DMatrix;
use srfm_runtime::Model;

use crate::data::classes::{Lookup, MOST_CLASSES, TargetKind, classes_among, indicators};
use crate::data::columns::{Columns, find_all, names};
use crate::data::value::NOT_A_NUMBER;
use crate::data::{DataError, Dataset, Table, inputs_hash};

/// A data file, or a file of inputs and a file of targets.
#[derive(Clone, Debug)]
pub struct Source {
    table: Table,
    labels: Option<Table>,
    targets: Vec<String>,
}

/// The inputs and outputs that the columns of a source must match.
struct Signature {
    inputs: usize,
    outputs: usize,
    inputs_hash: u32,
    classes: Vec<String>,
}

impl Signature {
    fn of_model(model: &Model<'_>) -> Signature {
        Signature {
            inputs: model.inputs(),
            outputs: model.outputs(),
            inputs_hash: model.header().inputs_hash,
            classes: model.classes().map(str::to_owned).collect(),
        }
    }

    fn of_dataset(data: &Dataset) -> Signature {
        Signature {
            inputs: data.inputs(),
            outputs: data.outputs(),
            inputs_hash: inputs_hash(&data.input_names),
            classes: data.classes.clone(),
        }
    }

    /// Returns the number of target columns in a file.
    fn targets(&self) -> usize {
        if self.classes.is_empty() { self.outputs } else { 1 }
    }
}

impl Dataset {
    /// Reads a data file whose last column is the target. [`Table::read`] lists the formats.
    ///
    /// # Errors
    /// As [`Table::read`] and [`Source::dataset`].
    pub fn read(path: impl AsRef<Path>) -> Result<Dataset, DataError> {
        Table::read(path)?.into_dataset(&[])
    }
}

impl Table {
    /// Returns the inputs and targets of a file; the targets are the named columns, or the last one if no name is
    /// given.
    ///
    /// # Errors
    /// As [`Source::dataset`].
    pub fn into_dataset(self, targets: &[String]) -> Result<Dataset, DataError> {
        Source::new(self, None, targets).dataset(TargetKind::Quantities)
    }
}

impl Source {
    /// Creates a source from a table and, optionally, a second table with the targets.
    ///
    /// The targets are the named columns. If no name is given, they are the last column of `table`, or all columns of
    /// `labels`.
    pub fn new(table: Table, labels: Option<Table>, targets: &[String]) -> Source {
        let labels = labels.map(|labels| labels.with_rows(table.rows()));
        Source { table, labels, targets: targets.to_vec() }
    }

    /// Returns whether all inputs probably share a unit, as pixels of images do.
    pub fn shares_unit(&self) -> bool {
        self.table.shares_unit()
    }

    /// Returns the inputs and targets, in the order of the file.
    ///
    /// # Errors
    /// [`DataError`] if a name is unknown, no input or no target is left, or a value is not a number; for classes also
    /// if several columns hold them, all rows have the same class, or there are too many classes.
    pub fn dataset(&self, kind: TargetKind) -> Result<Dataset, DataError> {
        let columns = match &self.labels {
            Some(labels) => self.beside(labels)?,
            None if !self.table.may_hold_targets() => {
                return Err(DataError::NoTargets { path: self.table.path().to_owned() });
            }
            None => self.named()?,
        };
        match kind {
            TargetKind::Quantities => self.quantities(&columns),
            TargetKind::Classes => self.classes(&columns, None),
        }
    }

    /// Returns the inputs and targets of a model. A file without targets gives a dataset without targets.
    ///
    /// # Errors
    /// As [`Source::dataset`], and if the columns are not those of the model.
    pub fn for_model(&self, model: &Model<'_>) -> Result<Dataset, DataError> {
        self.matching(&Signature::of_model(model))
    }

    /// Returns rows with the inputs, targets and classes of `other`. A file without targets gives a dataset without
    /// targets.
    ///
    /// # Errors
    /// As [`Source::dataset`], and if the columns are not those of `other`.
    pub fn like(&self, other: &Dataset) -> Result<Dataset, DataError> {
        self.matching(&Signature::of_dataset(other))
    }

    /// Returns the inputs of a model, n×d. Values of targets are not read.
    ///
    /// # Errors
    /// As [`Source::for_model`].
    pub fn inputs(&self, model: &Model<'_>) -> Result<DMatrix<f64>, DataError> {
        self.table.numbers(&self.columns_for(&Signature::of_model(model))?.inputs)
    }

    /// Returns the names of the targets of a model; empty if the files hold no targets.
    ///
    /// # Errors
    /// [`DataError`] if the columns are not those of the model.
    pub fn target_names(&self, model: &Model<'_>) -> Result<Vec<String>, DataError> {
        Ok(self.columns_for(&Signature::of_model(model))?.target_names())
    }

    fn matching(&self, signature: &Signature) -> Result<Dataset, DataError> {
        let columns = self.columns_for(signature)?;
        if signature.classes.is_empty() || columns.targets.is_empty() {
            self.quantities(&columns)
        } else {
            self.classes(&columns, Some(&signature.classes))
        }
    }

    fn quantities(&self, columns: &Columns<'_>) -> Result<Dataset, DataError> {
        let x = self.table.numbers(&columns.inputs)?;
        let y = columns.of_targets.numbers(&columns.targets).map_err(|error| match error {
            DataError::Value { path, place, text, problem } if problem == NOT_A_NUMBER => {
                let problem = "is not a number; set `task` to classification if the targets are classes";
                DataError::Value { path, place, text, problem }
            }
            error => error,
        })?;
        Ok(Dataset {
            x,
            y,
            input_names: names(&self.table, &columns.inputs),
            output_names: columns.target_names(),
            classes: Vec::new(),
        })
    }

    /// Returns the rows with one column of labels, which name the `known` classes, or any classes without `known` ones.
    fn classes(&self, columns: &Columns<'_>, known: Option<&[String]>) -> Result<Dataset, DataError> {
        let (table, path) = (columns.of_targets, || columns.of_targets.path().to_owned());
        let &[column] = columns.targets.as_slice() else {
            return Err(DataError::SeveralTargets { path: path(), named: columns.targets.len() });
        };
        let labels = table.labels(column)?;
        let among = || classes_among(labels.iter().map(|(_, label)| label.as_str()));
        let classes = known.map_or_else(among, <[String]>::to_vec);
        if classes.len() > MOST_CLASSES {
            return Err(DataError::ManyClasses { path: path(), classes: classes.len(), limit: MOST_CLASSES });
        }
        if let [name] = classes.as_slice() {
            return Err(DataError::OneClass { path: path(), name: name.clone() });
        }
        let lookup = Lookup::new(&classes);
        let member = |(line, label): &(u64, String)| {
            lookup.class(label).ok_or_else(|| DataError::UnknownClass {
                path: path(),
                place: table.place(*line, column),
                label: label.clone(),
                classes: shortened(&classes),
            })
        };
        let members: Vec<usize> = labels.iter().map(member).collect::<Result<_, _>>()?;
        let target = columns.target_names().remove(0);
        let output_names = match classes.len() {
            2 => vec![target],
            _ => classes.iter().map(|class| format!("{target} = {class}")).collect(),
        };
        Ok(Dataset {
            x: self.table.numbers(&columns.inputs)?,
            y: indicators(&members, classes.len()),
            input_names: names(&self.table, &columns.inputs),
            output_names,
            classes,
        })
    }

    /// Returns the columns of a source with two files: all columns of the first are inputs.
    fn beside<'a>(&self, labels: &'a Table) -> Result<Columns<'a>, DataError> {
        if labels.rows() != self.table.rows() {
            let (path, rows) = (self.table.path().to_owned(), self.table.rows());
            return Err(DataError::RowCount { path, rows, labels: labels.path().to_owned(), found: labels.rows() });
        }
        let all = || (0..labels.names().len()).collect();
        let targets = if self.targets.is_empty() { all() } else { find_all(labels, &self.targets)? };
        Ok(Columns { inputs: (0..self.table.names().len()).collect(), targets, of_targets: labels })
    }

    /// Returns the columns of a source with one file: the named columns or the last one are targets, the others inputs.
    fn named(&self) -> Result<Columns<'_>, DataError> {
        let columns = self.table.names().len();
        let targets = if self.targets.is_empty() { vec![columns - 1] } else { find_all(&self.table, &self.targets)? };
        let inputs: Vec<usize> = (0..columns).filter(|c| !targets.contains(c)).collect();
        if inputs.is_empty() {
            return Err(DataError::NoInputs { path: self.table.path().to_owned(), columns });
        }
        Ok(Columns { inputs, targets, of_targets: &self.table })
    }

    /// Returns the columns that match a signature.
    ///
    /// The file holds the inputs alone, or the inputs and the targets, which are the named columns or the last ones. In
    /// a file with a header, the checksum of the names detects other or reordered inputs.
    fn columns_for(&self, signature: &Signature) -> Result<Columns<'_>, DataError> {
        let (table, inputs, outputs) = (&self.table, signature.inputs, signature.targets());
        let (path, columns) = (|| table.path().to_owned(), table.names().len());
        let found = match &self.labels {
            Some(labels) if columns == inputs => self.beside(labels)?,
            None if columns == inputs && self.targets.is_empty() => {
                Columns { inputs: (0..inputs).collect(), targets: Vec::new(), of_targets: table }
            }
            None if columns == inputs + outputs && table.may_hold_targets() && self.targets.is_empty() => {
                Columns { inputs: (0..inputs).collect(), targets: (inputs..columns).collect(), of_targets: table }
            }
            None if columns == inputs + outputs && table.may_hold_targets() => self.named()?,
            _ => return Err(DataError::WrongWidth { path: path(), columns, inputs, outputs }),
        };
        if !found.targets.is_empty() && found.targets.len() != outputs {
            return Err(DataError::TargetCount {
                path: found.of_targets.path().to_owned(),
                named: found.targets.len(),
                outputs,
            });
        }
        let input_names = names(table, &found.inputs);
        if table.has_header() && signature.inputs_hash != 0 && inputs_hash(&input_names) != signature.inputs_hash {
            return Err(DataError::OtherInputs { path: path(), columns: input_names.join(", ") });
        }
        Ok(found)
    }
}

/// Returns the first few classes as a list.
fn shortened(classes: &[String]) -> String {
    const SHOWN: usize = 10;
    let more = if classes.len() > SHOWN { ", ..." } else { "" };
    classes[..classes.len().min(SHOWN)].join(", ") + more
}
