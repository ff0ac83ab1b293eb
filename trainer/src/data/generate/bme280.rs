//! The compensation of the Bosch BME280: raw counts in; temperature, pressure and humidity out.
//!
//! The formulas are those in floating point of the data sheet (Bosch Sensortec, *BME280: combined humidity and pressure
//! sensor*, BST-BME280-DS002, section 8.1).

use crate::data::Dataset;
use crate::data::generate::rows::filled;
use crate::sampling::Sampler;

/// The trimming parameters T1 to T3 of a typical device: the example of the data sheet of the BMP280, whose
/// temperature and pressure formulas are the same.
const T: [f64; 3] = [27504.0, 26435.0, -1000.0];

/// The trimming parameters P1 to P9 of the same example.
const P: [f64; 9] = [36477.0, -10685.0, 3024.0, 2855.0, 140.0, -7.0, 15500.0, -14600.0, 6000.0];

/// The trimming parameters H1 to H6 of a typical device.
const H: [f64; 6] = [75.0, 362.0, 0.0, 324.0, 50.0, 30.0];

/// The ranges of temperature in °C, pressure in Pa and relative humidity in %.
const RANGES: [(f64, f64); 3] = [(-40.0, 85.0), (30_000.0, 110_000.0), (0.0, 100.0)];

/// A quantity that the sensor measures.
#[derive(Clone, Copy)]
pub enum Quantity {
    Temperature,
    Pressure,
    Humidity,
}

/// Simulates the sensor. `noise` is in counts of the three converters. The quantities are uniform on their ranges.
pub fn generate(rows: usize, noise: f64, sampler: &mut Sampler, wanted: &[Quantity]) -> Dataset {
    let names = ["temperature_c", "pressure_pa", "humidity_percent"];
    let wanted_names: Vec<&str> = wanted.iter().map(|&quantity| names[quantity as usize]).collect();
    filled(rows, &["temperature_counts", "pressure_counts", "humidity_counts"], &wanted_names, |x, y| {
        let [celsius, pascal, percent] = RANGES.map(|(low, high)| sampler.uniform(low, high));
        // The targets are the formulas at whole counts.
        let counts = |function: &dyn Fn(f64) -> f64, bits: i32| inverse(function, 2f64.powi(bits)).round();
        x[0] = counts(&|raw| fine_temperature(raw) / FINE - celsius, 20);
        let fine = fine_temperature(x[0]);
        x[1] = counts(&|raw| pascal - pressure(raw, fine), 20);
        x[2] = counts(&|raw| humidity(raw, fine) - percent, 16);
        let all = [fine / FINE, pressure(x[1], fine), humidity(x[2], fine)];
        y.iter_mut().zip(wanted).for_each(|(y, &quantity)| *y = all[quantity as usize]);
        x.iter_mut().for_each(|counts| *counts = (*counts + noise * sampler.normal()).round());
    })
}

/// Returns the root of an increasing function on 0 to `end`, by bisection.
fn inverse(function: &dyn Fn(f64) -> f64, end: f64) -> f64 {
    let mut low = 0.0;
    let mut high = end;
    while high - low > 0.01 {
        let middle = 0.5 * (low + high);
        if function(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Units of the fine temperature in a °C.
const FINE: f64 = 5120.0;

/// Returns the fine temperature, in 1/5120 °C.
fn fine_temperature(raw: f64) -> f64 {
    let linear = (raw / 16_384.0 - T[0] / 1024.0) * T[1];
    let square = raw / 131_072.0 - T[0] / 8192.0;
    linear + square * square * T[2]
}

/// Returns the pressure in Pa.
fn pressure(raw: f64, fine: f64) -> f64 {
    let [p1, p2, p3, p4, p5, p6, p7, p8, p9] = P;
    let warmth = fine / 2.0 - 64_000.0;
    let offset = (warmth * warmth * p6 / 32_768.0 + warmth * p5 * 2.0) / 4.0 + p4 * 65_536.0;
    let slope = (p3 * warmth * warmth / 524_288.0 + p2 * warmth) / 524_288.0;
    let slope = (1.0 + slope / 32_768.0) * p1;
    let p = (1_048_576.0 - raw - offset / 4096.0) * 6250.0 / slope;
    p + (p9 * p * p / 2_147_483_648.0 + p * p8 / 32_768.0 + p7) / 16.0
}

/// Returns the relative humidity in %.
fn humidity(raw: f64, fine: f64) -> f64 {
    let [h1, h2, h3, h4, h5, h6] = H;
    let warmth = fine - 76_800.0;
    let slope = 1.0 + h6 / 67_108_864.0 * warmth * (1.0 + h3 / 67_108_864.0 * warmth);
    let h = (raw - (h4 * 64.0 + h5 / 16_384.0 * warmth)) * (h2 / 65_536.0 * slope);
    h * (1.0 - h1 * h / 524_288.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_data_sheet() {
        // BST-BMP280-DS001, section 3.12: counts 519888 and 415148 are 25.08 °C and 100653.27 Pa.
        let fine = fine_temperature(519_888.0);
        assert_eq!(fine.trunc(), 128_422.0);
        assert!((fine / FINE - 25.08).abs() < 0.005);
        // The example carries the fine temperature as a whole number: 0.02 Pa for a unit.
        let found = pressure(415_148.0, fine);
        assert!((found - 100_653.27).abs() < 0.03, "{found}");
    }

    #[test]
    fn rows_are_in_the_ranges_and_targets_belong_to_the_counts() {
        let all = [Quantity::Temperature, Quantity::Pressure, Quantity::Humidity];
        let data = generate(200, 0.0, &mut Sampler::new(3), &all);
        for (x, y) in data.x.row_iter().zip(data.y.row_iter()) {
            assert!(x.iter().all(|counts| counts.fract() == 0.0));
            let fine = fine_temperature(x[0]);
            assert_eq!([y[0], y[1], y[2]], [fine / FINE, pressure(x[1], fine), humidity(x[2], fine)]);
            for (value, (low, high)) in y.iter().zip(RANGES) {
                // Half a count is up to 0.002 % humidity of its range, less for the others.
                let margin = 1e-4 * (high - low);
                assert!((low - margin..high + margin).contains(value), "{value}");
            }
        }
    }
}
