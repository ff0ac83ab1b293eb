//! IDX files, the format of the MNIST digits (Y. LeCun, C. Cortes and C. Burges, *The MNIST database*).
//!
//! A file holds two zero bytes, the type of the elements, the number of dimensions, the size of each dimension as a
//! 32-bit number, and the elements, the last index fastest. All numbers are big-endian.

use crate::data::DataError;
use crate::data::array::{Element, Header};

/// Returns whether the bytes begin like an IDX file. Text never begins with zeros.
pub fn recognised(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0, 0])
}

/// Decodes the header.
pub fn header(path: &str, bytes: &[u8]) -> Result<Header, DataError> {
    let problem = |problem: String| DataError::Format { path: path.to_owned(), problem };
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
