//! Arrays in binary files: `.npy`, NumPy's format for one array (versions 1 to 3 of `numpy.lib.format`), and IDX, the
//! format of the MNIST digits (Y. LeCun, C. Cortes and C. Burges, *The MNIST database*). The bytes stay encoded; a
//! column is decoded on each access.

use crate::data::DataError;

/// The type of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl Element {
    /// Returns the number of bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 => 2,
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    /// Decodes the first [`Element::size`] bytes, little-endian.
    fn value(self, bytes: [u8; 8]) -> f64 {
        let [a, b, c, d, ..] = bytes;
        match self {
            Element::U8 => a.into(),
            Element::I8 => (a as i8).into(),
            Element::U16 => u16::from_le_bytes([a, b]).into(),
            Element::I16 => i16::from_le_bytes([a, b]).into(),
            Element::U32 => u32::from_le_bytes([a, b, c, d]).into(),
            Element::I32 => i32::from_le_bytes([a, b, c, d]).into(),
            Element::F32 => f32::from_le_bytes([a, b, c, d]).into(),
            // An f64 holds 53 bits of a 64-bit integer; the device holds 24 of these in its f32.
            Element::U64 => u64::from_le_bytes(bytes) as f64,
            Element::I64 => i64::from_le_bytes(bytes) as f64,
            Element::F64 => f64::from_le_bytes(bytes),
        }
    }
}

/// The header of an array file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub element: Element,
    pub big_endian: bool,
    /// Whether the first index varies fastest in memory, not the last.
    pub fortran_order: bool,
    /// The sizes of the dimensions; the first dimension counts the rows.
    pub shape: Vec<usize>,
    /// The offset of the first element in the file, in bytes.
    pub start: usize,
}

impl Header {
    /// Checks that the elements take `found` bytes.
    ///
    /// # Errors
    /// [`DataError::Length`] if they do not; [`DataError::Empty`] if a dimension is 0.
    pub fn check_length(&self, path: &str, found: usize) -> Result<(), DataError> {
        let sizes = self.shape.iter().map(|&size| size as u128);
        let expected = sizes.fold(self.element.size() as u128, u128::saturating_mul);
        if expected != found as u128 {
            let shape = self.shape.iter().map(usize::to_string).collect::<Vec<_>>().join("×");
            return Err(DataError::Length { path: path.to_owned(), shape, expected, found });
        }
        if expected == 0 || self.shape.is_empty() {
            return Err(DataError::Empty { path: path.to_owned() });
        }
        Ok(())
    }
}

/// The rows of an array. A row of several dimensions is flattened, the last index fastest.
#[derive(Clone, Debug)]
pub struct Array {
    bytes: Vec<u8>,
    header: Header,
    row_stride: usize,
    /// The position of each column's first element, in elements from the start.
    offsets: Vec<usize>,
}

impl Array {
    /// Creates an array from the bytes of a file and its decoded header.
    ///
    /// # Errors
    /// As [`Header::check_length`].
    pub fn new(path: &str, bytes: Vec<u8>, header: Header) -> Result<Array, DataError> {
        header.check_length(path, bytes.len().saturating_sub(header.start))?;
        let rows = header.shape[0];
        let columns = &header.shape[1..];
        let row_stride = if header.fortran_order { 1 } else { columns.iter().product() };
        let offsets = offsets(rows, columns, header.fortran_order);
        Ok(Array { bytes, header, row_stride, offsets })
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.header.shape[0]
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.offsets.len()
    }

    /// Returns whether all values probably share a unit: pixels of images, or 8-bit numbers.
    pub fn shares_unit(&self) -> bool {
        self.header.shape.len() > 2 || self.header.element.size() == 1
    }

    /// Returns the values of a column.
    pub fn column(&self, column: usize) -> impl Iterator<Item = f64> {
        let size = self.header.element.size();
        let first = self.header.start + self.offsets[column] * size;
        (0..self.rows()).map(move |row| {
            let at = first + row * self.row_stride * size;
            let mut bytes = [0; 8];
            bytes[..size].copy_from_slice(&self.bytes[at..at + size]);
            if self.header.big_endian {
                bytes[..size].reverse();
            }
            self.header.element.value(bytes)
        })
    }
}

/// Returns the position of each column's first element for rows of the given dimensions.
fn offsets(rows: usize, sizes: &[usize], fortran_order: bool) -> Vec<usize> {
    let count: usize = sizes.iter().product();
    if !fortran_order {
        return (0..count).collect();
    }
    let offset = |mut column: usize| {
        let mut offset = 0;
        let mut stride = count * rows;
        for size in sizes.iter().rev() {
            stride /= size;
            offset += stride * (column % size);
            column /= size;
        }
        offset
    };
    (0..count).map(offset).collect()
}

const MAGIC: &[u8] = b"\x93NUMPY";

