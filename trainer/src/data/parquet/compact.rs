//! Thrift's compact protocol, as far as bounds need it: some fields are read, all else is skipped.
//!
//! Source: `doc/specs/thrift-compact-protocol.md` of Apache Thrift.

use std::io::{self, Read};

/// The types of fields that are told apart.
pub const TRUE: u8 = 1;
pub const FALSE: u8 = 2;
pub const BYTE: u8 = 3;
pub const INT16: u8 = 4;
pub const INT32: u8 = 5;
pub const INT64: u8 = 6;
pub const DOUBLE: u8 = 7;
pub const BINARY: u8 = 8;
pub const LIST: u8 = 9;
pub const SET: u8 = 10;
pub const MAP: u8 = 11;
pub const STRUCT: u8 = 12;
pub const UUID: u8 = 13;

/// The levels of nested fields that are skipped.
const DEPTH: u8 = 64;

/// Bytes in the compact protocol. Every function returns none where the bytes are damaged.
pub struct Compact<R> {
    input: R,
    left: u64,
}

impl<R: Read> Compact<R> {
    /// The first `left` bytes of `input`.
    pub fn new(input: R, left: u64) -> Self {
        Compact { input, left }
    }

    /// Returns the number of bytes that were not read yet.
    pub fn left(&self) -> u64 {
        self.left
    }

    fn byte(&mut self) -> Option<u8> {
        self.left = self.left.checked_sub(1)?;
        let mut byte = [0];
        self.input.read_exact(&mut byte).ok()?;
        Some(byte[0])
    }

    /// Skips bytes.
    pub fn skip_bytes(&mut self, count: u64) -> Option<()> {
        self.left = self.left.checked_sub(count)?;
        let skipped = io::copy(&mut (&mut self.input).take(count), &mut io::sink()).ok()?;
        (skipped == count).then_some(())
    }

