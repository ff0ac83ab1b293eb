//! CSV files: reading tables with any usual separator, with or without a header, and writing data sets.

use std::io::Read;

use ::csv::Writer;
use nalgebra::DMatrix;

use crate::data::layout::{Start, automatic_name, delimiter, is_text, leading};
use crate::data::records::Records;
use crate::data::value::{Fields, ValueProblem, has_thousands};
use crate::data::{DataError, Dataset, decide};

/// The text of a CSV file whose rows all have the same number of fields.
///
/// Fields are parsed on access, so that columns without a use may hold any text.
#[derive(Clone, Debug)]
pub struct Text {
    bytes: Vec<u8>,
    /// The offset of the table in `bytes`.
    pub start: usize,
    /// The number of lines before the table.
    skipped: u64,
    delimiter: u8,
    /// The column names; `column 1` and so on without a header, or with an empty name in it.
    pub names: Vec<String>,
    /// Whether the file has a header.
    pub has_header: bool,
    /// Whether `bytes` begins with the header.
    header_line: bool,
    /// Whether the header may be a row: it numbers the columns, or a text of it recurs below, as a label would.
    pub header_may_be_row: bool,
    /// The columns without a name that are empty in every row, such as one after a separator at the end of each line.
    pub blank: Vec<usize>,
    /// A warning about the file, in one sentence.
    pub remark: Option<String>,
    /// The number of rows.
    pub rows: usize,
}

impl Text {
    /// Checks the bytes of a file; error messages call the file `path`.
    pub fn open(path: &str, bytes: Vec<u8>) -> Result<Text, DataError> {
        let mut text = Text::layout(&bytes);
        text.scan(path, &bytes[text.start..], |_, _, _| {})?;
        Ok(Text { bytes, header_line: text.has_header, ..text })
    }

