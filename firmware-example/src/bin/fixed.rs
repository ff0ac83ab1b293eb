//! Predicts for ever with a model that was read when the program was compiled, and nothing else: its size less that of
//! `empty` is all the flash that such a model takes, parameters included; of integer models from counts to counts.
#![no_std]
#![no_main]

use core::hint::black_box;

#[path = "../compiled_in.rs"]
mod compiled_in;
#[path = "../entry.rs"]
mod entry;
#[path = "../panic_free.rs"]
mod panic_free;

use compiled_in::{COUNTS, MODEL};
use entry::entry;

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
