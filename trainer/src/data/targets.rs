//! The targets of a file: numbers, or labels of classes.

use nalgebra::DMatrix;

use crate::data::classes::{Lookup, MOST_CLASSES, classes_among, indicators};
use crate::data::columns::{Columns, shortened};
use crate::data::preparation::Preparation;
use crate::data::table::Label;
use crate::data::value::{Fields, ValueProblem};
use crate::data::{DataError, Dataset, History};
use crate::message::message;
use crate::message::setting::TARGET;

/// The targets of all rows of a file.
pub enum Targets<'a> {
    /// Numbers, n×k; NaN where a target is missing.
    Quantities(DMatrix<f64>),
    /// The label of each row, and the classes of the model, if they are known.
    Classes(Vec<Label>, Option<&'a [String]>),
}

impl<'a> Targets<'a> {
    /// Reads columns of numbers.
    pub fn quantities(columns: &Columns<'_>, settings: &Preparation) -> Result<Targets<'a>, DataError> {
        if columns.targets.is_empty() {
            return Ok(Targets::Quantities(DMatrix::zeros(columns.target_table.rows(), 0)));
        }
        let y =
            columns.target_table.numbers(&columns.targets, &Fields::new(settings)).map_err(|error| match error {
                DataError::Value { path, place, text, problem } => {
                    let problem = match problem {
                        ValueProblem::Text => ValueProblem::TextTarget,
                        ValueProblem::Missing => ValueProblem::MissingTarget,
                        other => other,
                    };
                    DataError::Value { path, place, text, problem }
                }
                error => error,
            })?;
        Ok(Targets::Quantities(y))
    }

    /// Reads one column of labels, which name the `known` classes, or any classes without `known` ones.
    pub fn classes(
        columns: &Columns<'_>,
        known: Option<&'a [String]>,
        settings: &Preparation,
    ) -> Result<Targets<'a>, DataError> {
        let table = columns.target_table;
        let &[column] = columns.targets.as_slice() else {
            let path = table.path().to_owned();
            let named = columns.targets.len();
            if named == table.columns().len() {
                let problem = message!("{named} target columns, but classes are in one; name that column as ", TARGET);
                return Err(DataError::Format { path, problem });
            }
            return Err(DataError::SeveralTargets { path, named });
        };
        Ok(Targets::Classes(table.labels(column, &Fields::new(settings))?, known))
    }

    /// Returns the labels of classes; none of quantities.
    pub fn labels(&self) -> Option<Vec<Option<&str>>> {
        match self {
            Targets::Quantities(_) => None,
            Targets::Classes(labels, _) => Some(labels.iter().map(|(_, label)| label.as_deref()).collect()),
        }
    }

    /// Sets the flag of every row without a target to false.
    pub fn mark_missing(&self, complete: &mut [bool]) {
        match self {
            Targets::Quantities(y) => {
                for column in y.column_iter() {
                    complete.iter_mut().zip(&column).for_each(|(complete, value)| *complete &= !value.is_nan());
                }
            }
            Targets::Classes(labels, _) => {
                complete.iter_mut().zip(labels).for_each(|(complete, (_, label))| *complete &= label.is_some());
            }
        }
    }

    /// Returns the given rows.
    pub fn select(self, rows: &[usize]) -> Targets<'a> {
        match self {
            Targets::Quantities(y) => Targets::Quantities(y.select_rows(rows)),
            Targets::Classes(labels, known) => {
                Targets::Classes(rows.iter().map(|&row| labels[row].clone()).collect(), known)
            }
        }
    }

    /// Joins inputs (n×d) and targets.
    ///
    /// # Errors
    /// [`DataError`] if the labels name no classes that a model can have, or unknown ones.
    pub fn into_dataset(
        self,
        x: DMatrix<f64>,
        input_names: Vec<String>,
        columns: &Columns<'_>,
    ) -> Result<Dataset, DataError> {
        let names = columns.target_names();
        let (y, output_names, classes) = match self {
            Targets::Quantities(y) => (y, names, Vec::new()),
            Targets::Classes(labels, known) => {
                let (members, classes) = members(columns, &labels, known)?;
                let of_class = |class| format!("{} = {class}", names[0]);
                let output_names = if classes.len() == 2 { names } else { classes.iter().map(of_class).collect() };
                (indicators(&members, classes.len()), output_names, classes)
            }
        };
        let weights = Vec::new();
        let groups = Vec::new();
        let history = History::default();
        Ok(Dataset { x, y, input_names, output_names, classes, weights, groups, history })
    }
}

/// The least number of classes that is refused where most classes have a single row.
const MANY: usize = 10;

/// Returns the class of each row, and the classes.
fn members(
    columns: &Columns<'_>,
    labels: &[Label],
    known: Option<&[String]>,
) -> Result<(Vec<usize>, Vec<String>), DataError> {
    let table = columns.target_table;
    let column = columns.targets[0];
    let path = || table.path().to_owned();
    let label = |label: &'_ Label| label.1.clone().unwrap_or_default();
    let among = || classes_among(labels.iter().filter_map(|(_, label)| label.as_deref()));
    let classes = known.map_or_else(among, <[String]>::to_vec);
    if classes.len() > MOST_CLASSES {
        return Err(DataError::ManyClasses { path: path(), classes: classes.len(), limit: MOST_CLASSES });
    }
    if known.is_none() && classes.len() >= MANY && 2 * classes.len() > labels.len() {
        return Err(DataError::FewRowsPerClass { path: path(), classes: classes.len(), rows: labels.len() });
    }
    if let [name] = classes.as_slice() {
        return Err(DataError::OneClass { path: path(), name: name.clone() });
    }
    let lookup = Lookup::new(&classes);
    let member = |row: &Label| {
        lookup.class(row.1.as_deref().unwrap_or_default()).ok_or_else(|| DataError::UnknownClass {
            path: path(),
            place: table.place(row.0, column),
            label: label(row),
            classes: shortened(&classes),
        })
    };
    let members = labels.iter().map(member).collect::<Result<_, _>>()?;
    Ok((members, classes))
}
