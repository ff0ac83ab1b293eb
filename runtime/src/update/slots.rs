//! Two slots of equal length in flash, and access to them in chunks.

use core::ops::Range;

use embedded_storage::nor_flash::{NorFlash, NorFlashError};

use super::Error;
use super::manifest::{CRC, Manifest};
use super::record::{self, HEAD, RECORD};

/// The length in bytes of reads and writes, to which slots and pages are multiples. Writes shorten it at the end.
pub(super) const CHUNK: usize = HEAD;

/// Which of the two slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    First,
    Second,
}

impl Slot {
    pub(super) const BOTH: [Slot; 2] = [Slot::First, Slot::Second];

    pub(super) const fn other(self) -> Slot {
        match self {
            Slot::First => Slot::Second,
            Slot::Second => Slot::First,
        }
    }
}

/// Two slots of equal length, in pages that are erased together.
#[derive(Debug)]
pub(super) struct Slots<F> {
    flash: F,
    start: u32,
    /// The length of a slot.
    len: u32,
    /// The length of a page.
    page: u32,
}

impl<F: NorFlash> Slots<F> {
    /// Divides `area` into two slots of whole pages.
    pub(super) fn new(flash: F, area: Range<u32>, page: u32) -> Result<Self, Error> {
        const {
            assert!(CHUNK.is_multiple_of(F::WRITE_SIZE), "writes of at most 64 bytes, a power of two");
            assert!(CHUNK.is_multiple_of(F::READ_SIZE), "reads of at most 64 bytes, a power of two");
            assert!(F::ERASE_SIZE.is_multiple_of(CHUNK), "pages of whole chunks of 64 bytes");
        }
        let erase = u32::try_from(F::ERASE_SIZE).map_err(|_| Error::Area)?;
        let within = usize::try_from(area.end).is_ok_and(|end| end <= flash.capacity());
        let pages = area.end.checked_sub(area.start).and_then(|len| len.checked_div(page)).unwrap_or(0);
        let len = pages / 2 * page;
        if !within || !page.is_multiple_of(erase) || !area.start.is_multiple_of(page.max(1)) || len == 0 {
            return Err(Error::Area);
        }
        Ok(Slots { flash, start: area.start, len, page })
    }

    /// Returns the largest length of a model.
    pub(super) const fn room(&self) -> u32 {
        self.len.saturating_sub(HEAD as u32)
    }

    /// Returns where the model of a slot starts in flash.
    pub(super) const fn model(&self, slot: Slot) -> u32 {
        let start = match slot {
            Slot::First => self.start,
            Slot::Second => self.start.wrapping_add(self.len),
        };
        start.wrapping_add(HEAD as u32)
    }

    const fn head(&self, slot: Slot) -> u32 {
        self.model(slot).wrapping_sub(HEAD as u32)
    }

    /// Returns the record of a slot; `None` where there is none.
    ///
    /// # Errors
    /// [`Error::Flash`] where the record cannot be read: words that were cut during a write may fail for good.
    pub(super) fn record(&mut self, slot: Slot) -> Result<Option<Manifest>, Error> {
        let head = self.chunk(self.head(slot))?;
        Ok(record::decode(&head).filter(|manifest| manifest.len <= self.room()))
    }

    /// Writes the record of a slot, which makes its model valid, and reads it back.
    pub(super) fn write_record(&mut self, slot: Slot, manifest: Manifest) -> Result<(), Error> {
        self.write(self.head(slot), &record::encode(manifest), RECORD)?;
        if self.record(slot)? == Some(manifest) { Ok(()) } else { Err(Error::Corrupt) }
    }

    /// Erases the first page of a slot, and thereby its record.
    pub(super) fn invalidate(&mut self, slot: Slot) -> Result<(), Error> {
        self.erase_page(self.head(slot))
    }

    /// Writes a chunk of a model, of which `len` bytes count. Erases the page that begins with the chunk.
    pub(super) fn write_chunk(&mut self, slot: Slot, at: u32, chunk: &[u8; CHUNK], len: usize) -> Result<(), Error> {
        let address = self.model(slot).wrapping_add(at);
        if address.wrapping_sub(self.head(slot)).is_multiple_of(self.page) {
            self.erase_page(address)?;
        }
        self.write(address, chunk, len)
    }

    /// Hands the bytes of a model to `take`, a chunk at a time.
    pub(super) fn read(&mut self, slot: Slot, len: u32, mut take: impl FnMut(&[u8])) -> Result<(), Error> {
        let (mut address, mut rest) = (self.model(slot), len as usize);
        while rest > 0 {
            let chunk = self.chunk(address)?;
            take(chunk.get(..rest).unwrap_or(&chunk));
            address = address.wrapping_add(CHUNK as u32);
            rest = rest.saturating_sub(CHUNK);
        }
        Ok(())
    }

    /// Returns whether the model of a slot has the checksum of its manifest.
    pub(super) fn is_sound(&mut self, slot: Slot, manifest: &Manifest) -> bool {
        let mut digest = CRC.digest();
        self.read(slot, manifest.len, |bytes| digest.update(bytes)).is_ok() && digest.finalize() == manifest.checksum
    }

    /// Reads a chunk, again where the first attempt fails.
    fn chunk(&mut self, address: u32) -> Result<[u8; CHUNK], Error> {
        let mut chunk = [0; CHUNK];
        if self.flash.read(address, &mut chunk).is_err() {
            self.flash.read(address, &mut chunk).map_err(failure)?;
        }
        Ok(chunk)
    }

    fn erase_page(&mut self, from: u32) -> Result<(), Error> {
        self.flash.erase(from, from.wrapping_add(self.page)).map_err(failure)
    }

    /// Writes the first `len` bytes of a chunk, and what fills its last word.
    fn write(&mut self, address: u32, chunk: &[u8; CHUNK], len: usize) -> Result<(), Error> {
        let len = len.next_multiple_of(F::WRITE_SIZE);
        self.flash.write(address, chunk.get(..len).unwrap_or(chunk)).map_err(failure)
    }
}

fn failure<T: NorFlashError>(error: T) -> Error {
    Error::Flash(error.kind())
}
