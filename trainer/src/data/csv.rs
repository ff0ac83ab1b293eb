//! Tables in CSV files: delimiter and header are found, every problem is named by line and column.

use ::csv::{ErrorKind, Reader, ReaderBuilder, StringRecord, Trim, WriterBuilder};
use nalgebra::DMatrix;

use crate::data::delimiter::{delimiter, leading};
use crate::data::table::number;
use crate::data::{DataError, Dataset, automatic_name};

/// The text of a CSV file, of which it is known that all rows have the same number of fields. Fields are read when they are
/// asked for, so that what is in columns that no one uses does not matter.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    bytes: Vec<u8>,
    /// Where the table begins.
    start: usize,
    /// Lines before that.
    skipped: u64,
    delimiter: u8,
    /// Column names; `column 1` and so on in a file without a header.
    pub names: Vec<String>,
    /// Whether the file has a header.
    pub has_header: bool,
    /// Whether a text of the header stands below it too, as a label would.
    pub header_comes_again: bool,
    /// What is odd about the file but no obstacle, in a sentence.
    pub remark: Option<String>,
    /// Number of rows.
    pub rows: usize,
}

impl Text {
    /// Looks through the bytes of a file; `path` is what messages call it.
    pub fn open(path: &str, bytes: Vec<u8>) -> Result<Text, DataError> {
        let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }; // byte-order mark
        let (skipped, table) = leading(&bytes[mark..]);
        let (start, delimiter) = (bytes.len() - table.len(), delimiter(table));
        let (names, has_header, remark) = (Vec::new(), false, None);
        let header_comes_again = false;
        let mut text =
            Text { bytes, start, skipped, delimiter, names, has_header, header_comes_again, remark, rows: 0 };

        let mut records = text.records(path);
        let Some((first_line, first)) = records.next_owned()? else {
            return Err(DataError::Empty { path: path.to_owned() });
        };
        let is_text = |&column: &usize| !first[column].is_empty() && !is_number(&first[column]);
        let texts: Vec<usize> = (0..first.len()).filter(is_text).collect();
        let (mut rows, mut comes_again) = (1, false);
        while let Some((line, fields)) = records.next()? {
            if fields.len() != first.len() {
                return Err(DataError::Ragged {
                    path: path.to_owned(),
                    line,
                    first_line,
                    expected: first.len(),
                    found: fields.len(),
                });
            }
            rows += 1;
            comes_again = comes_again || texts.iter().any(|&column| fields[column] == first[column]);
        }
        // Text beside numbers that comes again below is a label, and its row is data.
        let is_data = comes_again && first.iter().any(|field| is_number(field));
        let has_header = !texts.is_empty() && !is_data;
        text.header_comes_again = comes_again;
        text.rows = rows - usize::from(has_header);
        if text.rows == 0 {
            return Err(DataError::NoRows { path: path.to_owned() });
        }
        text.remark = if has_header { half_a_header(path, first_line, &first) } else { None };
        text.names = if has_header { first } else { (1..=first.len()).map(automatic_name).collect() };
        text.has_header = has_header;
        Ok(text)
    }

    /// The same with a row in place of the header.
    pub fn without_header(mut self) -> Text {
        self.rows += usize::from(self.has_header);
        self.names = (1..=self.names.len()).map(automatic_name).collect();
        (self.has_header, self.remark) = (false, None);
        self
    }

    /// The numbers in some columns, one column each.
    pub fn numbers(&self, path: &str, columns: &[usize]) -> Result<DMatrix<f64>, DataError> {
        let mut values = DMatrix::zeros(self.rows, columns.len());
        self.each_row(path, |row, line, fields| {
            for (to, &column) in columns.iter().enumerate() {
                values[(row, to)] = number(fields[column]).map_err(|problem| DataError::Value {
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

    /// The fields of one column and the lines that they stand in.
    pub fn fields(&self, path: &str, column: usize) -> Result<Vec<(u64, String)>, DataError> {
        let mut found = Vec::with_capacity(self.rows);
        self.each_row(path, |_, line, fields| {
            found.push((line, fields[column].to_owned()));
            Ok(())
        })?;
        Ok(found)
    }

    /// How messages call a field.
    pub fn place(&self, line: u64, column: usize) -> String {
        let name = &self.names[column];
        if self.has_header { format!("line {line}, column {name:?}") } else { format!("line {line}, {name}") }
    }

    /// Calls `look` with number, line and fields of every row.
    fn each_row(
        &self,
        path: &str,
        mut look: impl FnMut(usize, u64, &[&str]) -> Result<(), DataError>,
    ) -> Result<(), DataError> {
        let mut records = self.records(path);
        if self.has_header {
            records.next()?;
        }
        let mut row = 0;
        while let Some((line, fields)) = records.next()? {
            look(row, line, &fields)?;
            row += 1;
        }
        Ok(())
    }

    fn records<'a>(&'a self, path: &'a str) -> Records<'a> {
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .trim(Trim::All)
            .from_reader(&self.bytes[self.start..]);
        Records { path, reader, record: StringRecord::new(), skipped: self.skipped, delimiter: self.delimiter }
    }
}

/// The records of a file one after the other, without blank ones.
struct Records<'a> {
    path: &'a str,
    reader: Reader<&'a [u8]>,
    record: StringRecord,
    skipped: u64,
    delimiter: u8,
}

impl Records<'_> {
    /// Line and fields of the next record.
    fn next(&mut self) -> Result<Option<(u64, Vec<&str>)>, DataError> {
        loop {
            let more =
                self.reader.read_record(&mut self.record).map_err(|error| problem(self.path, self.skipped, error));
            if !more? {
                return Ok(None);
            }
            if self.record.len() > 1 || self.record.iter().any(|field| !field.is_empty()) {
                break;
            }
        }
        let line = self.record.position().map_or(0, |p| self.skipped + p.line());
        // Columns that are aligned with blanks have several between two fields.
        let kept = self.record.iter().filter(|field| self.delimiter != b' ' || !field.is_empty());
        Ok(Some((line, kept.collect())))
    }

    fn next_owned(&mut self) -> Result<Option<(u64, Vec<String>)>, DataError> {
        Ok(self.next()?.map(|(line, fields)| (line, fields.into_iter().map(str::to_owned).collect())))
    }
}

fn problem(path: &str, skipped: u64, error: ::csv::Error) -> DataError {
    let path = path.to_owned();
    match error.into_kind() {
        ErrorKind::Io(source) => DataError::Read { path, source },
        ErrorKind::Utf8 { pos, .. } => DataError::NotText { path, line: pos.map_or(0, |p| skipped + p.line()) },
        _ => DataError::NotText { path, line: 0 },
    }
}

fn is_number(field: &str) -> bool {
    field.parse::<f64>().is_ok()
}

/// A first row with numbers among the names may be a row of data with a slip in it.
fn half_a_header(path: &str, line: u64, first: &[String]) -> Option<String> {
    let number = first.iter().find(|field| is_number(field))?;
    let text = first.iter().find(|field| !field.is_empty() && !is_number(field))?;
    Some(format!(
        "{path}, line {line}: taken for a header because {text:?} is not a number, though {number:?} is; if these are \
         data, correct the field"
    ))
}

/// A table as CSV text; fields are quoted where they have to be.
pub fn text(header: &[String], rows: &[Vec<String>]) -> String {
    let mut writer = WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in [header].into_iter().chain(rows.iter().map(Vec::as_slice)) {
        writer.write_record(row).expect("memory takes everything");
    }
    String::from_utf8(writer.into_inner().expect("memory takes everything")).expect("fields are text")
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
