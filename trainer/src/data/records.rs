//! The records of a text file, one after the other.

use std::io::Read;

use ::csv::{ErrorKind, Reader, ReaderBuilder, StringRecord, Trim};

use crate::data::DataError;
use crate::data::lines::{Lines, Place};

/// The non-blank records of a table.
pub struct Records<'a, R> {
    path: &'a str,
    reader: Reader<Lines<R>>,
    record: StringRecord,
    delimiter: u8,
    /// Where the last record begins.
    place: Place,
}

impl<'a, R: Read> Records<'a, R> {
    /// Creates the records of a table whose first line has the number `line`.
    pub fn new(path: &'a str, table: R, line: u64, delimiter: u8) -> Records<'a, R> {
        let mut builder = ReaderBuilder::new();
        builder.has_headers(false).flexible(true).delimiter(delimiter).trim(Trim::All);
        let reader = builder.from_reader(Lines::new(table, line));
        Records { path, reader, record: StringRecord::new(), delimiter, place: (0, line) }
    }

    /// Returns the place of the last record, in bytes from the start of the table.
    pub fn byte(&self) -> u64 {
        self.place.0
    }

    /// Returns the line number and the fields of the next record.
    ///
    /// # Errors
    /// [`DataError::Read`], and [`DataError::NotText`] if the bytes are not UTF-8.
    pub fn next(&mut self) -> Result<Option<(u64, Vec<&str>)>, DataError> {
        loop {
            let before = self.reader.position().byte();
            let more = self.reader.read_record(&mut self.record);
            self.place = self.reader.get_mut().after(before);
            if !more.map_err(|error| read_error(self.path, self.place.1, error))? {
                return Ok(None);
            }
            if self.record.len() > 1 || self.record.iter().any(|field| !field.is_empty()) {
                break;
            }
        }
        // Aligned columns have several blanks between two fields, which read as empty fields.
        let kept = self.record.iter().filter(|field| self.delimiter != b' ' || !field.is_empty());
        Ok(Some((self.place.1, kept.collect())))
    }

    /// Returns a copy of the next record.
    ///
    /// # Errors
    /// As [`Records::next`].
    pub fn next_owned(&mut self) -> Result<Option<(u64, Vec<String>)>, DataError> {
        Ok(self.next()?.map(|(line, fields)| (line, fields.into_iter().map(str::to_owned).collect())))
    }
}

fn read_error(path: &str, line: u64, error: ::csv::Error) -> DataError {
    let path = path.to_owned();
    match error.into_kind() {
        ErrorKind::Io(source) => DataError::Read { path, source },
        _ => DataError::NotText { path, line },
    }
}
