//! Rows of inputs and targets.

use nalgebra::{DMatrix, Dim, Dyn, Matrix, RawStorage};
use serde::{Deserialize, Serialize};

use crate::data::classes::{self, Lookup, MOST_CLASSES, classes_among, indicators};
use crate::data::weights::{self, WeightProblem};
use crate::data::{ClassWeights, DatasetError, History, NORMAL, NOVEL, NOVELTY};

/// Inputs and targets, one row per sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// The inputs, n×d.
    pub x: DMatrix<f64>,
    /// The targets, n×k.
    pub y: DMatrix<f64>,
    /// The names of the d inputs.
    pub input_names: Vec<String>,
    /// The names of the k targets.
    pub output_names: Vec<String>,
    /// The names of the classes; empty if the targets are quantities.
    ///
    /// Two classes share one target column, which is 1 in rows of the second class. Three or more classes have a target
    /// column each, which is 1 in rows of the class.
    pub classes: Vec<String>,
    /// What each row counts, as multiples of each other, all above zero; empty where all rows count alike.
    pub weights: Vec<f64>,
    /// The group of each row, such as a device or a batch, whose rows are never divided between training and test
    /// rows; empty if there are no groups. The methods `gfc` and `a-la-carte` have folds of their own, within a fit,
    /// that divide rows alone.
    pub groups: Vec<usize>,
    /// The samples that the inputs come from; empty if the inputs of a row are the readings of one sample.
    pub history: History,
}

impl Dataset {
    /// Creates a data set of quantities from inputs (n×d) and targets: a matrix (n×k), or a vector where there is one
    /// target.
    ///
    /// The inputs are named `x1`, `x2` and so on, the target `y`, several targets `y1`, `y2` and so on.
    ///
    /// ```
    /// use srfm_trainer::Dataset;
    /// use srfm_trainer::nalgebra::{DMatrix, DVector};
    ///
    /// # fn main() -> Result<(), srfm_trainer::data::DatasetError> {
    /// let x = DMatrix::from_row_slice(3, 2, &[1.0, 20.0, 2.0, 10.0, 3.0, 15.0]);
    /// let data = Dataset::new(x.clone(), DVector::from_vec(vec![0.1, 0.2, 0.3]))?;
    /// assert_eq!(data.input_names, ["x1", "x2"]);
    /// let data = data.with_names(["pressure", "temperature"], ["flow"])?.with_groups([0, 0, 1])?;
    /// assert_eq!(data.output_names, ["flow"]);
    /// assert!(Dataset::new(x, DVector::from_vec(vec![0.1, 0.2])).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`DatasetError`]: no column, different numbers of rows, a value that is not finite.
    pub fn new<C: Dim, S: RawStorage<f64, Dyn, C>>(
        x: DMatrix<f64>,
        y: Matrix<f64, Dyn, C, S>,
    ) -> Result<Dataset, DatasetError> {
        let y = DMatrix::from_iterator(y.nrows(), y.ncols(), y.iter().copied());
        let output_names = if y.ncols() == 1 { vec!["y".to_owned()] } else { numbered("y", y.ncols()) };
        Dataset::checked(x, y, output_names, Vec::new())
    }

    /// Creates a data set of classes from inputs (n×d) and the label of every row. The inputs are named as by
    /// [`Dataset::new`], the target `class`.
    ///
    /// ```
    /// use srfm_trainer::Dataset;
    /// use srfm_trainer::nalgebra::DMatrix;
    ///
    /// # fn main() -> Result<(), srfm_trainer::data::DatasetError> {
    /// let data = Dataset::from_labels(DMatrix::from_row_slice(3, 1, &[1.0, 8.0, 9.0]), &["calm", "gale", "gale"])?;
    /// assert_eq!(data.classes, ["calm", "gale"]);
    /// assert_eq!(data.labels(), ["calm", "gale", "gale"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Dataset::new`], and [`DatasetError::Classes`] unless there are from 2 to 1000 different labels.
    pub fn from_labels<L: AsRef<str>>(x: DMatrix<f64>, labels: &[L]) -> Result<Dataset, DatasetError> {
        let classes = classes_among(labels.iter().map(AsRef::as_ref));
        if !(2..=MOST_CLASSES).contains(&classes.len()) {
            return Err(DatasetError::Classes { found: classes.len() });
        }
        let lookup = Lookup::new(&classes);
        let members: Vec<usize> = labels.iter().filter_map(|label| lookup.class(label.as_ref())).collect();
        let y = indicators(&members, classes.len());
        let output_names = match classes.len() {
            2 => vec!["class".to_owned()],
            _ => classes.iter().map(|class| format!("class = {class}")).collect(),
        };
        Dataset::checked(x, y, output_names, classes)
    }

