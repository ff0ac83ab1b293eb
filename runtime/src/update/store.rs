//! The store: the model in use, and the one that is being received.

use core::marker::PhantomData;
use core::ops::Range;

use embedded_storage::nor_flash::NorFlash;

use super::manifest::{CRC, Manifest, Offer};
use super::policy::Policy;
use super::slots::{CHUNK, Slot, Slots};
use super::{Error, incoming::Incoming};
use crate::kernel::Any;
use crate::{Evaluator, Model};

/// Where the model in use lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The number of its update.
    pub sequence: u32,
    /// The place of its first byte in flash, a multiple of 64 from the start of the area.
    pub offset: u32,
    /// Its length in bytes.
    pub len: usize,
}

/// Two slots for models in flash: one with the model in use, one for the next.
///
/// An update is [begun](Self::begin), [received](Self::receive) in pieces of any length and
/// [committed](Self::commit). A power cut at any moment leaves the old model or the new one. `E` says which
/// [kernels](crate::kernel) the program has: a model with others is refused. `docs/updates.md` has an example.
#[derive(Debug)]
pub struct Store<F, E = Any> {
    slots: Slots<F>,
    /// The device's demands. Its `after` is the number of the newest record, once there is one.
    policy: Policy,
    in_use: Option<(Slot, Manifest)>,
    /// The slot of the next update.
    free: Slot,
    incoming: Option<Incoming>,
    evaluator: PhantomData<E>,
}

impl<F: NorFlash, E: Evaluator> Store<F, E> {
    /// Opens the store in `area` of a flash and finds the model in use: the newest whose record and bytes have their
    /// checksums.
    ///
    /// Each half of the area is a slot of whole pages. It has 64 bytes for a record, and the rest for a model. Reads
    /// and writes of the flash are of at most 64 bytes, which the compiler checks.
    ///
    /// # Errors
    /// [`Error::Area`] where the area is not within the flash, does not start with a page, or has fewer than two pages.
    /// [`Error::Flash`] where neither record can be read, each tried twice: the program opens the store again later,
    /// with `&mut flash` in place of `flash`, and erases the area where that fails at every start. Erased flash has to
    /// be readable.
    pub fn open(flash: F, area: Range<u32>, policy: Policy) -> Result<Self, Error> {
        Self::open_with_pages(flash, area, F::ERASE_SIZE as u32, policy)
    }

