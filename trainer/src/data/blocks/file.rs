//! A data file whose rows stay in the file until they are asked for.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use crate::data::array::{Array, Header, idx_header, is_idx, is_npy, npy_header};
use crate::data::blocks::UNIT;
use crate::data::csv::Text;
#[cfg(feature = "parquet")]
use crate::data::parquet::{self, Parquet};
use crate::data::table::{Content, ZIP, zipped};
use crate::data::{DataError, Table};

/// A data file of any format.
pub struct TableFile {
    path: String,
    kind: Kind,
}

enum Kind {
    Text(TextFile),
    Array(ArrayFile),
    #[cfg(feature = "parquet")]
    Parquet(Parquet),
}

impl TableFile {
    /// Opens a data file. A text is read once, to find its rows.
    ///
    /// # Errors
    /// Those of [`Table::read`], and [`DataError::Format`] for a compressed file, which has no places to begin at.
    pub fn open(path: &Path) -> Result<TableFile, DataError> {
        let name = path.display().to_string();
        #[cfg(feature = "parquet")]
        if let Some(file) = parquet::recognised_file(path) {
            let kind = Kind::Parquet(parquet::open(&name, file)?);
            return Ok(TableFile { path: name, kind });
        }
        let mut file = open(&name)?;
        let mut start = Vec::new();
        let read = (&mut file).take(ArrayFile::header_bytes()).read_to_end(&mut start);
        read.map_err(|source| DataError::Read { path: name.clone(), source })?;
        let kind = if is_npy(&start) || is_idx(&start) {
            Kind::Array(ArrayFile::open(&name, &start, &file)?)
        } else if start.starts_with(&[0x1f, 0x8b]) {
            let problem = "is compressed with gzip, which has no places to begin reading at; unpack it, or write it as \
                           Parquet";
            return Err(DataError::Format { path: name, problem: problem.into() });
        } else if start.starts_with(ZIP) {
            return Err(zipped(&name));
        } else {
            Kind::Text(TextFile::open(&name, &start, &mut file)?)
        };
        Ok(TableFile { path: name, kind })
    }

    /// Returns the path of the file, as the caller gave it.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        match &self.kind {
            Kind::Text(text) => text.layout.rows,
            Kind::Array(array) => array.rows(),
            #[cfg(feature = "parquet")]
            Kind::Parquet(file) => file.rows,
        }
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        match &self.kind {
            Kind::Text(text) => text.layout.names.len(),
            Kind::Array(array) => array.columns(),
            #[cfg(feature = "parquet")]
            Kind::Parquet(file) => file.names.len(),
        }
    }

    /// Returns a warning about the file in one sentence.
    pub fn remark(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => text.layout.remark.as_deref(),
            _ => None,
        }
    }

    /// Returns the given rows, of which the first is a multiple of the unit of blocks. Error messages have the numbers
    /// of rows and lines in the whole file.
    ///
    /// # Errors
    /// The errors of reading.
    pub fn block(&self, rows: Range<usize>) -> Result<Table, DataError> {
        let first = rows.start;
        let content = match &self.kind {
            Kind::Text(text) => Content::Text(text.block(&self.path, &mut open(&self.path)?, rows)?),
            Kind::Array(file) => {
                let array: Array = file.block(&self.path, &mut open(&self.path)?, rows)?;
                Content::Array { array, may_hold_targets: file.may_hold_targets }
            }
            #[cfg(feature = "parquet")]
            Kind::Parquet(file) => Content::Parquet(file.block(rows)),
        };
        Ok(Table::of(&self.path, first, content))
    }
}

fn open(path: &str) -> Result<File, DataError> {
    File::open(path).map_err(|source| DataError::Read { path: path.to_owned(), source })
}

/// The bytes that a header may take.
const MOST_HEADER: u64 = 1 << 20;

/// An array whose elements stay in the file.
pub struct ArrayFile {
    header: Header,
    pub may_hold_targets: bool,
}

impl ArrayFile {
    /// Reads the header of a file that begins with `start`.
    ///
    /// # Errors
    /// The errors of headers, and [`DataError::Length`] if the file has another length than the header says.
    pub fn open(path: &str, start: &[u8], file: &File) -> Result<ArrayFile, DataError> {
        let may_hold_targets = is_npy(start);
        let header = if may_hold_targets { npy_header(path, start)? } else { idx_header(path, start)? };
        let length = file.metadata().map_err(|source| DataError::Read { path: path.to_owned(), source })?.len();
        header.check_length(path, length.saturating_sub(header.start as u64) as usize)?;
        Ok(ArrayFile { header, may_hold_targets })
    }

    /// The number of bytes at the start of a file that hold the header.
    pub fn header_bytes() -> u64 {
        MOST_HEADER
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.header.shape[0]
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.header.shape[1..].iter().product()
    }

    /// Returns the given rows.
    ///
    /// # Errors
    /// The errors of reading.
    pub fn block(&self, path: &str, file: &mut File, rows: Range<usize>) -> Result<Array, DataError> {
        let size = self.header.element.size();
        let all = self.rows();
        let mut bytes = vec![0; rows.len() * self.columns() * size];
        let mut read = |first: usize, to: &mut [u8]| -> io::Result<()> {
            file.seek(SeekFrom::Start((self.header.start + first * size) as u64))?;
            file.read_exact(to)
        };
        let done = if self.header.fortran_order {
            let mut columns = bytes.chunks_mut((rows.len() * size).max(1)).enumerate();
            columns.try_for_each(|(column, to)| read(column * all + rows.start, to))
        } else {
            read(rows.start * self.columns(), &mut bytes)
        };
        done.map_err(|source| DataError::Read { path: path.to_owned(), source })?;
        let mut header = self.header.clone();
        header.shape[0] = rows.len();
        header.start = 0;
        Array::new(path, bytes, header)
    }
}

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