    /// Returns the same inputs, all of the class [`NORMAL`] of the two that models of novelty tell apart.
    #[must_use]
    pub fn normal(self) -> Dataset {
        let y = DMatrix::zeros(self.rows(), 1);
        let output_names = vec![NOVELTY.to_owned()];
        let classes = [NORMAL, NOVEL].map(str::to_owned).to_vec();
        Dataset { y, output_names, classes, ..self }
    }

    /// Sets the names of the inputs and of the targets.
    ///
    /// # Errors
    /// [`DatasetError::Names`] unless there is a name for every column.
    pub fn with_names<I, O>(self, inputs: I, outputs: O) -> Result<Dataset, DatasetError>
    where
        I: IntoIterator<Item: Into<String>>,
        O: IntoIterator<Item: Into<String>>,
    {
        let input_names: Vec<String> = inputs.into_iter().map(Into::into).collect();
        let output_names: Vec<String> = outputs.into_iter().map(Into::into).collect();
        for (of, names, columns) in
            [("inputs", &input_names, self.inputs()), ("targets", &output_names, self.outputs())]
        {
            if names.len() != columns {
                return Err(DatasetError::Names { of, names: names.len(), columns });
            }
        }
        Ok(Dataset { input_names, output_names, ..self })
    }

    /// Sets the group of every row, such as a device or a batch, whose rows are never divided between training and test
    /// rows.
    ///
    /// # Errors
    /// [`DatasetError::Groups`] unless there is a group for every row.
    pub fn with_groups(self, groups: impl IntoIterator<Item = usize>) -> Result<Dataset, DatasetError> {
        let groups: Vec<usize> = groups.into_iter().collect();
        if groups.len() != self.rows() {
            return Err(DatasetError::Groups { groups: groups.len(), rows: self.rows() });
        }
        Ok(Dataset { groups, ..self })
    }

    /// Sets what every row counts, as multiples of each other: a row of weight 2 counts as two rows. Rows of weight 0
    /// are left out.
    ///
    /// ```
    /// # use srfm_trainer::Dataset;
    /// # use srfm_trainer::nalgebra::{DMatrix, DVector};
    /// # fn main() -> Result<(), srfm_trainer::data::DatasetError> {
    /// let x = DMatrix::from_row_slice(3, 1, &[1.0, 2.0, 3.0]);
    /// let data = Dataset::new(x, DVector::from_vec(vec![0.1, 0.2, 0.3]))?.with_weights([1.0, 0.0, 2.0])?;
    /// assert_eq!((data.rows(), data.weights), (2, vec![1.0, 2.0]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`DatasetError::Weights`] unless there is a weight for every row, [`DatasetError::RowWeight`] for one that is
    /// negative or not finite, [`DatasetError::NoWeight`] where all are zero.
    pub fn with_weights(self, weights: impl IntoIterator<Item = f64>) -> Result<Dataset, DatasetError> {
        let weights: Vec<f64> = weights.into_iter().collect();
        if weights.len() != self.rows() {
            return Err(DatasetError::Weights { weights: weights.len(), rows: self.rows() });
        }
        weights::check(&weights).map_err(|problem| match problem {
            WeightProblem::Row { row, weight } => DatasetError::RowWeight { row, weight },
            WeightProblem::AllZero => DatasetError::NoWeight,
        })?;
        let data = Dataset { weights, ..self };
        let kept: Vec<usize> = (0..data.rows()).filter(|&row| data.weights[row] > 0.0).collect();
        let data = if kept.len() < data.rows() { data.select(&kept) } else { data };
        Ok(Dataset { weights: weights::simplified(data.weights), ..data })
    }

