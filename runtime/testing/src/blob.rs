//! A model file in memory that can be damaged and corrected.

use std::ops::{Deref, DerefMut};

/// The length in bytes of magic, version, header length and total length.
pub const PREAMBLE: usize = 12;

/// The length in bytes of the checksum at the end.
pub const CHECKSUM: usize = 4;

/// Bytes that start on a four-byte boundary, as `Model::parse` needs them.
#[derive(Clone, Debug, Default)]
pub struct Blob {
    words: Vec<u32>,
    len: usize,
}

impl Blob {
    /// Returns a copy of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        let mut blob = Blob::default();
        blob.resize(bytes.len());
        blob.copy_from_slice(bytes);
        blob
    }

    /// Cuts bytes off the end or appends zeros.
    pub fn resize(&mut self, len: usize) {
        self.words.resize(len.div_ceil(4), 0);
        self.len = len;
    }

    /// Returns the offset of the tensors.
    pub fn tensors(&self) -> usize {
        let header = usize::from(u16::from_le_bytes([self[6], self[7]]));
        (PREAMBLE + header).next_multiple_of(4)
    }

    /// Corrects the checksum.
    pub fn mend_checksum(&mut self) {
        let body = self.len - CHECKSUM;
        let checksum = crc32(&self[..body]).to_le_bytes();
        self[body..].copy_from_slice(&checksum);
    }

    /// Corrects magic, version, total length and checksum, so that a reader has to check the rest.
    pub fn mend(&mut self) {
        let len = self.len as u32;
        self[..4].copy_from_slice(b"SRFM");
        self[4..6].copy_from_slice(&1u16.to_le_bytes());
        self[8..12].copy_from_slice(&len.to_le_bytes());
        self.mend_checksum();
    }
}

impl Deref for Blob {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.len]
    }
}

impl DerefMut for Blob {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.len]
    }
}

/// Returns the CRC-32/ISO-HDLC by its definition, independent of the implementation under test.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}
