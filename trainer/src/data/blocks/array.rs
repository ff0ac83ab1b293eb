//! Rows of arrays in `.npy` and IDX files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::data::array::{Array, Header};
use crate::data::{DataError, idx, npy};

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
        let may_hold_targets = npy::recognised(start);
        let header = if may_hold_targets { npy::header(path, start)? } else { idx::header(path, start)? };
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