    /// Multiplies what every row counts by the weight of its class. Decisions, probabilities and error rates then are
    /// those of rows in which classes are as frequent as their rows times their weights.
    ///
    /// ```
    /// # use srfm_trainer::Dataset;
    /// # use srfm_trainer::nalgebra::DMatrix;
    /// use srfm_trainer::data::ClassWeights;
    ///
    /// # fn main() -> Result<(), srfm_trainer::data::DatasetError> {
    /// let x = DMatrix::from_row_slice(4, 1, &[1.0, 2.0, 3.0, 9.0]);
    /// let data = Dataset::from_labels(x, &["calm", "calm", "calm", "gale"])?;
    /// // Errors in the single row of a gale count as much as those in the three others together.
    /// let data = data.with_class_weights(&ClassWeights::Balanced)?;
    /// assert_eq!(data.weights, [2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`DatasetError`]: the targets are quantities, a class that there is not, a weight that is not positive and
    /// finite.
    pub fn with_class_weights(self, weights: &ClassWeights) -> Result<Dataset, DatasetError> {
        let members = self.members();
        let of_classes = weights.of(members.as_deref(), &self.weights, &self.classes)?;
        if of_classes.is_empty() {
            return Ok(self);
        }
        let own = |row: usize| self.weights.get(row).copied().unwrap_or(1.0);
        let rows = members.iter().flatten().enumerate();
        let weights = weights::simplified(rows.map(|(row, &class)| own(row) * of_classes[class]).collect());
        Ok(Dataset { weights, ..self })
    }

    /// Returns what each row counts, with a mean of 1; empty where all rows count alike.
    pub fn row_weights(&self) -> Vec<f64> {
        weights::normalised(&self.weights)
    }

    /// Returns the roots of [`Dataset::row_weights`], which least squares multiplies rows by; empty where all rows
    /// count alike.
    pub(crate) fn root_weights(&self) -> Vec<f64> {
        self.row_weights().into_iter().map(f64::sqrt).collect()
    }

    /// Checks shapes and values.
    fn checked(
        x: DMatrix<f64>,
        y: DMatrix<f64>,
        output_names: Vec<String>,
        classes: Vec<String>,
    ) -> Result<Dataset, DatasetError> {
        if x.nrows() != y.nrows() {
            return Err(DatasetError::Rows { inputs: x.nrows(), targets: y.nrows() });
        }
        if x.ncols() == 0 || y.ncols() == 0 {
            return Err(DatasetError::NoColumn);
        }
        let input_names = numbered("x", x.ncols());
        for (values, names) in [(&x, &input_names), (&y, &output_names)] {
            for (column, name) in values.column_iter().zip(names) {
                if let Some(row) = column.iter().position(|value| !value.is_finite()) {
                    return Err(DatasetError::NotFinite { row, column: name.clone() });
                }
            }
        }
        let weights = Vec::new();
        let groups = Vec::new();
        let history = History::default();
        Ok(Dataset { x, y, input_names, output_names, classes, weights, groups, history })
    }

    /// Returns inputs and targets of quantities, of no rows.
    pub(crate) fn without_rows(input_names: Vec<String>, output_names: Vec<String>) -> Dataset {
        let x = DMatrix::zeros(0, input_names.len());
        let y = DMatrix::zeros(0, output_names.len());
        let classes = Vec::new();
        let weights = Vec::new();
        let groups = Vec::new();
        let history = History::default();
        Dataset { x, y, input_names, output_names, classes, weights, groups, history }
    }

    /// Returns the number of rows, n.
    pub fn rows(&self) -> usize {
        self.x.nrows()
    }

    /// Returns the number of inputs, d.
    pub fn inputs(&self) -> usize {
        self.x.ncols()
    }

    /// Returns the number of targets, k.
    pub fn outputs(&self) -> usize {
        self.y.ncols()
    }

    /// Returns the same rows with the given inputs set to zero. Methods leave out inputs that are constant.
    pub(crate) fn without(&self, inputs: &[usize]) -> Dataset {
        let mut data = self.clone();
        inputs.iter().for_each(|&input| data.x.column_mut(input).fill(0.0));
        data
    }

    /// Returns the inputs that are not constant, in ascending order.
    pub fn varying_inputs(&self) -> Vec<usize> {
        (0..self.inputs()).filter(|&i| !is_constant(self.x.column(i).as_slice())).collect()
    }

