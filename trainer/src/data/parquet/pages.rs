//! Bounds of pages: what a page states is compared with its bytes before the package `parquet` reserves memory for it.

use std::io::BufReader;

use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::schema::types::ColumnDescriptor;

use super::compact::{Compact, FALSE, INT32, STRUCT, TRUE};
use super::pieces::Pieces;

/// The bytes that a page may take after decompression, and those for each byte of the file.
const PAGE: u64 = 32 << 20;
const PAGE_PER_BYTE: u64 = 2048;

/// The bytes that are read at once where a header of a page is.
const HEADER: usize = 256;

/// What the headers of the pages of a column state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stated {
    /// The bytes of the largest page after decompression.
    pub largest: u64,
    /// Whether a value may repeat the beginning of the value before it, which copies that beginning.
    pub copies: bool,
}

/// A structure of the header of a page: its field there, the number of its numbers, which come first, and its field
/// with a truth value.
const STRUCTURES: [(i16, i16, i16); 4] = [(5, 4, 0), (6, 0, 0), (7, 2, 3), (8, 6, 7)];

/// Reads the headers of the pages of a column in a row group; returns none if one of them is damaged or states more
/// than the bytes of its page can hold.
pub fn check(source: &Pieces, column: &ColumnChunkMetaData) -> Option<Stated> {
    let (start, length) = column.byte_range();
    let end = start.checked_add(length)?;
    let mut stated = Stated::default();
    let mut next = start;
    while next < end {
        let mut header = Compact::new(BufReader::with_capacity(HEADER, source.onwards(next)), end - next);
        let page = header_of_page(&mut header)?;
        next = end.checked_sub(header.left().checked_sub(page.compressed)?)?;
        let expanded = page.compressed.saturating_mul(most_expansion(column.compression())?);
        let most = expanded.min(PAGE.saturating_add(source.bytes().saturating_mul(PAGE_PER_BYTE)));
        if column.compression() != Compression::UNCOMPRESSED && page.uncompressed > most {
            return None;
        }
        stated.largest = stated.largest.max(page.uncompressed).max(page.compressed);
        stated.copies |= page.encodings.contains(&Some(Encoding::DELTA_BYTE_ARRAY as i32));
    }
    Some(stated)
}

/// Returns the bytes that a byte of a codec stands for at most; none for a codec that is not supported.
fn most_expansion(codec: Compression) -> Option<u64> {
    match codec {
        Compression::UNCOMPRESSED => Some(1),
        // A copy of 64 bytes takes three bytes.
        Compression::SNAPPY => Some(22),
        // A copy of 258 bytes takes two bits.
        Compression::GZIP(_) => Some(1032),
        // A block of 128 KiB of one byte takes four bytes.
        Compression::ZSTD(_) => Some(1 << 15),
        _ => None,
    }
}

/// What the header of a page states.
#[derive(Default)]
struct Header {
    compressed: u64,
    uncompressed: u64,
    /// The encodings of values in a page of version 1 and of version 2.
    encodings: [Option<i32>; 2],
}

/// Reads the header of a page. The package takes the types of fields for granted, so that other types are refused.
fn header_of_page(bytes: &mut Compact<impl std::io::Read>) -> Option<Header> {
    let mut header = Header::default();
    let mut last = 0;
    while let Some((field, kind)) = bytes.field(last)? {
        last = field;
        match (field, kind) {
            (2, INT32) => header.uncompressed = u64::try_from(bytes.int()?).ok()?,
            (3, INT32) => header.compressed = u64::try_from(bytes.int()?).ok()?,
            (1 | 4, INT32) => _ = bytes.int()?,
            (5..=8, STRUCT) => {
                let &(_, numbers, flag) = STRUCTURES.iter().find(|(of, ..)| *of == field)?;
                let values = structure(bytes, numbers, flag)?;
                match field {
                    5 => header.encodings[0] = Some(values[2]),
                    8 => header.encodings[1] = Some(values[4]),
                    _ => {}
                }
            }
            (1..=8, _) => return None,
            _ => bytes.skip(kind)?,
        }
    }
    Some(header)
}

