//! Predicts the pressure from the counts of a bridge and a thermistor, in floating point.
//!
//! The bridge is at P0.03 (AIN1), the thermistor at P0.04 (AIN2), both relative to the supply. `cargo run --release`
//! flashes the board.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use nrf52840_hal::gpio::p0;
use nrf52840_hal::pac;
use nrf52840_hal::saadc::{Gain, Reference, Resolution, Saadc, SaadcConfig};
use panic_halt as _;
use rtt_target::{rprintln, rtt_init_print};
use srfm_runtime::{Model, static_model};

/// The model, in flash. The compiler checks every length, index and value of the file.
static PRESSURE: Model = static_model!("../models/pressure.srfm");

/// Processor cycles between two readings: a second at 64 MHz.
const CYCLES: u32 = 64_000_000;

#[entry]
fn main() -> ! {
    rtt_init_print!();
    let Some(board) = pac::Peripherals::take() else { panic!("the peripherals are taken once") };
    let pins = p0::Parts::new(board.P0);
    let (mut bridge, mut thermistor) = (pins.p0_03, pins.p0_04);
    // Counts of 12 bits; the range ends at the supply.
    let config = SaadcConfig {
        resolution: Resolution::_12BIT,
        reference: Reference::VDD1_4,
        gain: Gain::GAIN1_4,
        ..SaadcConfig::default()
    };
    let mut converter = Saadc::new(board.SAADC, config);
    loop {
        if let (Ok(bridge), Ok(thermistor)) =
            (converter.read_channel(&mut bridge), converter.read_channel(&mut thermistor))
        {
            let counts: [i16; 2] = [bridge, thermistor];
            let mut pressure = [0.0];
            match PRESSURE.predict(&counts.map(f32::from), &mut pressure) {
                Ok(()) => {
                    // Whole tenths: formatting floating point takes 9 KB.
                    let tenths = (10.0 * pressure[0]) as i32;
                    rprintln!("{:?} counts: {}.{} hPa", counts, tenths / 10, tenths % 10);
                }
                Err(error) => rprintln!("{}", error),
            }
        }
        cortex_m::asm::delay(CYCLES);
    }
}
