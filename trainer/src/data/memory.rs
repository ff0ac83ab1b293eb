//! Tables whose columns a program gives.

use nalgebra::DMatrix;

use crate::data::DataError;
use crate::data::value::{Fields, ValueProblem};

/// The values of a column in memory.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Values {
    /// Numbers; NaN where a value is missing.
    Numbers(Vec<f64>),
    /// Texts, such as classes, groups or time stamps; none where a value is missing.
    Texts(Vec<Option<String>>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Numbers(numbers) => numbers.len(),
            Values::Texts(texts) => texts.len(),
        }
    }

    /// Returns a value as a file has it.
    fn text(&self, row: usize) -> String {
        match self {
            Values::Numbers(numbers) => numbers[row].to_string(),
            Values::Texts(texts) => texts[row].clone().unwrap_or_default(),
        }
    }

    /// Returns a value as a number; NaN for a missing one.
    fn number(&self, row: usize, rules: &Fields<'_>) -> Result<f64, ValueProblem> {
        match self {
            Values::Numbers(numbers) => rules.value(numbers[row]),
            Values::Texts(_) => rules.number(&self.text(row)),
        }
    }
}

/// The columns of a table in memory. All of them have the same number of rows.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    columns: Vec<Values>,
    /// Whether the columns have names.
    pub named: bool,
}

impl Memory {
    /// Checks columns of the table `path`.
    ///
    /// # Errors
    /// [`DataError::Format`] for columns of different lengths, or names for other columns than these.
    pub fn new(path: &str, names: usize, columns: Vec<Values>) -> Result<Memory, DataError> {
        let wrong = |problem: String| Err(DataError::Format { path: path.to_owned(), problem: problem.into() });
        let rows = columns.first().map_or(0, Values::len);
        if let Some(other) = columns.iter().map(Values::len).find(|other| *other != rows) {
            return wrong(format!("has columns of {rows} and of {other} rows; give columns of one length"));
        } else if names > 0 && names != columns.len() {
            return wrong(format!("has {names} names for {} columns; give each column a name", columns.len()));
        }
        Ok(Memory { columns, named: names > 0 })
    }

    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Values::len)
    }

    /// Returns the texts of a column, each with its row, which counts from 0 as in the program.
    pub fn texts(&self, column: usize) -> Vec<(u64, String)> {
        (0..self.rows()).map(|row| (row as u64, self.columns[column].text(row))).collect()
    }

    /// Returns the numbers in the given columns, n×c; NaN for missing values. `refuse` makes an error of a row, a
    /// column, a text and a problem.
    pub fn numbers(
        &self,
        columns: &[usize],
        rules: &Fields<'_>,
        refuse: impl Fn(u64, usize, &str, ValueProblem) -> DataError,
    ) -> Result<DMatrix<f64>, DataError> {
        let mut values = DMatrix::zeros(self.rows(), columns.len());
        for (mut to, &column) in values.column_iter_mut().zip(columns) {
            let from = &self.columns[column];
            for (row, to) in to.iter_mut().enumerate() {
                let number = from.number(row, rules);
                *to = number.map_err(|problem| refuse(row as u64, column, &from.text(row), problem))?;
            }
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{DataError, Preparation, Prepared, Source, Table, TargetKind, Values};

    /// Rows of two devices that alternate, with a gap of device b, a missing reading and a missing class.
    const TEXT: &str = "volts,device,time,mode\n1.5,a,0,on\n-2,b,0,on\n2.5,a,1,off\n-3,b,1,off\n,a,2,on\n-4,b,2,on\n\
                        3.5,a,3,off\n-5,b,9,on\n4.5,a,4,on\n-6,b,10,\n5.5,a,5,off\n-7,b,11,off\n";

    fn texts(column: usize) -> Values {
        let fields = TEXT.lines().skip(1).map(|line| line.split(',').nth(column).unwrap_or_default());
        Values::Texts(fields.map(|field| Some(field.to_owned()).filter(|text| !text.is_empty())).collect())
    }

    fn prepared(table: Table) -> Prepared {
        let settings = Preparation::default().with("missing", "drop").unwrap().with("group", "device").unwrap();
        let settings = settings.with("time_column", "time").unwrap().with("lag", [("volts", [0, 1])]).unwrap();
        Source::new(table, None, &["mode".into()]).with_preparation(settings).prepare(TargetKind::Classes).unwrap()
    }

    #[test]
    fn columns_in_memory_are_those_of_a_file() {
        let numbers = [1.5, -2.0, 2.5, -3.0, f64::NAN, -4.0, 3.5, -5.0, 4.5, -6.0, 5.5, -7.0];
        let names = ["volts", "device", "time", "mode"].map(String::from);
        let columns = vec![Values::Numbers(numbers.to_vec()), texts(1), texts(2), texts(3)];
        let found = prepared(Table::from_columns("t", &names, columns).unwrap());
        // Rows 0, 1 and 7 are the first of a device or after its gap; 4 and 6 lack a reading and 9 a class.
        assert_eq!(found.kept_rows(), [2, 8, 10, 3, 5, 11]);
        assert_eq!(found.data.x.row(5), nalgebra::RowDVector::from_vec(vec![-7.0, -6.0]));
        assert_eq!(found, prepared(Table::parse("t", TEXT.into()).unwrap()));
    }

    #[test]
    fn columns_have_one_length_and_names_for_all_or_none() {
        let columns = |rows: usize| vec![Values::Numbers(vec![1.0; 3]), Values::Numbers(vec![2.0; rows])];
        let table = Table::from_columns("t", &[], columns(3)).unwrap();
        assert_eq!((table.names(), table.has_header()), (&["column 1", "column 2"].map(String::from)[..], false));
        for (names, rows, said) in [(&[][..], 2, "t: has columns of 3 and of 2 rows"), (&["u".into()], 3, "1 names")] {
            let error: DataError = Table::from_columns("t", names, columns(rows)).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
    }
}
