//! Bounds of what a footer states, by the bytes of the file.

use parquet::basic::Compression;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;

use super::compact::Compact;
use super::pieces::Pieces;
use super::types::FOOTER;
use crate::data::DataError;

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
        return Err(DataError::Format { path: path.to_owned(), problem });
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
            return Err(DataError::Format { path: path.to_owned(), problem });
        }
    }
    Ok(())
}

/// The error of a file whose bytes contradict each other.
pub fn damaged(path: &str) -> DataError {
    let problem = "this Parquet file is cut short or damaged; write it again".to_owned();
    DataError::Format { path: path.to_owned(), problem }
}
