//! CSV files: reading tables with any usual separator, with or without a header, and writing data sets.

use std::io::Read;

use ::csv::{ErrorKind, Reader, ReaderBuilder, StringRecord, Trim, Writer};
use nalgebra::DMatrix;

use crate::data::delimiter::{delimiter, leading};
use crate::data::names::automatic_name;
use crate::data::value::{Fields, looks_numeric};
use crate::data::{DataError, Dataset};

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
    /// Whether a text of the first row occurs again below it in the same column, as a label would.
    pub first_row_recurs: bool,
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
        let (skipped, table) = leading(&bytes[mark..]);
        Text {
            bytes: Vec::new(),
            start: bytes.len() - table.len(),
            skipped,
            delimiter: delimiter(table),
            names: Vec::new(),
            has_header: false,
            header_line: false,
            first_row_recurs: false,
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
        let is_text = |&column: &usize| !first[column].is_empty() && !looks_numeric(&first[column]);
        let texts: Vec<usize> = (0..first.len()).filter(is_text).collect();
        let (mut rows, mut recurs) = (1, false);
        while let Some((line, fields)) = records.next()? {
            if fields.len() != first.len() {
                let (expected, found) = (first.len(), fields.len());
                return Err(DataError::Ragged { path: path.to_owned(), line, first_line, expected, found });
            }
            recurs = recurs || texts.iter().any(|&column| fields[column] == first[column]);
            visit(rows, records.byte(), line);
            rows += 1;
        }
        // A first row of numbers and a text that recurs is data: the text is a label.
        let is_data = recurs && first.iter().any(|field| looks_numeric(field));
        self.has_header = !texts.is_empty() && !is_data;
        self.first_row_recurs = recurs;
        self.rows = rows - usize::from(self.has_header);
        if self.rows == 0 {
            return Err(DataError::NoRows { path: path.to_owned(), line: first_line });
        }
        self.remark = if self.has_header { mixed_header(path, first_line, &first) } else { None };
        let has_header = self.has_header;
        let name = |(column, name): (usize, String)| {
            if !has_header || name.is_empty() { automatic_name(column + 1) } else { name }
        };
        self.names = first.into_iter().enumerate().map(name).collect();
        Ok(())
    }

    /// Returns `rows` rows of the same table: their bytes, of which the first belongs to `line`, from 1.
    pub fn block(&self, bytes: Vec<u8>, line: u64, rows: usize) -> Text {
        let (names, remark) = (self.names.clone(), None);
        Text { bytes, start: 0, skipped: line - 1, rows, names, remark, header_line: false, ..*self }
    }

    /// Returns the same text with the header taken as a row.
    pub fn without_header(mut self) -> Text {
        self.rows += usize::from(self.has_header);
        self.names = (1..=self.names.len()).map(automatic_name).collect();
        (self.has_header, self.header_line, self.remark) = (false, false, None);
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
                    problem,
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
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .trim(Trim::All)
            .from_reader(table);
        Records { path, reader, record: StringRecord::new(), skipped: self.skipped, delimiter: self.delimiter }
    }
}

/// The non-blank records of a file, one after the other.
struct Records<'a, R> {
    path: &'a str,
    reader: Reader<R>,
    record: StringRecord,
    skipped: u64,
    delimiter: u8,
}

impl<R: Read> Records<'_, R> {
    /// Returns the place of the last record, in bytes from the start of the table.
    fn byte(&self) -> u64 {
        self.record.position().map_or(0, |p| p.byte())
    }

    /// Returns the line number and the fields of the next record.
    fn next(&mut self) -> Result<Option<(u64, Vec<&str>)>, DataError> {
        loop {
            let more = self.reader.read_record(&mut self.record);
            if !more.map_err(|error| read_error(self.path, self.skipped, error))? {
                return Ok(None);
            }
            if self.record.len() > 1 || self.record.iter().any(|field| !field.is_empty()) {
                break;
            }
        }
        let line = self.record.position().map_or(0, |p| self.skipped + p.line());
        // Aligned columns have several blanks between two fields, which read as empty fields.
        let kept = self.record.iter().filter(|field| self.delimiter != b' ' || !field.is_empty());
        Ok(Some((line, kept.collect())))
    }

    fn next_owned(&mut self) -> Result<Option<(u64, Vec<String>)>, DataError> {
        Ok(self.next()?.map(|(line, fields)| (line, fields.into_iter().map(str::to_owned).collect())))
    }
}

/// The error of a file with other rows than at its first reading.
fn changed(path: &str) -> DataError {
    let problem = "other rows than before: the file changed while it was read; run the command again".to_owned();
    DataError::Format { path: path.to_owned(), problem: format!("has {problem}") }
}

fn read_error(path: &str, skipped: u64, error: ::csv::Error) -> DataError {
    let path = path.to_owned();
    match error.into_kind() {
        ErrorKind::Io(source) => DataError::Read { path, source },
        ErrorKind::Utf8 { pos, .. } => DataError::NotText { path, line: pos.map_or(0, |p| skipped + p.line()) },
        _ => DataError::NotText { path, line: 0 },
    }
}

/// Returns a warning if a header has numbers among its names: the row may be data with a typing error.
fn mixed_header(path: &str, line: u64, first: &[String]) -> Option<String> {
    let number = first.iter().find(|field| looks_numeric(field))?;
    let text = first.iter().find(|field| !field.is_empty() && !looks_numeric(field))?;
    Some(format!(
        "{path}, line {line}: read as a header, since {text:?} is not a number, although {number:?} is one; if the \
         line holds data, correct the field"
    ))
}

impl Dataset {
    /// Writes the rows as CSV with a header, inputs first. Reading the file back gives the same bits.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write_csv(&self, out: impl std::io::Write) -> std::io::Result<()> {
        let mut writer = Writer::from_writer(out);
        writer.write_record(self.input_names.iter().chain(&self.output_names))?;
        for row in 0..self.rows() {
            let (x, y) = (self.x.row(row), self.y.row(row));
            writer.write_record(x.iter().chain(y.iter()).map(f64::to_string))?;
        }
        writer.flush()
    }
}