    /// Returns the names of the readings that a prediction takes: those of the inputs, or of the channels of a sample.
    pub(crate) fn readings(&self) -> &[String] {
        if self.history.is_empty() { &self.input_names } else { self.history.channels() }
    }

    /// Returns the class of each row, or none if the targets are quantities.
    pub(crate) fn members(&self) -> Option<Vec<usize>> {
        if self.classes.is_empty() { None } else { classes::decide(&self.y).into_iter().collect() }
    }

    /// Returns the name of the class of each row; empty if the targets are quantities.
    pub fn labels(&self) -> Vec<&str> {
        let name = |class: usize| self.classes[class].as_str();
        self.members().unwrap_or_default().into_iter().map(name).collect()
    }

    /// Returns the given rows in the given order.
    pub fn select(&self, rows: &[usize]) -> Dataset {
        Dataset {
            x: self.x.select_rows(rows),
            y: self.y.select_rows(rows),
            input_names: self.input_names.clone(),
            output_names: self.output_names.clone(),
            classes: self.classes.clone(),
            weights: weights::select(&self.weights, rows),
            groups: if self.groups.is_empty() {
                Vec::new()
            } else {
                rows.iter().map(|&row| self.groups[row]).collect()
            },
            history: self.history.clone(),
        }
    }
}

/// Returns names that count from 1.
fn numbered(name: &str, count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("{name}{number}")).collect()
}

/// Returns whether all values are the same in `f32`, the precision of the device.
pub(crate) fn is_constant(column: &[f64]) -> bool {
    column.iter().all(|&v| v as f32 == column[0] as f32)
}

/// A dataset as it travels.
#[derive(Serialize, Deserialize)]
struct Bytes {
    #[serde(with = "crate::data::matrix")]
    x: DMatrix<f64>,
    #[serde(with = "crate::data::matrix")]
    y: DMatrix<f64>,
    input_names: Vec<String>,
    output_names: Vec<String>,
    classes: Vec<String>,
    weights: Vec<f64>,
    groups: Vec<usize>,
}

