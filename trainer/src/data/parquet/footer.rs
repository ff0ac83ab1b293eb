//! Bounds of what a footer states, by the bytes of the file.

use std::io::Read;

use parquet::basic::Compression;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;

use crate::data::DataError;
use crate::data::parquet::compact::{BINARY, BYTE, Compact, DOUBLE, FALSE, INT16, INT32, INT64, LIST, STRUCT, TRUE};
use crate::data::parquet::pieces::Pieces;

/// The values that a file may state, and those for each of its bytes. Repeated values take next to no bytes.
const VALUES: u64 = 1 << 25;
const VALUES_PER_BYTE: u64 = 512;

/// Reads the footer by the types of its fields; returns none if it is damaged. The package `parquet` takes any time for
/// some damaged footers.
pub fn check(source: &Pieces) -> Option<()> {
    let end = source.bytes().checked_sub(8)?;
    let length = source.get_bytes(end, 4).ok()?;
    let length = u64::from(u32::from_le_bytes(length[..].try_into().ok()?));
    let footer = source.get_bytes(end.checked_sub(length)?, usize::try_from(length).ok()?).ok()?;
    FOOTER.skip(&mut Compact::new(&footer[..], length))
}

/// Refuses more values, and more bytes of columns, than the file can have.
pub fn check_sizes(
    path: &str,
    metadata: &ParquetMetaData,
    rows: usize,
    columns: usize,
    length: u64,
) -> Result<(), DataError> {
    let columns_of_groups = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let bytes = columns_of_groups.map(|column| column.compressed_size().unsigned_abs());
    let bytes = bytes.fold(0, u64::saturating_add);
    let values = (rows as u64).saturating_mul(columns as u64);
    if values > length.saturating_mul(VALUES_PER_BYTE).saturating_add(VALUES) || bytes > length {
        let problem = format!("states {rows} rows, too many for its {length} bytes; write the table again");
        return Err(DataError::Format { path: path.to_owned(), problem: problem.into() });
    }
    Ok(())
}

/// Refuses columns that are not within the file, and compressions that this build does not have.
pub fn check_columns(path: &str, group: &RowGroupMetaData, length: u64) -> Result<(), DataError> {
    for column in group.columns() {
        // A list may have any number of values in a row.
        let is_flat = column.column_descr().max_rep_level() == 0;
        if is_flat && column.num_values() != group.num_rows() {
            return Err(damaged(path));
        }
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let place = (u64::try_from(start), u64::try_from(column.compressed_size()));
        let (Ok(start), Ok(bytes)) = place else { return Err(damaged(path)) };
        if start.checked_add(bytes).is_none_or(|end| end > length) || column.data_page_offset() < 0 {
            return Err(damaged(path));
        }
        let known = [Compression::UNCOMPRESSED, Compression::SNAPPY];
        let codec = column.compression();
        if !known.contains(&codec) && !matches!(codec, Compression::GZIP(_) | Compression::ZSTD(_)) {
            let problem =
                format!("is compressed by {codec}; write it again with Snappy, Zstandard, gzip or no compression");
            return Err(DataError::Format { path: path.to_owned(), problem: problem.into() });
        }
    }
    Ok(())
}

/// The error of a file whose bytes contradict each other.
pub fn damaged(path: &str) -> DataError {
    let problem = "this Parquet file is cut short or damaged; write it again".to_owned();
    DataError::Format { path: path.to_owned(), problem: problem.into() }
}

/// The type of a field.
pub enum Type {
    Bool,
    /// A number or bytes, by its type in the compact protocol.
    Plain(u8),
    List(&'static Type),
    /// A structure or a union: its fields, each with its identifier.
    Struct(Fields),
}

type Fields = &'static [(i16, Type)];

impl Type {
    /// Skips what is of this type. Fields that a structure does not have are skipped like any others. Returns none if
    /// the bytes are damaged.
    pub fn skip<R: Read>(&self, from: &mut Compact<R>) -> Option<()> {
        match self {
            Type::Bool => Some(()),
            Type::Plain(code) => from.skip(*code),
            Type::List(element) => {
                let (count, code) = from.list()?;
                if count > from.left() || count > 0 && !element.has(code) {
                    return None;
                }
                (0..count).try_for_each(|_| element.skip(from))
            }
            Type::Struct(fields) => {
                let mut last = 0;
                while let Some((id, code)) = from.field(last)? {
                    last = id;
                    match fields.iter().find(|(known, _)| *known == id) {
                        Some((_, own)) if own.has(code) => own.skip(from)?,
                        Some(_) => return None,
                        None => from.skip(code)?,
                    }
                }
                Some(())
            }
        }
    }

