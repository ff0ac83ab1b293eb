//! Predicts the pressure from the counts of a bridge and a thermistor, in integers.
//!
//! The bridge is at GP26, the thermistor at GP27, both relative to 3.3 V. `cargo run --release` flashes the board.
#![no_std]
#![no_main]

use panic_halt as _;
use rp2040_hal::adc::{Adc, AdcPin};
use rp2040_hal::clocks::init_clocks_and_plls;
use rp2040_hal::gpio::Pins;
use rp2040_hal::{Sio, Watchdog, entry, pac};
use rtt_target::{rprintln, rtt_init_print};
use srfm_runtime::{Model, static_model};

/// The model, in flash. The compiler checks every length, index and value of the file.
static PRESSURE: Model = static_model!("../models/pressure.srfm");

/// The boot loader's second stage, which sets up the flash.
#[unsafe(link_section = ".boot2")]
#[used]
static BOOT: [u8; 256] = rp2040_boot2::BOOT_LOADER_GENERIC_03H;

/// The frequency of the crystal in Hz.
const CRYSTAL: u32 = 12_000_000;

/// Processor cycles between two readings: a second at 125 MHz.
const CYCLES: u32 = 125_000_000;

#[entry]
fn main() -> ! {
    rtt_init_print!();
    let Some(pac) = pac::Peripherals::take() else { panic!("the peripherals are taken once") };
    let mut resets = pac.RESETS;
    let mut watchdog = Watchdog::new(pac.WATCHDOG);
    let clocks =
        init_clocks_and_plls(CRYSTAL, pac.XOSC, pac.CLOCKS, pac.PLL_SYS, pac.PLL_USB, &mut resets, &mut watchdog);
    let Ok(_clocks) = clocks else { panic!("the crystal does not start") };
    let pins = Pins::new(pac.IO_BANK0, pac.PADS_BANK0, Sio::new(pac.SIO).gpio_bank0, &mut resets);
    let mut adc = Adc::new(pac.ADC, &mut resets);
    let (Ok(mut bridge), Ok(mut thermistor)) =
        (AdcPin::new(pins.gpio26.into_floating_input()), AdcPin::new(pins.gpio27.into_floating_input()))
    else {
        panic!("both pins have converters")
    };
    loop {
        let counts: [Result<u16, _>; 2] = [adc.read(&mut bridge), adc.read(&mut thermistor)];
        if let [Ok(bridge), Ok(thermistor)] = counts {
            // Counts have 12 bits.
            let mut y = [0];
            match PRESSURE.predict_integers(&[bridge as i16, thermistor as i16], &mut y) {
                Ok(()) => {
                    let tenths = tenths(y[0]);
                    rprintln!("{} and {} counts: {}.{} hPa", bridge, thermistor, tenths / 10, tenths % 10);
                }
                Err(error) => rprintln!("{}", error),
            }
        }
        cortex_m::asm::delay(CYCLES);
    }
}

/// Returns a prediction in tenths of hPa. The result of the model stands for `offset + step * result`.
fn tenths(result: i32) -> i32 {
    let [scale] = PRESSURE.scales() else { return 0 };
    (10.0 * (scale.offset + scale.step * result as f32)) as i32
}
