use core::ffi::{c_int, c_void};
use core::ptr::{null, null_mut};

use srfm_runtime::update::{Manifest, Offer, Sender};
use srfm_runtime::{Model, include_model};

use crate::flash::Flash;
use crate::slot::WORDS;
use crate::status::Status;
use crate::store::*;
use crate::update::*;
use crate::{srfm_inputs, srfm_predict};

static PLANE: &[u8] = include_model!("../../golden/plane.srfm");
static HISTORY: &[u8] = include_model!("../../golden/history.srfm");
static INTERVALS: &[u8] = include_model!("../../golden/intervals.srfm");

const PAGE: usize = 512;
const APPLICATION: u32 = 7;

/// A flash in memory, mapped; words of 8 bytes.
#[repr(C, align(64))]
struct Memory([u8; 8 * PAGE]);

/// Returns bytes of the flash behind a context.
fn within<'a>(context: *mut c_void, offset: u32, len: usize) -> &'a mut [u8] {
    assert!(offset as usize + len <= size_of::<Memory>());
    // SAFETY: the context is the memory of the test. Nothing refers to these bytes while the store reads or writes
    // them; the store may refer to others, such as those of a model that is checked.
    unsafe { core::slice::from_raw_parts_mut(context.cast::<u8>().add(offset as usize), len) }
}

unsafe extern "C" fn read(context: *mut c_void, offset: u32, bytes: *mut u8, len: usize) -> c_int {
    // SAFETY: `bytes` points to `len` bytes.
    unsafe { bytes.copy_from(within(context, offset, len).as_ptr(), len) };
    0
}

unsafe extern "C" fn write(context: *mut c_void, offset: u32, bytes: *const u8, len: usize) -> c_int {
    assert!(offset.is_multiple_of(8) && len.is_multiple_of(8), "whole words");
    let to = within(context, offset, len);
    assert!(to.iter().all(|&byte| byte == 0xFF), "erased words");
    // SAFETY: `bytes` points to `len` bytes.
    to.copy_from_slice(unsafe { core::slice::from_raw_parts(bytes, len) });
    0
}

unsafe extern "C" fn erase(context: *mut c_void, offset: u32) -> c_int {
    within(context, offset, PAGE).fill(0xFF);
    0
}

unsafe extern "C" fn unreadable(_: *mut c_void, _: u32, _: *mut u8, _: usize) -> c_int {
    -5
}

unsafe extern "C" fn broken(_: *mut c_void, _: u32) -> c_int {
    -5
}

fn flash(memory: *mut Memory) -> Flash {
    Flash {
        read: Some(read),
        write: Some(write),
        erase: Some(erase),
        context: memory.cast(),
        capacity: 8 * PAGE as u32,
        word: 8,
        page: PAGE as u32,
    }
}

fn policy() -> Demands {
    Demands { application: APPLICATION, after: 0, inputs: 2, outputs: 1, key: null(), channels: 0, slots: 0 }
}

/// Opens a store in the pages of the flash but the first.
fn open(words: &mut [usize; STORE_WORDS], flash: &Flash, policy: &Demands) -> (*mut Opened, Status) {
    let store = words.as_mut_ptr().cast();
    // SAFETY: `words` has the size of a `srfm_store`.
    let status = unsafe { srfm_store_open(store, flash, PAGE as u32, 7 * PAGE as u32, policy) };
    (store, status)
}

fn offer(model: &[u8], sequence: u32) -> Offer {
    Manifest::new(model, sequence, APPLICATION).unwrap().into()
}

/// Sends an update in frames. Returns the status of the commit, or the reason of the refusal.
fn send(store: *mut Opened, offer: Offer, model: &[u8], base: *const Memory) -> Result<Status, String> {
    let (mut link, mut answer, mut sender) = ([0_usize; RECEIVER_WORDS], Answer::default(), Sender::new(offer, model));
    let (mut committed, link) = (Status::NotStarted, link.as_mut_ptr().cast());
    while let Some(frame) = sender.frame() {
        let mut answered = false;
        for &byte in frame.as_bytes() {
            // SAFETY: `link` has the size of a `srfm_receiver`, the store was opened.
            unsafe {
                let fed = srfm_receiver_feed(link, store, byte, &mut answer);
                if fed == Status::Received {
                    committed = srfm_store_commit(store, base.cast(), &mut answer);
                } else {
                    assert_eq!(fed, Status::Ok);
                }
            }
            for &byte in &answer.bytes[..answer.len] {
                answered |= sender.feed(byte).map_err(|refusal| refusal.to_string())?;
            }
        }
        assert!(answered, "every frame has an answer");
    }
    Ok(committed)
}

