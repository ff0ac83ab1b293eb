//! The record at the start of a slot: it is written last, and its checksum makes the slot valid.

use super::manifest::{CRC, Manifest};

/// The bytes in front of a model in its slot, a multiple of every supported size of a write.
pub(super) const HEAD: usize = 64;

/// The first bytes of a record: its version is the last of them.
const MAGIC: [u8; 4] = *b"SRU\x01";

/// The length in bytes of a record: magic, manifest, checksum.
pub(super) const RECORD: usize = 4 + Manifest::LEN + 4;

/// Returns the head with the record of a manifest. The rest stays erased.
pub(super) fn encode(manifest: Manifest) -> [u8; HEAD] {
    let manifest = manifest.to_bytes();
    let checksum = checksum(&manifest).to_le_bytes();
    let mut head = [0xFF; HEAD];
    for (to, from) in head.iter_mut().zip(MAGIC.iter().chain(&manifest).chain(&checksum)) {
        *to = *from;
    }
    head
}

/// Reads the record of a head; `None` where there is none, or a write of it was cut.
pub(super) fn decode(head: &[u8; HEAD]) -> Option<Manifest> {
    let (magic, rest) = head.split_first_chunk::<4>()?;
    let (manifest, rest) = rest.split_first_chunk()?;
    let stored = u32::from_le_bytes(*rest.first_chunk()?);
    (*magic == MAGIC && stored == checksum(manifest)).then(|| Manifest::from_bytes(manifest))
}

fn checksum(manifest: &[u8; Manifest::LEN]) -> u32 {
    let mut digest = CRC.digest();
    digest.update(&MAGIC);
    digest.update(manifest);
    digest.finalize()
}
