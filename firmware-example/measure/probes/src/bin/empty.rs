//! `footprint` without a model.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::entry;
use probes as _;

#[entry]
fn main() -> ! {
    loop {
        let x = black_box([0.0; 2]);
        let y = [x[0]];
        black_box(y);
    }
}
