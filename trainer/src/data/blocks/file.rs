//! A data file whose rows stay in the file until they are asked for.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use crate::data::array::Array;
use crate::data::blocks::array::ArrayFile;
use crate::data::blocks::text::TextFile;
#[cfg(feature = "parquet")]
use crate::data::parquet::{self, Parquet};
use crate::data::table::{Content, ZIP, zipped};
use crate::data::{DataError, Table, idx, npy};

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
        let kind = if npy::recognised(&start) || idx::recognised(&start) {
            Kind::Array(ArrayFile::open(&name, &start, &file)?)
        } else if start.starts_with(&[0x1f, 0x8b]) {
            let problem = "is compressed with gzip, which has no places to begin reading at; unpack it, or write it as \
                           Parquet";
            return Err(DataError::Format { path: name, problem: problem.to_owned() });
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
