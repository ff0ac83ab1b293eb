//! Models in flash, and their updates.

use core::mem::MaybeUninit;
use core::slice;

use srfm_runtime::Model;
use srfm_runtime::update::{Error, Policy, Store, Stored};

use crate::flash::Flash;
use crate::slot::{Evaluator, PARSED, Slot};
use crate::status::Status;

/// The store of this library.
pub type FlashStore = Store<Flash, Evaluator>;

/// The contents of a `srfm_store`. C sees its size alone: `SRFM_STORE_WORDS` words of a pointer's size each.
#[repr(C)]
pub struct Opened {
    /// [`OPENED`] where there is a store.
    state: usize,
    store: MaybeUninit<FlashStore>,
}

/// A value that words do not have by chance; words that were set to zero do not have it.
const OPENED: usize = 0x5afe_5704;

/// `SRFM_STORE_WORDS`.
pub const STORE_WORDS: usize = 64;

const _: () = assert!(size_of::<Opened>() <= STORE_WORDS * size_of::<usize>());
const _: () = assert!(align_of::<Opened>() <= align_of::<usize>());

/// `srfm_policy`.
#[repr(C)]
pub struct Demands {
    /// The application.
    pub application: u32,
    /// The number that an update must be above.
    pub after: u32,
    /// The number of inputs.
    pub inputs: usize,
    /// The number of outputs.
    pub outputs: usize,
    /// 32 bytes, or null.
    pub key: *const u8,
    /// The channels of the program's history; 0 where it has none.
    pub channels: usize,
    /// The slots of the program's history.
    pub slots: usize,
}

/// `srfm_stored`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// The number of the update.
    pub sequence: u32,
    /// The place in flash.
    pub offset: u32,
    /// The length in bytes.
    pub len: u32,
}

/// Returns the store behind a pointer, if it was opened.
///
/// # Safety
/// `store` is null or points to a `srfm_store` that is zero or was opened; nothing else uses it as long as the
/// reference lives.
pub unsafe fn opened<'a>(store: *mut Opened) -> Result<&'a mut FlashStore, Status> {
    // SAFETY: null, or a `srfm_store`.
    match unsafe { store.as_mut() } {
        None => Err(Status::Null),
        // SAFETY: `srfm_store_open` alone writes this state, together with a store.
        Some(opened) if opened.state == OPENED => Ok(unsafe { opened.store.assume_init_mut() }),
        Some(_) => Err(Status::Absent),
    }
}

/// As [`opened`], to read from.
///
/// # Safety
/// As for [`opened`]; others may read the store.
pub unsafe fn opened_ref<'a>(store: *const Opened) -> Result<&'a FlashStore, Status> {
    // SAFETY: null, or a `srfm_store`.
    match unsafe { store.as_ref() } {
        None => Err(Status::Null),
        // SAFETY: as above.
        Some(opened) if opened.state == OPENED => Ok(unsafe { opened.store.assume_init_ref() }),
        Some(_) => Err(Status::Absent),
    }
}

/// Returns the bytes of a place in flash, which is never the first one.
///
/// # Safety
/// `base` is the address of the first byte of the flash.
pub unsafe fn mapped(base: *const u8, place: Stored) -> &'static [u8] {
    // SAFETY: the store is within the flash, and so is the place.
    unsafe { slice::from_raw_parts(base.wrapping_add(place.offset as usize), place.len) }
}

/// Returns a buffer as words.
///
/// # Safety
/// `buffer` is null or points to `len` words that nothing else uses as long as the reference lives.
pub unsafe fn words(buffer: *mut u32, len: usize) -> Result<&'static mut [u32], Status> {
    if buffer.is_null() {
        return Err(Status::Null);
    }
    // SAFETY: the same demand; no memory is larger.
    Ok(unsafe { slice::from_raw_parts_mut(buffer, len.min(isize::MAX as usize / 4)) })
}

