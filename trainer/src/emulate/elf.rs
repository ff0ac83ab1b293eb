//! The sizes of programs.

/// Offsets in the head of a file: the place, the size and the number of section headers.
const SECTIONS: usize = 0x20;
const SECTION_SIZE: usize = 0x2e;
const SECTION_COUNT: usize = 0x30;

/// Offsets in a section header, the kind of a section without bytes in the file, and the flag of those in memory.
const KIND: usize = 0x04;
const FLAGS: usize = 0x08;
const SIZE: usize = 0x14;
const NO_BITS: u32 = 8;
const IN_MEMORY: u32 = 2;

/// Returns the bytes of flash of a program: code, constants and initial values. There are none for a file that is no
/// ELF file of 32 bits, little end first.
pub(crate) fn flash(image: &[u8]) -> Option<usize> {
    if !image.starts_with(b"\x7fELF\x01\x01") {
        return None;
    }
    let word = |at: usize| image.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
    let half = |at: usize| image.get(at..at + 2)?.try_into().ok().map(|bytes| usize::from(u16::from_le_bytes(bytes)));
    let (first, size, count) = (word(SECTIONS)? as usize, half(SECTION_SIZE)?, half(SECTION_COUNT)?);
    let mut bytes = 0;
    for at in (0..count).map(|section| first + section * size) {
        if word(at + FLAGS)? & IN_MEMORY != 0 && word(at + KIND)? != NO_BITS {
            bytes += word(at + SIZE)? as usize;
        }
    }
    Some(bytes)
}
