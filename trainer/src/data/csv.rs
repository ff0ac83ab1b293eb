//! Tables of numbers in CSV files: delimiter and header are found, every problem is named by line and column.

use std::fs;
use std::path::Path;

use ::csv::{ReaderBuilder, StringRecord};
use nalgebra::DMatrix;

use super::delimiter::{delimiter, leading};
use super::{DataError, Dataset, automatic_name, inputs_hash};

/// A file of numbers before it is known which columns are targets.
#[derive(Clone, Debug)]
pub struct Table {
    /// The file, as it was named.
    path: String,
    /// Column names; `column 1` and so on in a file without a header.
    pub names: Vec<String>,
    /// Whether the file has a header.
    pub has_header: bool,
    /// What is odd about the file but no obstacle, in a sentence.
    pub remark: Option<String>,
    /// The values, n×columns.
    pub values: DMatrix<f64>,
}

impl Table {
    /// Reads a CSV file: comma, semicolon, tab, bar or blanks between the fields, with or without a header.
    ///
    /// # Errors
    /// [`DataError`] where the file cannot be read, is empty, ragged, or holds a field that is not a finite number
    /// within the range of `f32`, the precision of the device.
    pub fn read(path: &Path) -> Result<Table, DataError> {
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|source| DataError::Read { path: name.clone(), source })?;
        Table::parse(&name, &bytes)
    }

    /// Reads the bytes of a CSV file; `path` is what messages call it.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Table, DataError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes); // byte-order mark
        let path = path.to_owned();
        let (skipped, bytes) = leading(bytes);
        let delimiter = delimiter(bytes);
        let mut records = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .trim(::csv::Trim::All)
            .from_reader(bytes)
            .into_records()
            .map(|record| {
                record.map_err(|e| match e.into_kind() {
                    ::csv::ErrorKind::Io(source) => DataError::Read { path: path.clone(), source },
                    ::csv::ErrorKind::Utf8 { pos, .. } => {
                        DataError::NotText { path: path.clone(), line: pos.map_or(0, |p| skipped + p.line()) }
                    }
                    _ => DataError::NotText { path: path.clone(), line: 0 },
                })
            })
            .map(|record| record.map(|record| Row::new(&record, delimiter, skipped)))
            .filter(|row| !row.as_ref().is_ok_and(Row::is_blank))
            .peekable();

        let first = match records.peek() {
            None => return Err(DataError::Empty { path }),
            Some(Err(_)) => return Err(records.next().and_then(Result::err).expect("peeked")),
            Some(Ok(row)) => row.clone(),
        };
        let has_header = first.fields.iter().any(|field| !field.is_empty() && field.parse::<f64>().is_err());
        let columns = first.fields.len();
        let remark = has_header.then(|| half_a_header(&path, &first)).flatten();
        let names = if has_header {
            records.next();
            first.fields.clone()
        } else {
            (1..=columns).map(automatic_name).collect()
        };

        let mut values = Vec::new();
        for row in records {
            let row = row?;
            if row.fields.len() != columns {
                return Err(DataError::Ragged {
                    path,
                    line: row.line,
                    first_line: first.line,
                    expected: columns,
                    found: row.fields.len(),
                });
            }
            for (field, name) in row.fields.iter().zip(&names) {
                values.push(number(field).map_err(|problem| DataError::Value {
                    path: path.clone(),
                    line: row.line,
                    column: if has_header { format!("{name:?}") } else { name["column ".len()..].to_owned() },
                    text: field.chars().take(40).collect(),
                    problem,
                })?);
            }
        }
        if values.is_empty() {
            return Err(DataError::NoRows { path });
        }
        let values = DMatrix::from_row_slice(values.len() / columns, columns, &values);
        Ok(Table { path, names, has_header, remark, values })
    }

    /// Divides the columns into inputs and the named targets, both in the order of the file; the last column is the target
    /// where none is named.
    pub fn into_dataset(self, targets: &[String]) -> Result<Dataset, DataError> {
        let columns = self.names.len();
        let mut outputs = Vec::new();
        for target in targets {
            let index = self.find(target)?;
            if !outputs.contains(&index) {
                outputs.push(index);
            }
        }
        outputs.sort_unstable();
        if targets.is_empty() {
            outputs.push(columns - 1);
        }
        let inputs: Vec<usize> = (0..columns).filter(|c| !outputs.contains(c)).collect();
        if inputs.is_empty() {
            return Err(DataError::NoInputs { path: self.path, columns });
        }
        Ok(self.dataset(&inputs, &outputs))
    }

    /// The column of that name.
    fn find(&self, name: &str) -> Result<usize, DataError> {
        let mut found = (0..self.names.len()).filter(|&c| self.names[c] == name);
        let (path, asked) = (|| self.path.clone(), || name.to_owned());
        match (found.next(), found.next()) {
            (Some(index), None) => Ok(index),
            (Some(first), Some(second)) => {
                Err(DataError::AmbiguousTarget { path: path(), name: asked(), first: first + 1, second: second + 1 })
            }
            (None, _) => {
                Err(DataError::UnknownTarget { path: path(), name: asked(), available: self.names.join(", ") })
            }
        }
    }

    /// The columns that a model of `inputs` inputs and `outputs` outputs takes, and the targets if they are there.
    ///
    /// The file holds the inputs alone (the dataset then has no targets), or the inputs and the targets; these are the
    /// named columns, or the last ones. `inputs_hash` tells other or reordered inputs in a file with a header.
    pub fn for_model(
        self,
        targets: &[String],
        inputs: usize,
        outputs: usize,
        inputs_hash: u32,
    ) -> Result<Dataset, DataError> {
        let columns = self.names.len();
        let dataset = if columns == inputs && targets.is_empty() {
            self.dataset(&(0..inputs).collect::<Vec<_>>(), &[])
        } else if columns != inputs + outputs {
            return Err(DataError::WrongWidth { path: self.path, columns, inputs, outputs });
        } else if targets.is_empty() {
            self.dataset(&(0..inputs).collect::<Vec<_>>(), &(inputs..columns).collect::<Vec<_>>())
        } else {
            let (path, has_header) = (self.path.clone(), self.has_header);
            let dataset = self.into_dataset(targets)?;
            if dataset.outputs() != outputs {
                return Err(DataError::TargetCount { path, named: dataset.outputs(), outputs });
            }
            return check_inputs(dataset, path, has_header, inputs_hash);
        };
        check_inputs(dataset, self.path, self.has_header, inputs_hash)
    }

    fn dataset(&self, inputs: &[usize], outputs: &[usize]) -> Dataset {
        let names = |columns: &[usize]| columns.iter().map(|&c| self.names[c].clone()).collect();
        Dataset {
            x: self.values.select_columns(inputs),
            y: self.values.select_columns(outputs),
            input_names: names(inputs),
            output_names: names(outputs),
            classes: Vec::new(),
        }
    }
}