#[test]
fn takes_updates_and_predicts_their_bits() {
    let mut memory = Memory([0xFF; 8 * PAGE]);
    let memory = &raw mut memory;
    let (flash, mut words, mut place) = (flash(memory), [0; STORE_WORDS], Place::default());
    let (store, status) = open(&mut words, &flash, &policy());
    assert_eq!(status, Status::Ok);
    let (mut model, mut buffer, mut y) = ([0_usize; WORDS], [0_u32; 512], 0.0);
    let slot = model.as_mut_ptr().cast();
    // SAFETY: the arrays have these lengths.
    unsafe {
        assert_eq!(srfm_store_stored(store, &mut place), Status::Empty);
        assert_eq!(srfm_store_load(store, buffer.as_mut_ptr(), 512, slot), Status::Empty);
        for (bytes, sequence) in [(PLANE, 1), (INTERVALS, 5)] {
            assert_eq!(send(store, offer(bytes, sequence), bytes, memory), Ok(Status::Ok));
            assert_eq!(srfm_store_stored(store, &mut place), Status::Ok);
            assert_eq!((place.sequence, place.len as usize), (sequence, bytes.len()));
            assert_eq!(&(&(*memory).0)[place.offset as usize..][..bytes.len()], bytes);
            let mut expected = [0.0];
            Model::parse(bytes).unwrap().predict(&[0.3, 0.9], &mut expected).unwrap();
            for loaded in [true, false] {
                let parsed = if loaded {
                    srfm_store_load(store, buffer.as_mut_ptr(), 512, slot)
                } else {
                    srfm_store_view(store, memory.cast(), slot)
                };
                assert_eq!(parsed, Status::Ok);
                assert_eq!(srfm_predict(slot, [0.3, 0.9].as_ptr(), 2, &mut y, 1), Status::Ok);
                assert_eq!(y.to_bits(), expected[0].to_bits());
            }
        }
        let mut again = [0; STORE_WORDS];
        let (again, _) = open(&mut again, &flash, &policy());
        assert_eq!(srfm_store_stored(again, &mut place), Status::Ok);
        assert_eq!(place.sequence, 5, "the model is there after a start");
        let old = send(store, offer(PLANE, 5), PLANE, memory);
        assert_eq!(old.unwrap_err(), "the sequence number is not above that of the model in use");
        assert_eq!(srfm_store_load(store, buffer.as_mut_ptr(), 8, slot), Status::TooLarge);
        assert_eq!(srfm_inputs(slot), 0, "a model that was not loaded counts as not parsed");
        assert_eq!((&(*memory).0)[..PAGE], [0xFF; PAGE], "in front of the area");
    }
}

#[test]
fn takes_pieces_without_frames_and_refuses_what_it_must() {
    let mut memory = Memory([0xFF; 8 * PAGE]);
    let memory = &raw mut memory;
    let (flash, mut words, mut numbers) = (flash(memory), [0; STORE_WORDS], [0; 2]);
    let (store, _) = open(&mut words, &flash, &policy());
    let crc = Manifest::new(PLANE, 3, APPLICATION).unwrap().checksum;
    let bytes = |numbers: [u32; 4]| numbers.map(u32::to_le_bytes).concat();
    let begin = |offer: &[u8]| unsafe { srfm_store_begin(store, offer.as_ptr(), offer.len()) };
    let len = PLANE.len() as u32;
    // SAFETY: the lengths are those of the slices.
    unsafe {
        assert_eq!(begin(&bytes([3, APPLICATION + 1, len, crc])), Status::Foreign);
        assert_eq!(begin(&bytes([0, APPLICATION, len, crc])), Status::OldSequence);
        assert_eq!(begin(&bytes([3, APPLICATION, 3 * PAGE as u32 - 63, crc])), Status::TooLarge);
        assert_eq!(begin(&[0; 17]), Status::Incomplete);
        assert_eq!(srfm_store_receive(store, PLANE.as_ptr(), 4), Status::NotStarted);
        assert_eq!(srfm_store_receiving(store, &mut numbers[0], &raw mut numbers[1]), Status::NotStarted);
        for (crc, expected) in [(crc ^ 1, Status::Corrupt), (crc, Status::Ok)] {
            assert_eq!(begin(&bytes([3, APPLICATION, len, crc])), Status::Ok);
            for piece in PLANE.chunks(50) {
                let early = srfm_store_commit(store, memory.cast(), null_mut());
                assert_eq!(early, Status::Incomplete);
                assert_eq!(srfm_store_receive(store, piece.as_ptr(), piece.len()), Status::Ok);
            }
            let [sequence, received] = &mut numbers;
            assert_eq!(srfm_store_receiving(store, sequence, received), Status::Ok);
            assert_eq!(numbers, [3, len]);
            assert_eq!(srfm_store_commit_in(store, [0; 512].as_mut_ptr(), 512, null_mut()), expected);
        }
        assert_eq!(begin(&bytes([4, APPLICATION, len, crc])), Status::Ok);
        assert_eq!(srfm_store_discard(store), Status::Ok);
        assert_eq!(srfm_store_commit(store, memory.cast(), null_mut()), Status::NotStarted);
    }
}