/// Reads the numbers of a structure in the header of a page, by their fields.
fn structure(bytes: &mut Compact<impl std::io::Read>, numbers: i16, flag: i16) -> Option<[i32; 7]> {
    let mut values = [0; 7];
    let mut last = 0;
    while let Some((field, kind)) = bytes.field(last)? {
        last = field;
        match kind {
            INT32 if (1..=numbers).contains(&field) => values[field as usize] = bytes.int()?,
            _ if (1..=numbers).contains(&field) => return None,
            TRUE | FALSE if field == flag => {}
            _ if field == flag => return None,
            _ => bytes.skip(kind)?,
        }
    }
    Some(values)
}

/// The pages of a column without nested values, each of which is checked before its values are decoded.
pub struct Checked {
    pages: Box<dyn PageReader>,
    /// The least number of bytes of a value in a dictionary.
    width: u64,
    has_gaps: bool,
}

impl Checked {
    pub fn new(pages: Box<dyn PageReader>, kind: &ColumnDescriptor) -> Checked {
        let width = match kind.physical_type() {
            Type::BOOLEAN => 1,
            Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
            Type::INT64 | Type::DOUBLE => 8,
            Type::INT96 => 12,
            Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(kind.type_length()).unwrap_or(1).max(1),
        };
        Checked { pages, width, has_gaps: kind.max_def_level() > 0 }
    }

    fn checked(&self, page: Page) -> Result<Page> {
        let holds = self.holds(&page);
        holds.then_some(page).ok_or_else(|| ParquetError::General("more values than bytes".to_owned()))
    }

    /// Returns whether a page has the bytes of the values that it states.
    fn holds(&self, page: &Page) -> bool {
        match page {
            Page::DictionaryPage { buf, num_values, .. } => u64::from(*num_values) * self.width <= buf.len() as u64,
            Page::DataPage { buf, num_values, encoding, def_level_encoding, .. } => {
                let levels = match buf.first_chunk() {
                    _ if !self.has_gaps => Some(0),
                    Some(&bytes) if *def_level_encoding == Encoding::RLE => {
                        (u32::from_le_bytes(bytes) as usize).checked_add(4)
                    }
                    _ => Some(num_values.div_ceil(8) as usize),
                };
                levels
                    .and_then(|start| buf.get(start..))
                    .is_some_and(|values| counts_hold(values, *encoding, *num_values))
            }
            Page::DataPageV2 { buf, num_values, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let start = def_levels_byte_len.checked_add(*rep_levels_byte_len);
                let values = start.and_then(|start| buf.get(start as usize..));
                values.is_some_and(|values| counts_hold(values, *encoding, *num_values))
            }
        }
    }
}

/// Returns whether the counts at the start of values are at most the number of values of the page. The package
/// reserves memory for as many lengths as these counts state.
fn counts_hold(values: &[u8], encoding: Encoding, most: u32) -> bool {
    let streams = match encoding {
        Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
        Encoding::DELTA_BYTE_ARRAY => 2,
        _ => return true,
    };
    let mut bytes = Compact::new(values, values.len() as u64);
    (0..streams).all(|stream| {
        let is_last = stream + 1 == streams;
        bytes.left() == 0 || skip_differences(&mut bytes, most.into(), is_last).is_some()
    })
}

/// Skips numbers that are encoded by their differences, of which there are at most `most`; only their header if that is
/// enough.
fn skip_differences(bytes: &mut Compact<&[u8]>, most: u64, only_header: bool) -> Option<()> {
    let block = bytes.varint()?;
    let parts = bytes.varint()?;
    let count = bytes.varint()?;
    bytes.varint()?;
    if count > most {
        return None;
    }
    let part = block.checked_div(parts)?;
    let mut left = if only_header { 0 } else { count.saturating_sub(1) };
    while left > 0 {
        // The least difference, then the number of bits of each part of a block.
        bytes.varint()?;
        let widths = bytes.take(parts)?;
        for width in widths {
            if left > 0 {
                bytes.skip_bytes(u64::from(width).checked_mul(part)? / 8)?;
            }
            left = left.saturating_sub(part);
        }
    }
    Some(())
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.pages.get_next_page()?.map(|page| self.checked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.pages.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        self.pages.take_deferred_dictionary()?.map(|page| self.checked(page)).transpose()
    }
}
