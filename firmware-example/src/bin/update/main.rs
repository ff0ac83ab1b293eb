//! Predicts pressure with the newest model in flash, and takes better models over a serial line.
//!
//! `docs/updates.md` says how to start the program in QEMU and how `srfm send` reaches it.
#![no_std]
#![no_main]

mod flash;
mod uart;

use cortex_m_rt::entry;
use semihosting::{println, process};
use srfm_runtime::kernel::Cosine;
use srfm_runtime::update::{Error, Event, Policy, Receiver, Store};
use srfm_runtime::{Model, static_model};

use flash::FileFlash;
use uart::Uart;

/// The model of the firmware, for a board that has not been updated.
static PRESSURE: Model<Cosine> = static_model!("../../../models/pressure.srfm");

/// Pressure sensors, by a number of our choice: their models take two readings and give one value. A product adds
/// `.signed_by(PUBLIC_KEY)`.
const POLICY: Policy = Policy::new(0x5052_4553, 2, 1);

/// Readings of the bridge and the thermistor, in place of a converter.
const READINGS: [f32; 2] = [3116.0, 2248.0];

/// A copy of the model in use. A flash that is mapped into memory needs none.
const WORDS: usize = 2048;

/// Predicts with the stored model, or with that of the firmware where there is none or it cannot be evaluated. The
/// program goes on in any case: a better model may arrive.
fn predict(store: &mut Store<FileFlash, Cosine>, buffer: &mut [u32]) {
    let sequence = store.stored().map_or(0, |stored| stored.sequence);
    let mut pressure = [0.0];
    let stored = store.load(buffer).and_then(|model| model.predict(&READINGS, &mut pressure).map_err(Error::Model));
    let predicted = match stored {
        Ok(()) => Ok(sequence),
        Err(_) => PRESSURE.predict(&READINGS, &mut pressure).map(|()| 0),
    };
    match predicted {
        Ok(sequence) => println!("model {sequence}: {:.2} hPa, bits {:08x}", pressure[0], pressure[0].to_bits()),
        Err(error) => println!("{error}"),
    }
}

/// Takes bytes from the line for as long as the board has power.
fn run() -> Result<(), Error> {
    let mut buffer = [0; WORDS];
    let flash = FileFlash::open().map_err(Error::Flash)?;
    // The flash of a board may not be ready: a product predicts with its own model and opens the store again later.
    let mut store = Store::open(flash, 0..flash::CAPACITY, POLICY)?;
    let (mut uart, mut receiver) = (Uart::start(), Receiver::new());
    predict(&mut store, &mut buffer);
    loop {
        match receiver.feed(uart.read(), &mut store) {
            Event::Nothing => {}
            Event::Answer(frame) => uart.write(frame.as_bytes()),
            Event::Received => {
                let result = store.commit_in(&mut buffer);
                uart.write(Receiver::answer(result, &store).as_bytes());
                predict(&mut store, &mut buffer);
            }
        }
    }
}

#[entry]
fn main() -> ! {
    match run() {
        Ok(()) => process::exit(0),
        Err(error) => {
            println!("{error}");
            process::exit(1)
        }
    }
}