impl Dataset {
    /// Returns the dataset as bytes; none where inputs look back in time.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let Dataset { x, y, input_names, output_names, classes, weights, groups, history } = self.clone();
        let bytes = Bytes { x, y, input_names, output_names, classes, weights, groups };
        (history == History::default()).then(|| postcard::to_stdvec(&bytes).expect("memory takes any length"))
    }

    /// Reads what [`Dataset::to_bytes`] wrote; none from other bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Dataset> {
        let Bytes { x, y, input_names, output_names, classes, weights, groups } = postcard::from_bytes(bytes).ok()?;
        let history = History::default();
        Some(Dataset { x, y, input_names, output_names, classes, weights, groups, history })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use nalgebra::DVector;

    use super::*;

    #[test]
    fn shapes_and_values_are_checked() {
        let x = || DMatrix::from_row_slice(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let two_targets = DMatrix::from_row_slice(3, 2, &[1.0, 7.0, 2.0, 8.0, 3.0, 9.0]);
        let data = Dataset::new(x(), two_targets.clone()).unwrap();
        assert_eq!((data.rows(), data.inputs(), data.outputs()), (3, 2, 2));
        assert_eq!(data.y, two_targets);
        assert_eq!(data.output_names, ["y1", "y2"]);
        let refused = Dataset::new(x(), DVector::zeros(2)).unwrap_err();
        assert_eq!(refused, DatasetError::Rows { inputs: 3, targets: 2 });
        assert_eq!(Dataset::new(DMatrix::zeros(3, 0), DVector::zeros(3)), Err(DatasetError::NoColumn));
        let mut holed = x();
        holed[(2, 1)] = f64::NAN;
        let refused = Dataset::new(holed, DVector::zeros(3)).unwrap_err();
        assert_eq!(refused, DatasetError::NotFinite { row: 2, column: "x2".to_owned() });
        let refused = data.clone().with_names(["u"], ["v", "w"]).unwrap_err();
        assert_eq!(refused, DatasetError::Names { of: "inputs", names: 1, columns: 2 });
        assert_eq!(data.clone().with_groups([1, 2]), Err(DatasetError::Groups { groups: 2, rows: 3 }));
        assert_eq!(data.with_groups([1, 1, 2]).unwrap().groups, [1, 1, 2]);
    }

    #[test]
    fn labels_become_columns_of_classes() {
        let x = || DMatrix::from_row_slice(4, 1, &[1.0, 2.0, 3.0, 4.0]);
        let data = Dataset::from_labels(x(), &["b", "c", "a", "b"]).unwrap();
        assert_eq!(data.classes, ["a", "b", "c"]);
        assert_eq!(data.members(), Some(vec![1, 2, 0, 1]));
        assert_eq!(data.output_names, ["class = a", "class = b", "class = c"]);
        let numbers = Dataset::from_labels(x(), &["10", "9", "9.0", "10"]).unwrap();
        assert_eq!(
            (numbers.classes, numbers.y.as_slice()),
            (vec!["9".to_owned(), "10".to_owned()], &[1.0, 0.0, 0.0, 1.0][..])
        );
        assert_eq!(Dataset::from_labels(x(), &["a"; 4]), Err(DatasetError::Classes { found: 1 }));
        assert_eq!(Dataset::from_labels(x(), &["a", "b"]), Err(DatasetError::Rows { inputs: 4, targets: 2 }));
    }

    #[test]
    fn weights_of_classes_by_hand() {
        let x = DMatrix::from_fn(6, 1, |row, _| row as f64);
        let data = Dataset::from_labels(x, &["b", "a", "b", "b", "c", "b"]).unwrap();
        let weights =
            |weights: &ClassWeights, data: &Dataset| data.clone().with_class_weights(weights).map(|d| d.weights);
        assert_eq!(weights(&ClassWeights::Equal, &data), Ok(vec![]));
        // 6 rows of 3 classes: 6 / (3 · 1), 6 / (3 · 4), 6 / (3 · 1).
        assert_eq!(weights(&ClassWeights::Balanced, &data), Ok(vec![0.5, 2.0, 0.5, 0.5, 2.0, 0.5]));
        let named = |name: &str, weight: f64| ClassWeights::Named(BTreeMap::from([(name.to_owned(), weight)]));
        assert_eq!(weights(&named("c", 3.0), &data), Ok(vec![1.0, 1.0, 1.0, 1.0, 3.0, 1.0]));
        // Those of rows multiply: 8 of 3 classes, and classes that count 1, 5 and 2.
        let twice = data.clone().with_weights([2.0, 1.0, 1.0, 1.0, 2.0, 1.0]).unwrap();
        let balanced = weights(&ClassWeights::Balanced, &twice).unwrap();
        let by_hand = [16.0 / 15.0, 8.0 / 3.0, 8.0 / 15.0, 8.0 / 15.0, 8.0 / 3.0, 8.0 / 15.0];
        assert!(balanced.iter().zip(by_hand).all(|(own, other)| (own - other).abs() < 1e-15), "{balanced:?}");
        let weighted = data.clone().with_class_weights(&named("c", 4.0)).unwrap();
        // Five rows count 1 and one counts 4, of 9 together.
        assert_eq!(weighted.row_weights(), [1.0, 1.0, 1.0, 1.0, 4.0, 1.0].map(|weight| weight * 6.0 / 9.0));
        let unknown = DatasetError::UnknownClass { name: "d".to_owned(), known: "a, b, c".to_owned() };
        assert_eq!(weights(&named("d", 1.0), &data), Err(unknown));
        for weight in [0.0, -1.0, f64::INFINITY] {
            assert_eq!(weights(&named("a", weight), &data), Err(DatasetError::Weight { name: "a".to_owned(), weight }));
        }
        let alike = data.clone().with_weights([3.0; 6]).unwrap();
        assert_eq!(alike, data, "rows that count alike have no weights");
        for (given, refused) in [
            (vec![1.0; 5], DatasetError::Weights { weights: 5, rows: 6 }),
            (vec![1.0, -1.0, 1.0, 1.0, 1.0, 1.0], DatasetError::RowWeight { row: 1, weight: -1.0 }),
            (vec![0.0; 6], DatasetError::NoWeight),
        ] {
            assert_eq!(data.clone().with_weights(given).unwrap_err(), refused);
        }
        let quantities = Dataset::new(DMatrix::zeros(2, 1), DMatrix::zeros(2, 1)).unwrap();
        assert_eq!(weights(&ClassWeights::Balanced, &quantities), Err(DatasetError::WeightsOfQuantities));
    }
}