#[test]
fn refuses_what_was_not_opened_and_what_does_not_fit() {
    let mut memory = Memory([0xFF; 8 * PAGE]);
    let (good, mut words, mut link) = (flash(&raw mut memory), [0; STORE_WORDS], [0_usize; RECEIVER_WORDS]);
    // SAFETY: zeros and null are allowed.
    unsafe {
        assert_eq!(srfm_store_discard(null_mut()), Status::Null);
        assert_eq!(srfm_store_discard(words.as_mut_ptr().cast()), Status::Absent);
        assert_eq!(srfm_store_stored(words.as_ptr().cast(), null_mut()), Status::Absent);
        let (link, store) = (link.as_mut_ptr().cast(), words.as_mut_ptr().cast());
        assert_eq!(srfm_receiver_feed(link, store, 0, &mut Answer::default()), Status::Absent);
        assert_eq!(srfm_store_open(store, null(), 0, 4096, &policy()), Status::Null);
    }
    for (flash, expected) in [
        (Flash { word: 3, ..good }, Status::Area),
        (Flash { word: 128, ..good }, Status::Area),
        (Flash { page: 0, ..good }, Status::Area),
        (Flash { page: 100, ..good }, Status::Area),
        (Flash { page: 4 * PAGE as u32, ..good }, Status::Area),
        (Flash { capacity: 6 * PAGE as u32, ..good }, Status::Area),
        (Flash { write: None, ..good }, Status::Null),
        (Flash { read: Some(unreadable), ..good }, Status::Flash),
        (good, Status::Ok),
    ] {
        assert_eq!(open(&mut words, &flash, &policy()).1, expected);
    }
    let (store, _) = open(&mut words, &Flash { erase: Some(broken), ..good }, &policy());
    let refused = send(store, offer(PLANE, 1), PLANE, null());
    assert_eq!(refused.unwrap_err(), "the flash reports a failure");
    // A model of one channel and two slots, for a program without a history and with smaller and larger ones.
    let expected = [Status::Foreign, Status::Foreign, Status::Foreign, Status::Ok];
    for ((channels, slots), expected) in [(0, 0), (2, 2), (1, 1), (1, 2)].into_iter().zip(expected) {
        let (store, _) = open(&mut words, &good, &Demands { channels, slots, ..policy() });
        let taken = expected == Status::Ok;
        let sent = send(store, offer(HISTORY, 1), HISTORY, good.context.cast());
        assert_eq!(sent.ok(), taken.then_some(Status::Ok), "{channels} channels, {slots} slots");
    }
}

#[test]
#[cfg(not(feature = "signature"))]
fn refuses_a_key_without_the_code_for_it() {
    let mut memory = Memory([0xFF; 8 * PAGE]);
    let demands = Demands { key: [1; 32].as_ptr(), ..policy() };
    assert_eq!(open(&mut [0; STORE_WORDS], &flash(&raw mut memory), &demands).1, Status::NoSignatures);
}

#[test]
#[cfg(feature = "signature")]
fn takes_signed_updates_alone_where_there_is_a_key() {
    // The public key of a secret key of 32 sevens.
    let public: [u8; 32] = [
        0xea, 0x4a, 0x6c, 0x63, 0xe2, 0x9c, 0x52, 0x0a, 0xbe, 0xf5, 0x50, 0x7b, 0x13, 0x2e, 0xc5, 0xf9, 0x95, 0x47,
        0x76, 0xae, 0xbe, 0xbe, 0x7b, 0x92, 0x42, 0x1e, 0xea, 0x69, 0x14, 0x46, 0xd2, 0x2c,
    ];
    let mut memory = Memory([0xFF; 8 * PAGE]);
    let (memory, mut words) = (&raw mut memory, [0; STORE_WORDS]);
    let (store, _) = open(&mut words, &flash(memory), &Demands { key: public.as_ptr(), ..policy() });
    let manifest = Manifest::new(PLANE, 1, APPLICATION).unwrap();
    let refused = |offer| send(store, offer, PLANE, memory).unwrap_err();
    assert_eq!(refused(manifest.into()), "the update is not signed, and the device has a key");
    let stranger = Offer::signed(manifest, PLANE, &[8; 32]);
    assert_eq!(refused(stranger), "the signature does not match the update");
    assert_eq!(send(store, Offer::signed(manifest, PLANE, &[7; 32]), PLANE, memory), Ok(Status::Ok));
}

#[test]
fn the_header_has_the_sizes() {
    let header = include_str!("../include/srfm.h");
    for (name, words) in [("STORE", STORE_WORDS), ("RECEIVER", RECEIVER_WORDS)] {
        assert!(header.contains(&format!("#define SRFM_{name}_WORDS {words}\n")), "{name}");
    }
    assert!(header.contains(&format!("SRFM_NO_SIGNATURES = {},\n", Status::NoSignatures as i32)));
}
