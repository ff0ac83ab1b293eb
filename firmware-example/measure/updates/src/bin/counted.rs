//! Prints memory, stack and instructions of an update with the model that `SRFM_MODEL` names.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::{Counter, entry, stack_bytes_within};
use host::fail;
use semihosting::{println, process};
use srfm_runtime::include_model;
use srfm_runtime::kernel::Cosine;
use srfm_runtime::update::{Error, Manifest, Offer, Policy, Receiver, Store};
use updates::{CAPACITY, Memory, POLICY};

static MODEL: &[u8] = include_model!(env!("SRFM_MODEL"));

/// The stack that is painted.
const STACK: usize = 1 << 15;

type MemoryStore<'a> = Store<Memory<'a>, Cosine>;

#[cfg(not(feature = "signature"))]
fn offer(manifest: Manifest) -> (Offer, Policy) {
    (manifest.into(), POLICY)
}

/// The public key of a secret key of 32 sevens.
#[cfg(feature = "signature")]
const PUBLIC: [u8; 32] = [
    0xea, 0x4a, 0x6c, 0x63, 0xe2, 0x9c, 0x52, 0x0a, 0xbe, 0xf5, 0x50, 0x7b, 0x13, 0x2e, 0xc5, 0xf9, 0x95, 0x47, 0x76,
    0xae, 0xbe, 0xbe, 0x7b, 0x92, 0x42, 0x1e, 0xea, 0x69, 0x14, 0x46, 0xd2, 0x2c,
];

#[cfg(feature = "signature")]
fn offer(manifest: Manifest) -> (Offer, Policy) {
    (Offer::signed(manifest, MODEL, &[7; 32]), POLICY.signed_by(PUBLIC))
}

/// Measures a step of an update.
type Measure<'a> = &'a mut dyn FnMut(&mut dyn FnMut());

/// Hands the model to the store in pieces and commits it.
#[cfg(not(feature = "link"))]
fn update(store: &mut MemoryStore<'_>, buffer: &mut [u32], measure: Measure<'_>, offer: &Offer) -> Result<(), Error> {
    let mut result = Ok(());
    measure(&mut || result = store.begin(black_box(offer)));
    for piece in MODEL.chunks(128) {
        measure(&mut || result = result.and_then(|()| store.receive(black_box(piece))));
    }
    measure(&mut || result = result.and_then(|()| store.commit_in(buffer)));
    result
}

/// Feeds every frame of the update and commits it. The sender is not measured.
#[cfg(feature = "link")]
fn update(store: &mut MemoryStore<'_>, buffer: &mut [u32], measure: Measure<'_>, offer: &Offer) -> Result<(), Error> {
    use srfm_runtime::update::{Event, Sender};

    let (mut receiver, mut sender) = (Receiver::new(), Sender::new(*offer, MODEL));
    let mut result = Err(Error::NotStarted);
    while let Some(frame) = sender.frame() {
        measure(&mut || {
            for &byte in black_box(&frame).as_bytes() {
                match receiver.feed(byte, store) {
                    Event::Nothing => {}
                    Event::Answer(answer) => _ = black_box(answer),
                    Event::Received => {
                        result = store.commit_in(buffer);
                        black_box(Receiver::answer(result, store));
                    }
                }
            }
        });
        sender.advance();
    }
    result
}

#[entry]
fn main() -> ! {
    let counter = &Counter::start().unwrap_or_else(|error| fail(error));
    let (mut flash, mut buffer) = ([0xFF; CAPACITY], [0_u32; 512]);
    let manifest = Manifest::new(MODEL, 1, 1).unwrap_or_else(|error| fail(error));
    let (first, policy) = offer(manifest);
    let (second, _) = offer(Manifest { sequence: 2, ..manifest });
    let opened = Store::open(Memory(&mut flash), 0..CAPACITY as u32, policy);
    let mut store: MemoryStore<'_> = opened.unwrap_or_else(|error| fail(error));
    let (mut instructions, mut deepest) = (0, 0);
    let count: Measure<'_> = &mut |step| instructions += counter.count(step).0;
    update(&mut store, &mut buffer, count, &first).unwrap_or_else(|error| fail(error));
    let paint: Measure<'_> = &mut |step| deepest = deepest.max(stack_bytes_within::<STACK, _>(step).0);
    update(&mut store, &mut buffer, paint, &second).unwrap_or_else(|error| fail(error));
    let of_link = if cfg!(feature = "link") { size_of::<Receiver>() } else { 0 };
    println!("{} {deepest} {instructions}", size_of::<MemoryStore<'_>>() + of_link);
    process::exit(0)
}