    /// [`open`](Self::open) for a flash whose pages are `page` bytes long, a multiple of `F::ERASE_SIZE`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with_pages(flash: F, area: Range<u32>, page: u32, mut policy: Policy) -> Result<Self, Error> {
        let mut slots = Slots::new(flash, area, page)?;
        let records = Slot::BOTH.map(|slot| (slot, slots.record(slot)));
        let mut free = match records {
            [(_, Err(error)), (_, Err(_))] => return Err(error),
            // A power cut may have left this record. Its slot is erased first: both never become unreadable.
            [_, (_, Err(_))] => Slot::Second,
            _ => Slot::First,
        };
        let mut in_use = None;
        let [first, second] = records.map(|(slot, record)| {
            let record = record.ok().flatten().filter(|record| record.application == policy.application);
            record
                .filter(|record| policy.after.is_none_or(|after| record.sequence > after))
                .map(|record| (slot, record))
        });
        let sequence = |found: &Option<(Slot, Manifest)>| found.map(|(_, record)| record.sequence);
        let ascending = if sequence(&first) > sequence(&second) { [second, first] } else { [first, second] };
        for (slot, record) in ascending.into_iter().flatten() {
            policy = policy.after(record.sequence);
            free = slot.other();
            if slots.is_sound(slot, &record) {
                in_use = Some((slot, record));
            }
        }
        let free = in_use.map_or(free, |(slot, _)| slot.other());
        Ok(Store { slots, policy, in_use, free, incoming: None, evaluator: PhantomData })
    }

    /// Returns where the model in use lies; `None` where no model is stored. Where the flash is mapped into memory, the
    /// model is evaluated from there.
    pub fn stored(&self) -> Option<Stored> {
        let (slot, Manifest { sequence, len, .. }) = self.in_use?;
        Some(Stored { sequence, offset: self.slots.model(slot), len: len as usize })
    }

    /// Copies the model in use into `buffer` and checks it.
    ///
    /// # Errors
    /// [`Error::Empty`] where no model is stored, [`Error::TooLarge`] where the buffer is shorter than the model,
    /// [`Error::Flash`], [`Error::Corrupt`] and [`Error::Model`].
    pub fn load<'b>(&mut self, buffer: &'b mut [u32]) -> Result<Model<'b, E>, Error> {
        let (slot, manifest) = self.in_use.ok_or(Error::Empty)?;
        let bytes = self.copy(slot, &manifest, buffer)?;
        self.check(&manifest, bytes)
    }

    /// Checks the model in use where it lies. `map` gives the bytes of a place in flash, which is mapped into memory.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn view<'b>(&self, map: impl FnOnce(Stored) -> &'b [u8]) -> Result<Model<'b, E>, Error> {
        let (_, manifest) = self.in_use.ok_or(Error::Empty)?;
        self.check(&manifest, map(self.stored().ok_or(Error::Empty)?))
    }

    /// Begins to receive an update. The model in use stays; an update that was being received is dropped.
    ///
    /// # Errors
    /// [`Error::Foreign`], [`Error::OldSequence`], [`Error::TooLarge`], [`Error::Unsigned`], [`Error::Signature`] and
    /// [`Error::Flash`]. Nothing is erased before the offer is accepted.
    pub fn begin(&mut self, offer: &Offer) -> Result<(), Error> {
        let manifest = offer.manifest;
        if manifest.application != self.policy.application {
            return Err(Error::Foreign);
        }
        if self.policy.after.is_some_and(|newest| manifest.sequence <= newest) {
            return Err(Error::OldSequence);
        }
        if manifest.len > self.slots.room() {
            return Err(Error::TooLarge);
        }
        #[cfg(feature = "signature")]
        if let Some(key) = &self.policy.key {
            let signed = offer.signed.as_ref().ok_or(Error::Unsigned)?;
            if !super::signature::is_signed_by(key, &manifest, signed) {
                return Err(Error::Signature);
            }
        }
        self.incoming = None;
        self.slots.invalidate(self.free)?;
        self.incoming = Some(Incoming::new(self.free, offer));
        Ok(())
    }

    /// Writes the next piece of the model to flash.
    ///
    /// # Errors
    /// [`Error::NotStarted`], [`Error::Flash`], and [`Error::TooLarge`] where there are more bytes than the manifest
    /// says. After a failure the update must be begun again.
    pub fn receive(&mut self, piece: &[u8]) -> Result<(), Error> {
        let mut incoming = self.incoming.take().ok_or(Error::NotStarted)?;
        incoming.receive(piece, &mut self.slots)?;
        self.incoming = Some(incoming);
        Ok(())
    }

    /// Returns the manifest of the update that is being received, and the number of bytes that have been received.
    pub fn receiving(&self) -> Option<(Manifest, u32)> {
        self.incoming.as_ref().map(|incoming| (incoming.manifest, incoming.received))
    }

    /// Returns whether the model in use came with this manifest.
    pub(super) fn is_in_use(&self, manifest: &Manifest) -> bool {
        self.in_use.is_some_and(|(_, in_use)| in_use == *manifest)
    }

    /// Drops the update that is being received.
    pub fn discard(&mut self) {
        self.incoming = None;
    }

    /// Checks the received model where it lies and takes it into use. `map` gives the bytes of a place in flash, which
    /// is mapped into memory, as they are now.
    ///
    /// # Errors
    /// [`Error::NotStarted`], [`Error::Incomplete`], after which the update goes on, [`Error::Corrupt`],
    /// [`Error::Foreign`], [`Error::Model`] and [`Error::Flash`]. The model in use stays.
    pub fn commit<'b>(&mut self, map: impl FnOnce(Stored) -> &'b [u8]) -> Result<(), Error> {
        let incoming = self.received()?;
        let Manifest { sequence, len, .. } = incoming.manifest;
        let place = Stored { sequence, offset: self.slots.model(incoming.slot), len: len as usize };
        self.switch(&incoming, map(place))
    }

    /// [`commit`](Self::commit) for a flash that is not mapped into memory: the model is copied into `buffer` and
    /// checked there.
    ///
    /// # Errors
    /// As [`commit`](Self::commit), and [`Error::TooLarge`] where the buffer is shorter than the model.
    pub fn commit_in(&mut self, buffer: &mut [u32]) -> Result<(), Error> {
        let incoming = self.received()?;
        let bytes = self.copy(incoming.slot, &incoming.manifest, buffer)?;
        self.switch(&incoming, bytes)
    }

    /// Ends receiving; the last bytes are written.
    fn received(&mut self) -> Result<Incoming, Error> {
        let incoming = self.incoming.as_ref().ok_or(Error::NotStarted)?;
        if incoming.received != incoming.manifest.len {
            return Err(Error::Incomplete);
        }
        self.incoming.take().ok_or(Error::NotStarted)
    }

    fn switch(&mut self, incoming: &Incoming, bytes: &[u8]) -> Result<(), Error> {
        #[cfg(feature = "signature")]
        if self.policy.key.is_some() && incoming.digest != Some(super::signature::digest(bytes)) {
            return Err(Error::Corrupt);
        }
        self.check(&incoming.manifest, bytes)?;
        self.slots.write_record(incoming.slot, incoming.manifest)?;
        self.in_use = Some((incoming.slot, incoming.manifest));
        self.free = incoming.slot.other();
        self.policy = self.policy.after(incoming.manifest.sequence);
        Ok(())
    }

    /// Checks the bytes of a model against its manifest, the device's demands and the program's kernels.
    fn check<'b>(&self, manifest: &Manifest, bytes: &'b [u8]) -> Result<Model<'b, E>, Error> {
        if bytes.len() != manifest.len as usize || CRC.checksum(bytes) != manifest.checksum {
            return Err(Error::Corrupt);
        }
        let model = Model::parse_only(bytes)?;
        if self.policy.fits(&model) { Ok(model) } else { Err(Error::Foreign) }
    }

    fn copy<'b>(&mut self, slot: Slot, manifest: &Manifest, buffer: &'b mut [u32]) -> Result<&'b [u8], Error> {
        let len = manifest.len as usize;
        let bytes = bytemuck::must_cast_slice_mut::<u32, u8>(buffer).get_mut(..len).ok_or(Error::TooLarge)?;
        let mut chunks = bytes.chunks_mut(CHUNK);
        self.slots.read(slot, manifest.len, |chunk| {
            let to = chunks.next().unwrap_or_default();
            to.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
        })?;
        Ok(bytes)
    }
}