/// Returns whether the bytes begin like a `.npy` file.
pub fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Decodes the header.
pub fn npy_header(path: &str, bytes: &[u8]) -> Result<Header, DataError> {
    let problem = |problem: String| DataError::Format { path: path.to_owned(), problem: problem.into() };
    let unreadable =
        || problem("the header of this .npy file is cut short or damaged; save the array again".to_owned());
    let version = *bytes.get(MAGIC.len()).ok_or_else(unreadable)?;
    let (text, length) = match version {
        1 => (MAGIC.len() + 4, 2),
        2 | 3 => (MAGIC.len() + 6, 4),
        _ => {
            return Err(problem(format!(
                "version {version} of the .npy format is unknown; save the array with numpy.save"
            )));
        }
    };
    let length = bytes.get(text - length..text).ok_or_else(unreadable)?;
    let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    let dictionary = bytes.get(text..).and_then(|b| b.get(..length)).ok_or_else(unreadable)?;
    let dictionary = str::from_utf8(dictionary).map_err(|_| unreadable())?;

    let descr = value(dictionary, "descr").ok_or_else(unreadable)?;
    let Some((big_endian, element)) = element(descr) else {
        let kind = descr.split(", 'fortran_order'").next().unwrap_or(descr).chars().take(40).collect::<String>();
        return Err(problem(format!(
            "elements of the type {kind} are not supported; convert the array, for instance with .astype('f4')"
        )));
    };
    let order = value(dictionary, "fortran_order").ok_or_else(unreadable)?;
    let fortran_order = order.starts_with("True");
    if !fortran_order && !order.starts_with("False") {
        return Err(unreadable());
    }
    let shape =
        value(dictionary, "shape").and_then(|text| text.strip_prefix('(')?.split_once(')')).map(|(list, _)| list);
    let sizes = shape.ok_or_else(unreadable)?.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape: Result<Vec<usize>, _> = sizes.map(str::parse).collect();
    let shape = shape.map_err(|_| unreadable())?;
    if shape.is_empty() {
        return Err(problem("holds a single number; save an array whose first dimension counts the rows".to_owned()));
    }
    Ok(Header { element, big_endian, fortran_order, shape, start: text + length.min(bytes.len()) })
}

/// Returns the text behind a key of the dictionary.
fn value<'a>(dictionary: &'a str, key: &str) -> Option<&'a str> {
    let quoted = ['\'', '"'].map(|quote| format!("{quote}{key}{quote}"));
    let (_, rest) = quoted.iter().find_map(|key| dictionary.split_once(key.as_str()))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

/// Returns whether the elements are big-endian, and their type.
fn element(descr: &str) -> Option<(bool, Element)> {
    let quote = descr.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
    let (descr, _) = descr[1..].split_once(quote)?;
    let (order, kind) = descr.split_at_checked(1)?;
    let element = match kind {
        "u1" | "b1" => Element::U8,
        "i1" => Element::I8,
        "u2" => Element::U16,
        "i2" => Element::I16,
        "u4" => Element::U32,
        "i4" => Element::I32,
        "u8" => Element::U64,
        "i8" => Element::I64,
        "f4" => Element::F32,
        "f8" => Element::F64,
        _ => return None,
    };
    match order {
        "<" | "|" => Some((false, element)),
        ">" => Some((true, element)),
        _ => None,
    }
}

/// Returns whether the bytes begin like an IDX file. Text never begins with zeros.
pub fn is_idx(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0, 0])
}

/// Decodes the header.
pub fn idx_header(path: &str, bytes: &[u8]) -> Result<Header, DataError> {
    let problem = |problem: String| DataError::Format { path: path.to_owned(), problem: problem.into() };
    let short = || problem("the header of this IDX file is cut short; get the file again".to_owned());
    let [kind, dimensions] = bytes.get(2..4).and_then(|b| b.try_into().ok()).ok_or_else(short)?;
    let element = match kind {
        0x08 => Element::U8,
        0x09 => Element::I8,
        0x0b => Element::I16,
        0x0c => Element::I32,
        0x0d => Element::F32,
        0x0e => Element::F64,
        kind => {
            let wrong = format!("begins with zeros like an IDX file, but 0x{kind:02x} is not an element type of IDX");
            return Err(problem(wrong + "; give a CSV, .npy or IDX file"));
        }
    };
    if dimensions == 0 {
        return Err(problem(
            "this IDX file has no dimensions; save it with a first dimension that counts the rows".to_owned(),
        ));
    }
    let start = 4 + 4 * usize::from(dimensions);
    let sizes = bytes.get(4..start).ok_or_else(short)?;
    let size = |bytes: &[u8]| bytes.iter().fold(0, |size, &byte| size << 8 | usize::from(byte));
    let shape = sizes.chunks(4).map(size).collect();
    Ok(Header { element, big_endian: true, fortran_order: false, shape, start })
}
