//! Which columns of which file are inputs and which are targets.

use nalgebra::DMatrix;

use crate::data::classes::{Lookup, MOST_CLASSES, TargetKind, classes_among, indicators};
use crate::data::table::NO_NUMBER;
use crate::data::{DataError, Dataset, Table, inputs_hash};

/// The rows of a data set as its files have them.
#[derive(Clone, Debug)]
pub struct Source {
    table: Table,
    labels: Option<Table>,
    targets: Vec<String>,
}

/// What a model takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs.
    pub outputs: usize,
    /// Checksum of the input names, as [`inputs_hash`] computes it.
    pub inputs_hash: u32,
    /// The classes that the outputs are scores of, as in [`Dataset::classes`].
    pub classes: Vec<String>,
}

impl Signature {
    /// Number of target columns in a file.
    fn targets(&self) -> usize {
        if self.classes.is_empty() { self.outputs } else { 1 }
    }
}

/// Inputs alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Readings {
    /// Inputs, n×d.
    pub x: DMatrix<f64>,
    /// Names of the targets that the files hold as well; empty where they hold none.
    pub target_names: Vec<String>,
}

/// The columns of inputs and targets in their files.
struct Columns<'a> {
    inputs: Vec<usize>,
    targets: Vec<usize>,
    /// The file that the targets are in.
    of_targets: &'a Table,
}

impl Table {
    /// The rows of a file that holds inputs and targets: the named columns, or the last one.
    ///
    /// # Errors
    /// As [`Source::dataset`].
    pub fn into_dataset(self, targets: &[String]) -> Result<Dataset, DataError> {
        Source::new(self, None, targets).dataset(TargetKind::Quantities)
    }
}

impl Source {
    /// The rows of `table`, whose targets are the named columns or the last ones, or those of `labels`, a file of targets,
    /// where they are the named columns or all.
    pub fn new(table: Table, labels: Option<Table>, targets: &[String]) -> Source {
        let labels = labels.map(|labels| labels.with_rows(table.rows()));
        Source { table, labels, targets: targets.to_vec() }
    }

    /// Whether the file of the inputs says that they share a unit.
    pub fn shares_unit(&self) -> bool {
        self.table.shares_unit()
    }

    /// Inputs and targets, in the order of the file.
    ///
    /// # Errors
    /// [`DataError`] where a name is unknown, no input or no target is left, or a value is no number; where the targets are
    /// classes, also where these are in several columns, all the same, or too many.
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

    /// Inputs and targets of a model; the dataset has no targets where the files have none.
    ///
    /// # Errors
    /// As [`Source::dataset`], and where the columns are not those of the model.
    pub fn for_model(&self, signature: &Signature) -> Result<Dataset, DataError> {
        let columns = self.columns_for(signature)?;
        if signature.classes.is_empty() || columns.targets.is_empty() {
            self.quantities(&columns)
        } else {
            self.classes(&columns, Some(&signature.classes))
        }
    }

    /// Inputs of a model. Targets may be there and are not looked at.
    ///
    /// # Errors
    /// As [`Source::for_model`].
    pub fn readings(&self, signature: &Signature) -> Result<Readings, DataError> {
        let columns = self.columns_for(signature)?;
        Ok(Readings { x: self.table.numbers(&columns.inputs)?, target_names: columns.target_names() })
    }

    fn quantities(&self, columns: &Columns<'_>) -> Result<Dataset, DataError> {
        let x = self.table.numbers(&columns.inputs)?;
        let y = columns.of_targets.numbers(&columns.targets).map_err(|error| match error {
            DataError::Value { path, place, text, problem } if problem == NO_NUMBER => {
                let problem = "is not a number; give set `task` to classification if the targets are classes";
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

    /// The one target column holds labels of the `known` classes, or of any where none are known.
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

    /// All columns of the file are inputs, and all of another file, or the named ones, targets.
    fn beside<'a>(&self, labels: &'a Table) -> Result<Columns<'a>, DataError> {
        if labels.rows() != self.table.rows() {
            let (path, rows) = (self.table.path().to_owned(), self.table.rows());
            return Err(DataError::RowCount { path, rows, labels: labels.path().to_owned(), found: labels.rows() });
        }
        let all = || (0..labels.names().len()).collect();
        let targets = if self.targets.is_empty() { all() } else { find_all(labels, &self.targets)? };
        Ok(Columns { inputs: (0..self.table.names().len()).collect(), targets, of_targets: labels })
    }

    /// The named columns are targets, or the last one, and all others inputs.
    fn named(&self) -> Result<Columns<'_>, DataError> {
        let columns = self.table.names().len();
        let targets = if self.targets.is_empty() { vec![columns - 1] } else { find_all(&self.table, &self.targets)? };
        let inputs: Vec<usize> = (0..columns).filter(|c| !targets.contains(c)).collect();
        if inputs.is_empty() {
            return Err(DataError::NoInputs { path: self.table.path().to_owned(), columns });
        }
        Ok(Columns { inputs, targets, of_targets: &self.table })
    }

    /// The columns that a model takes, and the targets if they are there.
    ///
    /// The file holds the inputs alone, or the inputs and the targets; these are the named columns, or the last ones. The
    /// checksum tells other or reordered inputs in a file with a header.
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

impl Columns<'_> {
    /// The names of the targets; in a file of targets without a header they are called that.
    fn target_names(&self) -> Vec<String> {
        let table = self.of_targets;
        match self.targets.len() {
            _ if table.has_header() || self.targets.len() < table.names().len() => names(table, &self.targets),
            1 => vec!["target".to_owned()],
            count => (1..=count).map(|target| format!("target {target}")).collect(),
        }
    }
}

fn names(table: &Table, columns: &[usize]) -> Vec<String> {
    columns.iter().map(|&column| table.names()[column].clone()).collect()
}

/// The first few classes.
fn shortened(classes: &[String]) -> String {
    const SHOWN: usize = 10;
    let more = if classes.len() > SHOWN { ", ..." } else { "" };
    classes[..classes.len().min(SHOWN)].join(", ") + more
}

/// The columns of those names, in the order of the file.
fn find_all(table: &Table, names: &[String]) -> Result<Vec<usize>, DataError> {
    let mut columns: Vec<usize> = names.iter().map(|name| find(table, name)).collect::<Result<_, _>>()?;
    columns.sort_unstable();
    columns.dedup();
    Ok(columns)
}

/// The column of that name.
fn find(table: &Table, name: &str) -> Result<usize, DataError> {
    let mut found = (0..table.names().len()).filter(|&c| table.names()[c] == name);
    let (path, asked) = (|| table.path().to_owned(), || name.to_owned());
    match (found.next(), found.next()) {
        (Some(index), None) => Ok(index),
        (Some(first), Some(second)) => {
            Err(DataError::AmbiguousTarget { path: path(), name: asked(), first: first + 1, second: second + 1 })
        }
        (None, _) => Err(DataError::UnknownTarget { path: path(), name: asked(), available: table.names().join(", ") }),
    }
}
