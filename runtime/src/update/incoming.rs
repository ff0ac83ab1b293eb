//! The update that is being received.

use embedded_storage::nor_flash::NorFlash;

use super::Error;
use super::manifest::{Manifest, Offer};
use super::slots::{CHUNK, Slot, Slots};

/// An update that is being received, with the bytes that do not fill a chunk yet.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) slot: Slot,
    pub(super) manifest: Manifest,
    /// The signed digest of the model.
    #[cfg(feature = "signature")]
    pub(super) digest: Option<[u8; super::manifest::DIGEST]>,
    /// The number of bytes received, of which those of the last chunk may not be in flash.
    pub(super) received: u32,
    chunk: [u8; CHUNK],
}

impl Incoming {
    pub(super) fn new(slot: Slot, offer: &Offer) -> Self {
        Incoming {
            slot,
            manifest: offer.manifest,
            #[cfg(feature = "signature")]
            digest: offer.signed.map(|signed| signed.digest),
            received: 0,
            chunk: [0xFF; CHUNK],
        }
    }

    /// Takes the next piece, and writes the chunks that are full and the last one.
    pub(super) fn receive<F: NorFlash>(&mut self, piece: &[u8], slots: &mut Slots<F>) -> Result<(), Error> {
        if piece.len() > self.manifest.len.wrapping_sub(self.received) as usize {
            return Err(Error::TooLarge);
        }
        for &byte in piece {
            let at = self.received as usize % CHUNK;
            if let Some(to) = self.chunk.get_mut(at) {
                *to = byte;
            }
            self.received = self.received.wrapping_add(1);
            if at == CHUNK - 1 || self.received == self.manifest.len {
                slots.write_chunk(self.slot, self.received.wrapping_sub(at as u32 + 1), &self.chunk, at + 1)?;
                self.chunk = [0xFF; CHUNK];
            }
        }
        Ok(())
    }
}