/// Writes a parsed model to where C wants it.
///
/// # Safety
/// `model` is null or points to a `srfm_model`.
unsafe fn put(result: Result<Model<'static, Evaluator>, Error>, model: *mut Slot) -> Status {
    if model.is_null() {
        return Status::Null;
    }
    match result {
        Ok(parsed) => {
            // SAFETY: `model` points to memory of this size.
            unsafe { model.write(Slot { state: PARSED, model: MaybeUninit::new(parsed) }) };
            Status::Ok
        }
        Err(error) => {
            // SAFETY: as above.
            unsafe { (&raw mut (*model).state).write(0) };
            error.into()
        }
    }
}

/// Opens the store in an area of a flash.
///
/// # Safety
/// Each pointer is null or points to what its name says, and the key to 32 bytes. The functions of `flash` do what the
/// header says, for as long as the store is used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_store_open(
    store: *mut Opened,
    flash: *const Flash,
    start: u32,
    end: u32,
    policy: *const Demands,
) -> Status {
    if store.is_null() {
        return Status::Null;
    }
    // SAFETY: `store` points to memory of this size; writing does not look at what was there.
    unsafe { (&raw mut (*store).state).write(0) };
    // SAFETY: null, or what their names say.
    let (Some(flash), Some(demands)) = (unsafe { (flash.as_ref(), policy.as_ref()) }) else { return Status::Null };
    if flash.read.is_none() || flash.write.is_none() || flash.erase.is_none() {
        return Status::Null;
    }
    if !flash.has_sizes() {
        return Status::Area;
    }
    let policy = Policy::new(demands.application, demands.inputs, demands.outputs)
        .with_history(demands.channels, demands.slots)
        .after(demands.after);
    // SAFETY: null, or 32 bytes.
    let key = unsafe { demands.key.cast::<[u8; 32]>().as_ref() };
    #[cfg(feature = "signature")]
    let policy = key.map_or(policy, |key| policy.signed_by(*key));
    #[cfg(not(feature = "signature"))]
    if key.is_some() {
        return Status::NoSignatures;
    }
    match Store::open_with_pages(*flash, start..end, flash.page, policy) {
        Ok(opened) => {
            // SAFETY: as above.
            unsafe { store.write(Opened { state: OPENED, store: MaybeUninit::new(opened) }) };
            Status::Ok
        }
        Err(error) => error.into(),
    }
}

/// Says where the model in use lies.
///
/// # Safety
/// `store` is null or points to a `srfm_store` that is zero or was opened; `place` is null or points to a
/// `srfm_stored`. They do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_store_stored(store: *const Opened, place: *mut Place) -> Status {
    // SAFETY: the same demands.
    match unsafe { (opened_ref(store), place.as_mut()) } {
        (Err(status), _) => status,
        (_, None) => Status::Null,
        (Ok(store), Some(place)) => match store.stored() {
            None => Status::Empty,
            Some(stored) => {
                // The length of a record has 32 bits.
                *place = Place { sequence: stored.sequence, offset: stored.offset, len: stored.len as u32 };
                Status::Ok
            }
        },
    }
}

/// Copies the model in use into a buffer and parses it.
///
/// # Safety
/// As [`srfm_store_stored`]; `buffer` is null or points to `len` words that nothing else uses as long as the model is
/// used, and `model` is null or points to a `srfm_model`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_store_load(store: *mut Opened, buffer: *mut u32, len: usize, model: *mut Slot) -> Status {
    // SAFETY: the same demands.
    match unsafe { (opened(store), words(buffer, len)) } {
        // SAFETY: the same demands.
        (Ok(store), Ok(buffer)) => unsafe { put(store.load(buffer), model) },
        (Err(status), _) | (_, Err(status)) => status,
    }
}

/// Parses the model in use where it lies.
///
/// # Safety
/// As [`srfm_store_stored`]; `base` is the address of the first byte of the flash, and `model` is null or points to a
/// `srfm_model`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_store_view(store: *const Opened, base: *const u8, model: *mut Slot) -> Status {
    // SAFETY: the same demands.
    match unsafe { opened_ref(store) } {
        // SAFETY: the same demands.
        Ok(store) => unsafe { put(store.view(|place| mapped(base, place)), model) },
        Err(status) => status,
    }
}