    /// Returns where the table begins, and its separator, in a text that begins with `bytes`.
    pub fn layout(bytes: &[u8]) -> Text {
        let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }; // byte-order mark
        let (skipped, separator, table) = leading(&bytes[mark..]);
        Text {
            bytes: Vec::new(),
            start: bytes.len() - table.len(),
            skipped,
            delimiter: separator.unwrap_or_else(|| delimiter(table)),
            names: Vec::new(),
            has_header: false,
            header_line: false,
            header_may_be_row: false,
            blank: Vec::new(),
            remark: None,
            rows: 0,
        }
    }

    /// Checks all rows of the table and takes names and the number of rows from it. `visit` gets the number of every
    /// record, the header included, and its byte and line.
    pub fn scan(
        &mut self,
        path: &str,
        table: impl Read,
        mut visit: impl FnMut(usize, u64, u64),
    ) -> Result<(), DataError> {
        let mut records = self.records(path, table);
        let Some((first_line, first)) = records.next_owned()? else {
            return Err(DataError::Empty { path: path.to_owned() });
        };
        visit(0, records.byte(), first_line);
        let texts: Vec<usize> = (0..first.len()).filter(|&column| is_text(&first[column])).collect();
        let mut blank: Vec<usize> = (0..first.len()).filter(|&column| first[column].is_empty()).collect();
        let mut second = Vec::new();
        let mut rows = 1;
        let mut recurs = false;
        while let Some((line, fields)) = records.next()? {
            if fields.len() != first.len() {
                let expected = first.len();
                let found = fields.len();
                // A quote that stays open takes the lines or the fields that follow, up to the end of the text.
                let takes = |marks: &[char]| fields.last().is_some_and(|field| field.contains(marks));
                let lines = takes(&['\n', '\r']);
                let fields = takes(&[char::from(self.delimiter)]);
                let quoted = found < expected && (lines || (fields && matches!(records.next(), Ok(None))));
                return Err(DataError::Ragged { path: path.to_owned(), line, first_line, expected, found, quoted });
            }
            if rows == 1 {
                second = fields.iter().map(|&field| field.to_owned()).collect();
            }
            blank.retain(|&column| fields[column].is_empty());
            recurs = recurs || texts.iter().any(|&column| fields[column] == first[column]);
            visit(rows, records.byte(), line);
            rows += 1;
        }
        let start = Start { first: &first, second: &second, blank: &blank, recurs };
        self.has_header = start.is_header();
        self.header_may_be_row = recurs || start.counts_columns();
        self.rows = rows - usize::from(self.has_header);
        if self.rows == 0 {
            return Err(DataError::NoRows { path: path.to_owned(), line: first_line });
        }
        self.remark = if self.has_header { start.remark(path, first_line) } else { None };
        self.blank = blank;
        let has_header = self.has_header;
        let name = |(column, name): (usize, String)| {
            if !has_header || name.is_empty() { automatic_name(column + 1) } else { name }
        };
        self.names = first.into_iter().enumerate().map(name).collect();
        Ok(())
    }

    /// Returns `rows` rows of the same table: their bytes, of which the first belongs to `line`, from 1.
    pub fn block(&self, bytes: Vec<u8>, line: u64, rows: usize) -> Text {
        let names = self.names.clone();
        let blank = self.blank.clone();
        let remark = None;
        Text { bytes, start: 0, skipped: line - 1, rows, names, blank, remark, header_line: false, ..*self }
    }

    /// Returns the same text with the header taken as a row.
    pub fn without_header(mut self) -> Text {
        self.rows += usize::from(self.has_header);
        self.names = (1..=self.names.len()).map(automatic_name).collect();
        self.has_header = false;
        self.header_line = false;
        self.remark = None;
        self
    }

    /// Returns the numbers in the given columns, n×c.
    pub fn numbers(&self, path: &str, columns: &[usize], rules: &Fields<'_>) -> Result<DMatrix<f64>, DataError> {
        let mut values = DMatrix::zeros(self.rows, columns.len());
        self.each_row(path, |row, line, fields| {
            for (to, &column) in columns.iter().enumerate() {
                values[(row, to)] = rules.number(fields[column]).map_err(|problem| DataError::Value {
                    path: path.to_owned(),
                    place: self.place(line, column),
                    text: fields[column].chars().take(40).collect(),
                    problem: self.problem(fields[column], problem),
                })?;
            }
            Ok(())
        })?;
        Ok(values)
    }

    /// Returns the fields of a column with their line numbers.
    pub fn fields(&self, path: &str, column: usize) -> Result<Vec<(u64, String)>, DataError> {
        let mut found = Vec::with_capacity(self.rows);
        self.each_row(path, |_, line, fields| {
            found.push((line, fields[column].to_owned()));
            Ok(())
        })?;
        Ok(found)
    }

    /// Returns the line and the column of a field for error messages.
    pub fn place(&self, line: u64, column: usize) -> String {
        let name = &self.names[column];
        if self.has_header { format!("line {line}, column {name:?}") } else { format!("line {line}, {name}") }
    }

    /// Calls `visit` with the number, the line and the fields of every row.
    pub fn each_row(
        &self,
        path: &str,
        mut visit: impl FnMut(usize, u64, &[&str]) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let mut records = self.records(path, &self.bytes[self.start..]);
        if self.header_line {
            records.next()?;
        }
        for row in 0..self.rows {
            let Some((line, fields)) = records.next()?.filter(|(_, fields)| fields.len() == self.names.len()) else {
                return Err(changed(path));
            };
            visit(row, line, &fields)?;
        }
        Ok(())
    }

    /// Returns the records of a table, the header included.
    fn records<'a, R: Read>(&self, path: &'a str, table: R) -> Records<'a, R> {
        Records::new(path, table, self.skipped + 1, self.delimiter)
    }

    /// Returns what is wrong with a field, where the file says more than the field does.
    fn problem(&self, field: &str, problem: ValueProblem) -> ValueProblem {
        match problem {
            ValueProblem::DecimalComma if self.delimiter == b',' && has_thousands(field) => {
                ValueProblem::ThousandsOrComma
            }
            ValueProblem::Text if field.contains(['\n', '\r']) => ValueProblem::OpenQuote,
            problem => problem,
        }
    }
}

/// The error of a file with other rows than at its first reading.
fn changed(path: &str) -> DataError {
    let problem = "other rows than before: the file changed while it was read; run the command again".to_owned();
    DataError::Format { path: path.to_owned(), problem: format!("has {problem}").into() }
}

impl Dataset {
    /// Writes the rows as CSV with a header, inputs first. Classes are a column of their names. Reading the file back
    /// gives the same bits.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write_csv(&self, out: impl std::io::Write) -> std::io::Result<()> {
        let mut writer = Writer::from_writer(out);
        let targets = match self.classes.first() {
            // Three or more classes have a name such as `column = class` for each output.
            Some(class) => vec![self.output_names[0].trim_end_matches(&format!(" = {class}")).to_owned()],
            None => self.output_names.clone(),
        };
        writer.write_record(self.input_names.iter().chain(&targets))?;
        let members = if self.classes.is_empty() { Vec::new() } else { decide(&self.y) };
        for row in 0..self.rows() {
            let target: Vec<String> = match members.get(row) {
                Some(&class) => vec![class.map_or(String::new(), |class| self.classes[class].clone())],
                None => self.y.row(row).iter().map(f64::to_string).collect(),
            };
            writer.write_record(self.x.row(row).iter().map(f64::to_string).chain(target))?;
        }
        writer.flush()
    }
}
