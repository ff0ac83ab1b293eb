//! Flash that loses a write or does not erase: the model in use stays.

use std::cell::Cell;
use std::rc::Rc;

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};
use srfm_runtime::update::{Error, Store};
use srfm_testing::{Blob, Flash, PAGE, Rng};

use super::{AREA, FLASH, POLICY, ROOM, in_use, model, offer, open, update};

/// The failures of a flash.
#[derive(Clone, Copy, PartialEq)]
enum Failure {
    None,
    /// Writes to the start of a slot are reported as done and change nothing.
    LosesRecords,
    /// Erasures fail.
    DoesNotErase,
}

/// A flash whose failure can change.
struct Failing(Flash<4>, Rc<Cell<Failure>>);

impl ErrorType for Failing {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for Failing {
    const READ_SIZE: usize = 1;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        self.0.read(offset, bytes)
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

impl NorFlash for Failing {
    const WRITE_SIZE: usize = 4;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        if self.1.get() == Failure::DoesNotErase { Err(NorFlashErrorKind::Other) } else { self.0.erase(from, to) }
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        let is_record = [AREA.start, (AREA.start + AREA.end) / 2].contains(&offset);
        if is_record && self.1.get() == Failure::LosesRecords { Ok(()) } else { self.0.write(offset, bytes) }
    }
}

/// A store with a model of sequence number 5, its flash, the failure of the flash, and the model.
fn stored() -> (Store<Failing>, Flash<4>, Rc<Cell<Failure>>, Blob) {
    let (flash, model) = (Flash::new(FLASH, true, 1), model(4, &mut Rng::new(1)));
    update(&mut open(&flash, POLICY), &offer(&model, 5), &model, &mut Rng::new(2)).unwrap();
    let failure = Rc::new(Cell::new(Failure::None));
    let store = Store::open(Failing(flash.clone(), failure.clone()), AREA, POLICY).unwrap();
    (store, flash, failure, model)
}

#[test]
fn a_record_that_is_not_in_flash_after_its_write_is_noticed() {
    let (mut store, flash, failure, old) = stored();
    let new = model(9, &mut Rng::new(3));
    let mut send = |sequence| {
        store.begin(&offer(&new, sequence)).and_then(|()| store.receive(&new)).unwrap();
        (store.commit_in(&mut [0; ROOM / 4]), store.stored().map(|stored| stored.sequence))
    };
    failure.set(Failure::LosesRecords);
    assert_eq!(send(6), (Err(Error::Corrupt), Some(5)));
    assert_eq!(in_use(&mut open(&flash, POLICY), &flash), Some((5, old.to_vec())));
    failure.set(Failure::None);
    assert_eq!(send(6), (Ok(()), Some(6)));
    assert_eq!(in_use(&mut open(&flash, POLICY), &flash), Some((6, new.to_vec())));
}

#[test]
fn an_update_whose_slot_is_not_erased_is_not_received_and_neither_is_the_one_before() {
    let (mut store, flash, failure, old) = stored();
    let (before, new) = (model(30, &mut Rng::new(4)), model(9, &mut Rng::new(5)));
    store.begin(&offer(&before, 6)).unwrap();
    store.receive(&before[..100]).unwrap();
    failure.set(Failure::DoesNotErase);
    assert_eq!(store.begin(&offer(&new, 7)), Err(Error::Flash(NorFlashErrorKind::Other)));
    assert_eq!(store.receiving(), None);
    assert_eq!(store.receive(&before[100..]), Err(Error::NotStarted));
    assert_eq!(store.commit_in(&mut [0; ROOM / 4]), Err(Error::NotStarted));
    assert_eq!(store.stored().map(|stored| stored.sequence), Some(5));
    assert_eq!(in_use(&mut open(&flash, POLICY), &flash), Some((5, old.to_vec())));
}
