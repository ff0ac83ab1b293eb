//! Predicts for ever with a model that was read when the program was compiled, and nothing else: its size less that of
//! `empty` is all the flash that such a model takes, parameters included; of integer models from counts to counts.
//! `SRFM_MODEL` may name another model than the example's, by its whole path.
#![no_std]
#![no_main]

use core::hint::black_box;

use srfm_runtime::{Model, static_model};

#[path = "../entry.rs"]
mod entry;
#[path = "../panic_free.rs"]
mod panic_free;

use entry::entry;

static MODEL: Model = static_model!(env!("SRFM_MODEL"));

/// Numbers that an integer model takes.
const COUNTS: usize = if MODEL.prepared().is_empty() { MODEL.inputs() } else { MODEL.prepared().len() };

#[entry]
fn main() -> ! {
    loop {
        if MODEL.scales().is_empty() {
            let (x, mut y) = (black_box([0.0; MODEL.inputs()]), [0.0; MODEL.outputs()]);
            let _ = MODEL.predict(&x, &mut y);
            black_box(y);
        } else {
            let (z, mut y) = (black_box([0; COUNTS]), [0; MODEL.outputs()]);
            let _ = MODEL.predict_integers(&z, &mut y);
            black_box(y);
        }
    }
}
