//! `.npy` files, NumPy's format for one array (versions 1 to 3 of `numpy.lib.format`).
//!
//! A file holds a magic string, the version, the length of the header, the header and the elements. The header is a
//! Python dictionary of the type of the elements, the order of the indices and the shape, such as `{'descr': '<f8',
//! 'fortran_order': False, 'shape': (3, 4), }`.

use crate::data::DataError;
use crate::data::array::{Element, Header};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Returns whether the bytes begin like a `.npy` file.
pub fn recognised(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Decodes the header.
pub fn header(path: &str, bytes: &[u8]) -> Result<Header, DataError> {
    let problem = |problem: String| DataError::Format { path: path.to_owned(), problem };
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
