//! The records of a text file, one after the other.

use std::collections::VecDeque;
use std::io::{self, Read};

use ::csv::{ErrorKind, Reader, ReaderBuilder, StringRecord, Trim};
use memchr::memchr2_iter;

use crate::data::DataError;

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

/// The first byte of a line, from the start of the text, and the number of the line.
pub type Place = (u64, u64);

/// A reader that notes where the lines with text begin. A line ends at `\n`, `\r\n` or `\r`.
pub struct Lines<R> {
    text: R,
    /// The next byte and its line.
    next: Place,
    /// The byte before the next one.
    before: u8,
    /// The lines with text that were read and not yet passed.
    begun: VecDeque<Place>,
}

impl<R> Lines<R> {
    /// Creates a reader of a text whose first line has the number `line`.
    pub fn new(text: R, line: u64) -> Lines<R> {
        Lines { text, next: (0, line), before: b'\n', begun: VecDeque::new() }
    }

    /// Returns the place of the first line with text that begins at `byte` or after it. Passes the lines before.
    pub fn after(&mut self, byte: u64) -> Place {
        while self.begun.pop_front_if(|(start, _)| *start < byte).is_some() {}
        self.begun.front().copied().unwrap_or(self.next)
    }
}

impl<R> Lines<R> {
    /// Notes that a line begins with the bytes from `text` to `end` of those that are read, where it does.
    fn begin(&mut self, text: usize, end: usize) {
        if text < end && (text > 0 || matches!(self.before, b'\n' | b'\r')) {
            self.begun.push_back((self.next.0 + text as u64, self.next.1));
        }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read(bytes)?;
        let read = &bytes[..count];
        let mut text = 0;
        for end in memchr2_iter(b'\n', b'\r', read) {
            self.begin(text, end);
            let before = if end > 0 { read[end - 1] } else { self.before };
            self.next.1 += u64::from(read[end] == b'\r' || before != b'\r');
            text = end + 1;
        }
        self.begin(text, count);
        self.next.0 += count as u64;
        self.before = read.last().copied().unwrap_or(self.before);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_three_ways_and_blank_ones_count() {
        for (end, width) in [("\n", 1), ("\r\n", 2), ("\r", 1)] {
            let text = ["ab", "", "c", "", "", "d"].join(end);
            // One byte at a time, so that an end of a line lies in two reads.
            let mut lines = Lines::new(text.as_bytes(), 7);
            while lines.read(&mut [0]).unwrap() > 0 {}
            let second = 2 + 2 * width;
            let third = 3 + 5 * width;
            for (byte, place) in [(0, (0, 7)), (1, (second, 9)), (second, (second, 9)), (second + 1, (third, 12))] {
                assert_eq!(lines.after(byte), place, "{end:?} {byte}");
            }
        }
    }
}