    /// Reads bytes.
    pub fn take(&mut self, count: u64) -> Option<Vec<u8>> {
        self.left = self.left.checked_sub(count)?;
        let mut bytes = Vec::new();
        (&mut self.input).take(count).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 == count).then_some(bytes)
    }

    /// Reads an unsigned number, seven bits a byte.
    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// Reads a signed number of 32 bits.
    pub fn int(&mut self) -> Option<i32> {
        let value = self.varint()?;
        i32::try_from((value >> 1) as i64 ^ -((value & 1) as i64)).ok()
    }

    /// Reads the identifier and the type of the field behind field `last` of a structure; `Some(None)` at its end.
    pub fn field(&mut self, last: i16) -> Option<Option<(i16, u8)>> {
        let byte = self.byte()?;
        let step = i16::from(byte >> 4);
        let kind = byte & 0xf;
        if kind == 0 {
            return Some(None);
        }
        let id = if step == 0 { i16::try_from(self.int()?).ok()? } else { last.checked_add(step)? };
        Some(Some((id, kind)))
    }

    /// Reads the number of the elements of a list or a set, and their type.
    pub fn list(&mut self) -> Option<(u64, u8)> {
        let start = self.byte()?;
        let count = if start >> 4 == 15 { self.varint()? } else { u64::from(start >> 4) };
        Some((count, start & 0xf))
    }

    /// Skips a field of a type. The time is in proportion to its bytes.
    pub fn skip(&mut self, kind: u8) -> Option<()> {
        self.skip_within(kind, DEPTH)
    }

    fn skip_within(&mut self, kind: u8, depth: u8) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            TRUE | FALSE => Some(()),
            BYTE => self.skip_bytes(1),
            INT16 | INT32 | INT64 => self.varint().map(|_| ()),
            DOUBLE => self.skip_bytes(8),
            UUID => self.skip_bytes(16),
            BINARY => {
                let count = self.varint()?;
                self.skip_bytes(count)
            }
            LIST | SET => {
                let (count, kind) = self.list()?;
                self.skip_elements(count, &[kind], depth)
            }
            MAP => match self.varint()? {
                0 => Some(()),
                count => {
                    let kinds = self.byte()?;
                    self.skip_elements(count, &[kinds >> 4, kinds & 0xf], depth)
                }
            },
            STRUCT => {
                while let Some((_, kind)) = self.field(0)? {
                    self.skip_within(kind, depth)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Skips the elements of a collection. The package `parquet` skips truth values without reading a byte, so that few
    /// bytes take it any time; the format of Parquet files has no collection of them in the places that are skipped.
    fn skip_elements(&mut self, count: u64, kinds: &[u8], depth: u8) -> Option<()> {
        if count > self.left || (count > 0 && kinds.iter().any(|&kind| kind == TRUE || kind == FALSE)) {
            return None;
        }
        for _ in 0..count {
            kinds.iter().try_for_each(|&kind| self.skip_within(kind, depth))?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Skips a structure; returns the number of bytes that are left.
    fn left(bytes: &[u8]) -> Option<u64> {
        let mut compact = Compact::new(bytes, bytes.len() as u64);
        compact.skip(STRUCT)?;
        Some(compact.left())
    }

    #[test]
    fn fields_of_every_type_are_skipped() {
        // Two truth values, a byte, numbers of 16, 32 and 64 bits, and the end; 7 is left.
        assert_eq!(left(&[0x11, 0x12, 0x13, 9, 0x14, 0x80, 1, 0x15, 3, 0x16, 4, 0, 7]), Some(1));
        assert_eq!(left(&[&[0x17][..], &[1; 8], &[0x18, 3], b"abc", &[0x1d], &[2; 16], &[0]].concat()), Some(0));
        // A list of two bytes, a set of one text, an empty map, a map of a byte and a structure.
        assert_eq!(left(&[0x19, 0x23, 1, 2, 0x1a, 0x18, 1, b'x', 0x1b, 0, 0x1b, 1, 0x3c, 5, 0, 0]), Some(0));
        // A list with a count of its own, and a field with an identifier of its own.
        assert_eq!(left(&[&[0x19, 0xf3, 16][..], &[0; 16], &[0x05, 0xc8, 1, 6, 0]].concat()), Some(0));
    }

    #[test]
    fn damaged_fields_are_refused() {
        let refused: [&[u8]; 9] = [
            &[],
            &[0x15, 0x80],
            &[0x18, 9, 1, 0],
            // Lists: of truth values, of more elements than bytes; a type that there is not; a number without an end.
            &[0x19, 0xf2, 0xff, 0xff, 0xff, 0xff, 0x07, 0],
            &[0x19, 0x13 + 0x20, 1, 0],
            &[0x19, 0xf3, 0xff, 0xff, 0xff, 0xff, 0x07, 0],
            &[0x1e, 0],
            &[0x15, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0],
            &[0x1b, 1, 0x13, 1, 1, 0],
        ];
        for bytes in refused {
            assert_eq!(left(bytes), None, "{bytes:x?}");
        }
        // An identifier that is too large, and structures within structures.
        assert_eq!(Compact::new(&[0x15_u8][..], 1).field(i16::MAX), None);
        assert_eq!(left(&[&[0x1c; 62][..], &[0; 63]].concat()), Some(0));
        assert_eq!(left(&[&[0x1c; 65][..], &[0; 66]].concat()), None);
    }

    #[test]
    fn numbers_have_signs_and_32_bits() {
        let int = |bytes: &[u8]| Compact::new(bytes, 10).int();
        assert_eq!([int(&[0]), int(&[1]), int(&[2]), int(&[0x96, 1])], [Some(0), Some(-1), Some(1), Some(75)]);
        assert_eq!(int(&[0xff, 0xff, 0xff, 0xff, 0x0f]), Some(i32::MIN));
        assert_eq!(int(&[0x80, 0x80, 0x80, 0x80, 0x10]), None);
    }
}
