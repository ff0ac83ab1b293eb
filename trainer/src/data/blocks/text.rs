//! Rows of text files.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::data::DataError;
use crate::data::blocks::UNIT;
use crate::data::csv::Text;

/// A text whose rows stay in the file.
pub struct TextFile {
    /// The layout of the text, without its rows.
    pub layout: Text,
    /// The place of every [`UNIT`]-th row: its first byte in the file, and its line from 1.
    marks: Vec<(u64, u64)>,
    /// The number of bytes of the file.
    length: u64,
}

impl TextFile {
    /// Reads the file once, and keeps the places of rows. The file begins with the bytes `start`.
    ///
    /// # Errors
    /// The errors of [`Text::open`].
    pub fn open(path: &str, start: &[u8], file: &mut File) -> Result<TextFile, DataError> {
        let error = |source| DataError::Read { path: path.to_owned(), source };
        let mut layout = Text::layout(start);
        let first = layout.start as u64;
        file.seek(SeekFrom::Start(first)).map_err(error)?;
        // Whether the first record is a header is known at the end.
        let mut places = [Vec::new(), Vec::new()];
        layout.scan(path, BufReader::with_capacity(1 << 20, &*file), |record, byte, line| {
            if record % UNIT <= 1 {
                places[record % UNIT].push((first + byte, line));
            }
        })?;
        let marks = std::mem::take(&mut places[usize::from(layout.has_header)]);
        let length = file.metadata().map_err(error)?.len();
        Ok(TextFile { layout, marks, length })
    }

    /// Returns the given rows, of which the first is a multiple of [`UNIT`].
    ///
    /// # Errors
    /// The errors of reading.
    pub fn block(&self, path: &str, file: &mut File, rows: Range<usize>) -> Result<Text, DataError> {
        let error = |source| DataError::Read { path: path.to_owned(), source };
        let (start, line) = self.marks[rows.start / UNIT];
        let end = self.marks.get(rows.end.div_ceil(UNIT)).map_or(self.length, |(byte, _)| *byte);
        file.seek(SeekFrom::Start(start)).map_err(error)?;
        let mut bytes = vec![0; (end - start) as usize];
        file.read_exact(&mut bytes).map_err(error)?;
        Ok(self.layout.block(bytes, line, rows.len()))
    }
}
