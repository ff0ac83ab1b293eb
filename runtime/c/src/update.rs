//! Updates of the model in flash.

use core::slice;

use srfm_runtime::update::{Error, Event, Frame, Offer, Receiver};

use crate::status::Status;
use crate::store::{FlashStore, Opened, mapped, opened, opened_ref, words};

/// `srfm_receiver`: the end of a link. C sees its size alone: `SRFM_RECEIVER_WORDS` words of a pointer's size.
#[repr(C)]
pub struct Link {
    /// [`STARTED`] where the receiver is not as it was at first.
    state: usize,
    receiver: core::mem::MaybeUninit<Receiver>,
}

/// A value that words do not have by chance; words that were set to zero do not have it.
const STARTED: usize = 0x5afe_11f4;

/// `SRFM_RECEIVER_WORDS`.
pub const RECEIVER_WORDS: usize = 40;

const _: () = assert!(size_of::<Link>() <= RECEIVER_WORDS * size_of::<usize>());
const _: () = assert!(align_of::<Link>() <= align_of::<usize>());

/// `srfm_answer`: a frame for the other end of a link.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Answer {
    /// The number of bytes.
    pub len: usize,
    /// The bytes, and others behind them.
    pub bytes: [u8; 16],
}

impl Answer {
    fn new(frame: &Frame) -> Self {
        let mut answer = Answer { len: frame.as_bytes().len().min(16), bytes: [0; 16] };
        answer.bytes.iter_mut().zip(frame.as_bytes()).for_each(|(to, from)| *to = *from);
        answer
    }
}

/// Returns bytes of C.
///
/// # Safety
/// `first` is null or points to `len` bytes that do not change as long as the reference lives.
unsafe fn bytes<'a>(first: *const u8, len: usize) -> Result<&'a [u8], Status> {
    if first.is_null() {
        return Err(Status::Null);
    }
    // SAFETY: the same demand; no memory is larger.
    Ok(unsafe { slice::from_raw_parts(first, len.min(isize::MAX as usize)) })
}

/// Begins to receive an update.
///
/// # Safety
/// `store` is null or points to a `srfm_store` that is zero or was opened; `offer` is null or points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_store_begin(store: *mut Opened, offer: *const u8, len: usize) -> Status {
    // SAFETY: the same demands.
    match unsafe { (opened(store), bytes(offer, len)) } {
        (Ok(store), Ok(offer)) => {
            Offer::from_bytes(offer).map_or(Status::Incomplete, |offer| store.begin(&offer).into())
        }
        (Err(status), _) | (_, Err(status)) => status,
    }
}

/// Writes the next piece of the model to flash.
///
/// # Safety
/// As [`srfm_store_begin`]; `piece` is null or points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_store_receive(store: *mut Opened, piece: *const u8, len: usize) -> Status {
    // SAFETY: the same demands.
    match unsafe { (opened(store), bytes(piece, len)) } {
        (Ok(store), Ok(piece)) => store.receive(piece).into(),
        (Err(status), _) | (_, Err(status)) => status,
    }
}

/// Says which update is being received, and how many bytes of it there are.
///
/// # Safety
/// As [`srfm_store_begin`]; both numbers are null or an `uint32_t` that overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_store_receiving(store: *const Opened, sequence: *mut u32, received: *mut u32) -> Status {
    // SAFETY: the same demands.
    match unsafe { (opened_ref(store), sequence.as_mut(), received.as_mut()) } {
        (Err(status), ..) => status,
        (Ok(store), Some(sequence), Some(received)) => match store.receiving() {
            None => Status::NotStarted,
            Some((manifest, bytes)) => {
                (*sequence, *received) = (manifest.sequence, bytes);
                Status::Ok
            }
        },
        _ => Status::Null,
    }
}

/// Drops the update that is being received.
///
/// # Safety
/// As [`srfm_store_begin`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_store_discard(store: *mut Opened) -> Status {
    // SAFETY: the same demand.
    match unsafe { opened(store) } {
        Ok(store) => {
            store.discard();
            Status::Ok
        }
        Err(status) => status,
    }
}

/// Checks the received model where it lies and takes it into use.
///
/// # Safety
/// As [`srfm_store_begin`]; `base` is the address of the first byte of the flash, and `answer` is null or points to a
/// `srfm_answer` that overlaps nothing else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_store_commit(store: *mut Opened, base: *const u8, answer: *mut Answer) -> Status {
    // SAFETY: the same demands.
    match unsafe { opened(store) } {
        Ok(store) => {
            // SAFETY: the same demands.
            let result = store.commit(|place| unsafe { mapped(base, place) });
            // SAFETY: the same demand.
            give(result, store, unsafe { answer.as_mut() })
        }
        Err(status) => status,
    }
}

/// Copies the received model into a buffer, checks it and takes it into use.
///
/// # Safety
/// As [`srfm_store_commit`]; `buffer` is null or points to `len` words that nothing else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_store_commit_in(
    store: *mut Opened,
    buffer: *mut u32,
    len: usize,
    answer: *mut Answer,
) -> Status {
    // SAFETY: the same demands.
    match unsafe { (opened(store), words(buffer, len)) } {
        (Ok(store), Ok(buffer)) => {
            let result = store.commit_in(buffer);
            // SAFETY: the same demand.
            give(result, store, unsafe { answer.as_mut() })
        }
        (Err(status), _) | (_, Err(status)) => status,
    }
}

/// Writes the answer to the end of an update.
fn give(result: Result<(), Error>, store: &FlashStore, answer: Option<&mut Answer>) -> Status {
    if let Some(answer) = answer {
        *answer = Answer::new(&Receiver::answer(result, store));
    }
    result.into()
}

/// Takes a byte from a link.
///
/// # Safety
/// `receiver` is null or points to a `srfm_receiver` that is zero or was given to this function, `store` is as in
/// [`srfm_store_begin`], and `answer` is null or points to a `srfm_answer`. None of them overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn srfm_receiver_feed(
    receiver: *mut Link,
    store: *mut Opened,
    byte: u8,
    answer: *mut Answer,
) -> Status {
    // SAFETY: the same demands.
    let (link, store, answer) = match unsafe { (receiver.as_mut(), opened(store), answer.as_mut()) } {
        (Some(link), Ok(store), Some(answer)) => (link, store, answer),
        (_, Err(status), _) => return status,
        _ => return Status::Null,
    };
    if link.state != STARTED {
        link.receiver.write(Receiver::new());
        link.state = STARTED;
    }
    answer.len = 0;
    // SAFETY: this state is written together with a receiver.
    match unsafe { link.receiver.assume_init_mut() }.feed(byte, store) {
        Event::Nothing => Status::Ok,
        Event::Answer(frame) => {
            *answer = Answer::new(&frame);
            Status::Ok
        }
        Event::Received => Status::Received,
    }
}
