//! Parses the model and predicts in a loop, and nothing else.
//!
//! The link proves that neither can panic. The size of the program, less those of `empty` and of the model, is the code
//! that the runtime adds to a program.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::entry;
use probes as _;
use srfm_runtime::kernel::Cosine;
use srfm_runtime::{Model, include_model};

static MODEL: &[u8] = include_model!("../../../../models/pressure.srfm");

#[entry]
fn main() -> ! {
    let model = Model::<Cosine>::parse_only(black_box(MODEL));
    loop {
        let x = black_box([0.0; 2]);
        let mut y = [0.0];
        if let Ok(model) = &model {
            let _ = model.predict(&x, &mut y);
        }
        #[cfg(feature = "deliberate-panic")]
        black_box(y[black_box(0)]);
        black_box(y);
    }
}
