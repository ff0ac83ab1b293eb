//! Flash that fails to be read: the model and its sequence number stay.

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};
use srfm_runtime::update::{Error, Store};
use srfm_testing::{Blob, Flash, PAGE, Rng};

use super::{AREA, FLASH, POLICY, in_use, model, offer, open, update};

/// A flash, and whether a read at an offset fails.
struct Failing<R>(Flash<4>, R);

impl<R> ErrorType for Failing<R> {
    type Error = NorFlashErrorKind;
}

impl<R: FnMut(u32) -> bool> ReadNorFlash for Failing<R> {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        if (self.1)(offset) { Err(NorFlashErrorKind::Other) } else { self.0.read(offset, bytes) }
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl<R: FnMut(u32) -> bool> NorFlash for Failing<R> {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        self.0.erase(from, to)
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        self.0.write(offset, bytes)
    }
}

/// Opens a store whose reads fail at some offsets.
fn open_failing<R: FnMut(u32) -> bool>(flash: &Flash<4>, fails: R) -> Result<Store<Failing<R>>, Error> {
    Store::open(Failing(flash.clone(), fails), AREA, POLICY)
}

/// The places of both records.
const HEADS: [u32; 2] = [AREA.start, (AREA.start + AREA.end) / 2];

/// A flash with these updates, the first one in the first slot, and their model.
fn stored(sequences: &[u32]) -> (Flash<4>, Blob) {
    let (flash, model) = (Flash::new(FLASH, true, 1), model(4, &mut Rng::new(1)));
    for &sequence in sequences {
        update(&mut open(&flash, POLICY), &offer(&model, sequence), &model, &mut Rng::new(2)).unwrap();
    }
    (flash, model)
}

#[test]
fn a_flash_that_cannot_be_read_at_first_keeps_the_model_and_its_number() {
    for sequences in [&[5][..], &[3, 5]] {
        let (flash, model) = stored(sequences);
        let steps = flash.steps();
        let failure = Some(Error::Flash(NorFlashErrorKind::Other));
        assert_eq!(open_failing(&flash, |_| true).err(), failure);
        assert_eq!(open_failing(&flash, |at| HEADS.contains(&at)).err(), failure);
        assert_eq!(flash.steps(), steps, "nothing was erased");
        let mut store = open(&flash, POLICY);
        assert_eq!(in_use(&mut store, &flash), Some((5, model.to_vec())));
        assert_eq!(store.begin(&offer(&model, 5)), Err(Error::OldSequence));
    }
}

#[test]
fn a_read_that_fails_once_is_repeated() {
    let (flash, model) = stored(&[5, 6]);
    let mut last = None;
    let mut store = open_failing(&flash, |at| last.replace(at) != Some(at)).unwrap();
    assert_eq!(store.stored().map(|stored| stored.sequence), Some(6));
    assert_eq!(store.begin(&offer(&model, 6)), Err(Error::OldSequence));
}

#[test]
fn one_record_that_cannot_be_read_counts_as_none() {
    for (head, expected) in HEADS.into_iter().zip([6, 5]) {
        let (flash, model) = stored(&[5, 6]);
        let mut store = open_failing(&flash, |at| at == head).unwrap();
        assert_eq!(store.stored().map(|stored| stored.sequence), Some(expected));
        assert_eq!(store.begin(&offer(&model, expected)), Err(Error::OldSequence));
        // An update erases the slot of the other record.
        assert_eq!(store.begin(&offer(&model, 7)), Ok(()));
        assert_eq!(in_use(&mut open(&flash, POLICY), &flash), Some((expected, model.to_vec())));
    }
}

#[test]
fn power_cuts_alone_leave_a_record_that_can_be_read() {
    let (model, firmware, mut rng) = (model(5, &mut Rng::new(1)), POLICY.after(6), Rng::new(2));
    for step in 0..300 {
        let (flash, _) = stored(&[1]);
        // An update is cut; then firmware with a newer model ignores the stored one, and its update is cut, too.
        for (sequence, policy, left) in [(2, POLICY, step), (7, firmware, 0)] {
            flash.power_on(Some(left));
            let _ = update(&mut open(&flash, policy), &offer(&model, sequence), &model, &mut rng);
        }
        flash.power_on(None);
        update(&mut open(&flash, firmware), &offer(&model, 7), &model, &mut rng).unwrap();
        assert_eq!(in_use(&mut open(&flash, firmware), &flash), Some((7, model.to_vec())), "step {step}");
    }
}