    /// Returns whether a type of the compact protocol is this one. Truth values have two.
    fn has(&self, code: u8) -> bool {
        match self {
            Type::Bool => code == TRUE || code == FALSE,
            Type::Plain(own) => code == *own,
            Type::List(_) => code == LIST,
            Type::Struct(_) => code == STRUCT,
        }
    }
}

const BOOL: Type = Type::Bool;
const I8: Type = Type::Plain(BYTE);
const I16: Type = Type::Plain(INT16);
const I32: Type = Type::Plain(INT32);
const I64: Type = Type::Plain(INT64);
const REAL: Type = Type::Plain(DOUBLE);
const BYTES: Type = Type::Plain(BINARY);
const EMPTY: Type = Type::Struct(&[]);
const NUMBERS: Type = Type::List(&I64);
const ENUMERATIONS: Type = Type::List(&I32);
const PAIRS: Type = Type::List(&Type::Struct(&[(1, BYTES), (2, BYTES)]));

const TIME_UNIT: Type = Type::Struct(&[(1, EMPTY), (2, EMPTY), (3, EMPTY)]);
const TIME: Type = Type::Struct(&[(1, BOOL), (2, TIME_UNIT)]);
#[rustfmt::skip]
const LOGICAL: Type = Type::Struct(&[
    (1, EMPTY), (2, EMPTY), (3, EMPTY), (4, EMPTY), (5, Type::Struct(&[(1, I32), (2, I32)])), (6, EMPTY), (7, TIME),
    (8, TIME), (10, Type::Struct(&[(1, I8), (2, BOOL)])), (11, EMPTY), (12, EMPTY), (13, EMPTY), (14, EMPTY),
    (15, EMPTY), (16, Type::Struct(&[(1, I8)])), (17, Type::Struct(&[(1, BYTES)])),
    (18, Type::Struct(&[(1, BYTES), (2, I32)])),
]);
#[rustfmt::skip]
const SCHEMA_ELEMENT: Type = Type::Struct(&[
    (1, I32), (2, I32), (3, I32), (4, BYTES), (5, I32), (6, I32), (7, I32), (8, I32), (9, I32), (10, LOGICAL),
]);
#[rustfmt::skip]
const STATISTICS: Type = Type::Struct(&[
    (1, BYTES), (2, BYTES), (3, I64), (4, I64), (5, BYTES), (6, BYTES), (7, BOOL), (8, BOOL),
]);
#[rustfmt::skip]
const BOX: Type = Type::Struct(&[
    (1, REAL), (2, REAL), (3, REAL), (4, REAL), (5, REAL), (6, REAL), (7, REAL), (8, REAL),
]);
#[rustfmt::skip]
const COLUMN: Type = Type::Struct(&[
    (1, I32), (2, ENUMERATIONS), (3, Type::List(&BYTES)), (4, I32), (5, I64), (6, I64), (7, I64), (8, PAIRS), (9, I64),
    (10, I64), (11, I64), (12, STATISTICS), (13, Type::List(&Type::Struct(&[(1, I32), (2, I32), (3, I32)]))),
    (14, I64), (15, I32), (16, Type::Struct(&[(1, I64), (2, NUMBERS), (3, NUMBERS)])),
    (17, Type::Struct(&[(1, BOX), (2, ENUMERATIONS)])),
]);
const KEY: Type = Type::Struct(&[(1, EMPTY), (2, Type::Struct(&[(1, Type::List(&BYTES)), (2, BYTES)]))]);
#[rustfmt::skip]
const CHUNK: Type = Type::Struct(&[
    (1, BYTES), (2, I64), (3, COLUMN), (4, I64), (5, I32), (6, I64), (7, I32), (8, KEY), (9, BYTES),
]);
#[rustfmt::skip]
const ROW_GROUP: Type = Type::Struct(&[
    (1, Type::List(&CHUNK)), (2, I64), (3, I64), (4, Type::List(&Type::Struct(&[(1, I32), (2, BOOL), (3, BOOL)]))),
    (5, I64), (6, I64), (7, I16),
]);
const CIPHER: Type = Type::Struct(&[(1, BYTES), (2, BYTES), (3, BOOL)]);
/// The footer of a file.
#[rustfmt::skip]
pub const FOOTER: Type = Type::Struct(&[
    (1, I32), (2, Type::List(&SCHEMA_ELEMENT)), (3, I64), (4, Type::List(&ROW_GROUP)), (5, PAIRS), (6, BYTES),
    (7, Type::List(&Type::Struct(&[(1, EMPTY), (2, EMPTY)]))), (8, Type::Struct(&[(1, CIPHER), (2, CIPHER)])),
    (9, BYTES),
]);