fn check_inputs(dataset: Dataset, path: String, has_header: bool, expected: u32) -> Result<Dataset, DataError> {
    if has_header && expected != 0 && inputs_hash(&dataset.input_names) != expected {
        return Err(DataError::OtherInputs { path, columns: dataset.input_names.join(", ") });
    }
    Ok(dataset)
}

/// One record and where it stands.
#[derive(Clone)]
struct Row {
    line: u64,
    fields: Vec<String>,
}

impl Row {
    /// `skipped` lines are not in what the record was read from.
    fn new(record: &StringRecord, delimiter: u8, skipped: u64) -> Row {
        // Columns that are aligned with blanks have several between two fields.
        let kept = record.iter().filter(|field| delimiter != b' ' || !field.is_empty());
        Row { line: record.position().map_or(0, |p| skipped + p.line()), fields: kept.map(str::to_owned).collect() }
    }

    fn is_blank(&self) -> bool {
        self.fields.iter().all(String::is_empty) && self.fields.len() <= 1
    }
}

/// A first row with numbers among the names may be a row of data with a slip in it.
fn half_a_header(path: &str, first: &Row) -> Option<String> {
    let is_number = |field: &&String| field.parse::<f64>().is_ok();
    let number = first.fields.iter().find(is_number)?;
    let text = first.fields.iter().find(|field| !field.is_empty() && !is_number(field))?;
    let line = first.line;
    Some(format!(
        "{path}, line {line}: taken for a header because {text:?} is not a number, though {number:?} is; if these are \
         data, correct the field"
    ))
}

fn number(field: &str) -> Result<f64, &'static str> {
    if field.is_empty() {
        return Err("is missing; fill in the value or remove the row");
    }
    match field.parse::<f64>() {
        Err(_) if field.replace(',', ".").parse::<f64>().is_ok() => {
            Err("is not a number; write decimals with a point instead of a comma")
        }
        Err(_) => Err("is not a number; remove the column or code it as numbers"),
        Ok(value) if !value.is_finite() => Err("is not finite; remove the row"),
        Ok(value) if !(value as f32).is_finite() => {
            Err("is beyond the range of a 32-bit float (3.4e38); use a larger unit for this column")
        }
        Ok(value) => Ok(value),
    }
}

/// Writes a dataset with a header, inputs first; numbers are written so that they read back to the same bits.
pub fn write(dataset: &Dataset, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    let names: Vec<&str> = dataset.input_names.iter().chain(&dataset.output_names).map(String::as_str).collect();
    writeln!(out, "{}", names.join(","))?;
    for row in 0..dataset.rows() {
        let values: Vec<String> =
            dataset.x.row(row).iter().chain(dataset.y.row(row).iter()).map(f64::to_string).collect();
        writeln!(out, "{}", values.join(","))?;
    }
    Ok(())
}
