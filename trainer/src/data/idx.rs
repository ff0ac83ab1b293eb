//! IDX files, the format of the MNIST digits (Y. LeCun, C. Cortes and C. Burges, *The MNIST database*).
//!
//! Two zero bytes, the type of the elements, the number of dimensions, their sizes as big-endian 32-bit numbers, and the
//! elements, big-endian, the last index fastest.

use crate::data::DataError;
use crate::data::array::{Element, Header};

/// Whether the bytes begin as an IDX file does; no text begins with zeros.
pub fn recognised(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0, 0])
}

/// Reads the header.
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
            let wrong = format!("begins with zeros as an IDX file does, but 0x{kind:02x} is no element type of IDX");
            return Err(problem(wrong + "; give a CSV, .npy or IDX file"));
        }
    };
    if dimensions == 0 {
        return Err(problem("this IDX file has no dimensions; its first one must count the rows".to_owned()));
    }
    let start = 4 + 4 * usize::from(dimensions);
    let sizes = bytes.get(4..start).ok_or_else(short)?;
    let size = |bytes: &[u8]| bytes.iter().fold(0, |size, &byte| size << 8 | usize::from(byte));
    let shape = sizes.chunks(4).map(size).collect();
    Ok(Header { element, big_endian: true, fortran_order: false, shape, start })
}
