//! Arrays of numbers as binary files hold them: the bytes stay as they are, and columns are decoded when they are asked
//! for.

use crate::data::DataError;

/// The type of the elements.
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
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Element::U8 | Element::I8 => 1,
            Element::U16 | Element::I16 => 2,
            Element::U32 | Element::I32 | Element::F32 => 4,
            Element::U64 | Element::I64 | Element::F64 => 8,
        }
    }

    /// The value of [`Element::size`] little-endian bytes.
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
            // Readings reach the device as f32: that f64 holds no more than 53 bits of these costs nothing.
            Element::U64 => u64::from_le_bytes(bytes) as f64,
            Element::I64 => i64::from_le_bytes(bytes) as f64,
            Element::F64 => f64::from_le_bytes(bytes),
        }
    }
}

/// What the header of an array file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub element: Element,
    pub big_endian: bool,
    /// The first index varies fastest.
    pub fortran_order: bool,
    /// Sizes of the dimensions; the first counts the rows.
    pub shape: Vec<usize>,
    /// Where the elements begin.
    pub start: usize,
}

/// The rows of an array; those of more than two dimensions are flattened, the last index fastest.
#[derive(Clone, Debug)]
pub struct Array {
    bytes: Vec<u8>,
    header: Header,
    row_stride: usize,
    /// Elements before the first of each column.
    offsets: Vec<usize>,
}

impl Array {
    /// Puts the header of a file to its bytes.
    ///
    /// # Errors
    /// [`DataError::Length`] where they disagree, [`DataError::NoRows`] where a dimension is 0.
    pub fn new(path: &str, bytes: Vec<u8>, header: Header) -> Result<Array, DataError> {
        let sizes = header.shape.iter().map(|&size| size as u128);
        let expected = sizes.fold(header.element.size() as u128, u128::saturating_mul);
        let found = bytes.len().saturating_sub(header.start);
        if expected != found as u128 {
            let shape = header.shape.iter().map(usize::to_string).collect::<Vec<_>>().join("×");
            return Err(DataError::Length { path: path.to_owned(), shape, expected, found });
        }
        let Some((&rows, columns)) = header.shape.split_first().filter(|_| expected > 0) else {
            return Err(DataError::Empty { path: path.to_owned() });
        };
        let row_stride = if header.fortran_order { 1 } else { columns.iter().product() };
        let offsets = offsets(rows, columns, header.fortran_order);
        Ok(Array { bytes, header, row_stride, offsets })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.header.shape[0]
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.offsets.len()
    }

    /// Whether all values are readings of one kind: pixels, or numbers of 8 bits.
    pub fn shares_unit(&self) -> bool {
        self.header.shape.len() > 2 || self.header.element.size() == 1
    }

    /// The values of a column.
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

/// Where each column begins, for columns of the given sizes.
fn offsets(rows: usize, sizes: &[usize], fortran_order: bool) -> Vec<usize> {
    let count: usize = sizes.iter().product();
    if !fortran_order {
        return (0..count).collect();
    }
    let offset = |mut column: usize| {
        let (mut offset, mut stride) = (0, count * rows);
        for size in sizes.iter().rev() {
            stride /= size;
            offset += stride * (column % size);
            column /= size;
        }
        offset
    };
    (0..count).map(offset).collect()
}
