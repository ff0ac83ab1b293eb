//! Arrays in binary files. The bytes stay encoded; a column is decoded on each access.

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
