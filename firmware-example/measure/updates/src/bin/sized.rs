//! Predicts with a model in memory; with the feature `store`, with a model in flash that a link replaces.
//!
//! The size of the program with the feature, less that without it, is the flash that updates take. The link proves that
//! they cannot panic. The crate that checks signatures has bounds checks that the compiler does not remove.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::entry;
#[cfg(not(feature = "signature"))]
use probes as _;
use srfm_runtime::Model;
use srfm_runtime::kernel::Cosine;

#[cfg(feature = "signature")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

fn predict(model: &Model<'_, Cosine>) {
    let mut y = [0.0];
    let _ = model.predict(&black_box([0.0; 2]), &mut y);
    black_box(y);
}

#[cfg(not(feature = "store"))]
#[entry]
fn main() -> ! {
    let flash = [0; updates::CAPACITY];
    loop {
        if let Ok(model) = Model::parse_only(black_box(&flash)) {
            predict(&model);
        }
    }
}

#[cfg(feature = "store")]
type Store<'a> = srfm_runtime::update::Store<updates::Memory<'a>, Cosine>;

/// Takes an update without frames.
#[cfg(all(feature = "store", not(feature = "link")))]
fn take(store: &mut Store<'_>, buffer: &mut [u32]) {
    use srfm_runtime::update::Manifest;

    let manifest = black_box(Manifest { sequence: 1, application: 1, len: 1, checksum: 1 });
    let begun = store.begin(&manifest.into());
    let received = store.receive(black_box(&[0; 128]));
    black_box((begun.is_ok(), received.is_ok(), store.commit_in(buffer).is_ok()));
}

/// Takes a byte of an update.
#[cfg(feature = "link")]
fn take(store: &mut Store<'_>, buffer: &mut [u32], receiver: &mut srfm_runtime::update::Receiver) {
    use srfm_runtime::update::{Event, Receiver};

    match receiver.feed(black_box(0), store) {
        Event::Nothing => {}
        Event::Answer(frame) => _ = black_box(frame.as_bytes()),
        Event::Received => {
            let result = store.commit_in(buffer);
            black_box(Receiver::answer(result, store).as_bytes());
        }
    }
}

#[cfg(feature = "store")]
#[entry]
fn main() -> ! {
    let (mut flash, mut buffer) = ([0xFF; updates::CAPACITY], [0_u32; 512]);
    #[cfg(not(feature = "signature"))]
    let policy = updates::POLICY;
    #[cfg(feature = "signature")]
    let policy = updates::POLICY.signed_by(black_box([1; 32]));
    let opened = Store::open(updates::Memory(&mut flash), 0..updates::CAPACITY as u32, policy);
    let Ok(mut store) = opened else {
        loop {
            core::hint::spin_loop()
        }
    };
    #[cfg(feature = "link")]
    let mut receiver = srfm_runtime::update::Receiver::new();
    loop {
        #[cfg(not(feature = "link"))]
        take(&mut store, &mut buffer);
        #[cfg(feature = "link")]
        take(&mut store, &mut buffer, &mut receiver);
        if let Ok(model) = store.load(&mut buffer) {
            predict(&model);
        }
    }
}
