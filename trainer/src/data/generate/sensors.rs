//! Sensors with published formulas and simulated sensors.

use std::f64::consts::TAU;

use crate::data::Dataset;
use crate::data::generate::rows::{counts_of_12_bits, filled};
use crate::sampling::Sampler;

/// Range of the hot junction, in °C. The inverse functions of NIST cover the same range.
const HOT: (f64, f64) = (-200.0, 1372.0);

/// Range of the cold junction, in °C.
const COLD: (f64, f64) = (-20.0, 60.0);

/// The cold junction is read in steps of 1/16 °C, as usual digital thermometers do.
const COLD_STEPS: f64 = 16.0;

/// Coefficients of the powers of the temperature in °C below 0 °C, in mV.
const BELOW_ZERO: [f64; 11] = [
    0.0,
    0.394501280250e-1,
    0.236223735980e-4,
    -0.328589067840e-6,
    -0.499048287770e-8,
    -0.675090591730e-10,
    -0.574103274280e-12,
    -0.310888728940e-14,
    -0.104516093650e-16,
    -0.198892668780e-19,
    -0.163226974860e-22,
];

/// Coefficients of the powers of the temperature in °C above 0 °C, in mV.
const ABOVE_ZERO: [f64; 10] = [
    -0.176004136860e-1,
    0.389212049750e-1,
    0.185587700320e-4,
    -0.994575928740e-7,
    0.318409457190e-9,
    -0.560728448890e-12,
    0.560750590590e-15,
    -0.320207200030e-18,
    0.971511471520e-22,
    -0.121047212750e-25,
];

/// The term `a₀ exp(a₁ (t − a₂)²)` above 0 °C, in mV.
const EXPONENTIAL: [f64; 3] = [0.118597600000, -0.118343200000e-3, 0.126968600000e3];

/// Simulates the thermocouple. `noise` is in microvolts.
///
/// The temperatures of both junctions are uniform on their ranges. The amplifier reads the difference of the voltages.
pub fn thermocouple(rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
    filled(rows, &["voltage_uv", "cold_junction_c"], &["temperature_c"], |x, y| {
        let hot = sampler.uniform(HOT.0, HOT.1);
        let cold = (COLD_STEPS * sampler.uniform(COLD.0, COLD.1)).round() / COLD_STEPS;
        x[0] = 1000.0 * (millivolts(hot) - millivolts(cold)) + noise * sampler.normal();
        x[1] = cold;
        y[0] = hot;
    })
}

/// Returns the voltage in mV between a junction at `celsius`, −270 to 1372 °C, and one at 0 °C.
fn millivolts(celsius: f64) -> f64 {
    let polynomial = |coefficients: &[f64]| coefficients.iter().rev().fold(0.0, |sum, c| sum * celsius + c);
    if celsius < 0.0 {
        return polynomial(&BELOW_ZERO);
    }
    let [factor, rate, centre] = EXPONENTIAL;
    polynomial(&ABOVE_ZERO) + factor * libm::exp(rate * (celsius - centre) * (celsius - centre))
}

/// Simulates the sensor. `noise` is in counts.
///
/// The offset and the sensitivity of the bridge drift with temperature. Pressure is uniform on 300 to 1100 hPa and
/// temperature on −20 to 60 °C.
pub fn pressure(rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
    filled(rows, &["bridge_counts", "thermistor_counts"], &["pressure_hpa"], |x, y| {
        let hpa = sampler.uniform(300.0, 1100.0);
        let celsius = sampler.uniform(-20.0, 60.0);
        let load = (hpa - 300.0) / 800.0;
        let warmth = (celsius - 25.0) / 60.0;
        let offset = 0.07 + 0.04 * warmth - 0.02 * warmth * warmth;
        let sensitivity = 0.76 * (1.0 - 0.18 * warmth + 0.05 * warmth * warmth);
        let bent = load + 0.06 * load * (1.0 - load) * (1.0 + 0.5 * load);
        // Resistance of a thermistor with 10 kΩ at 25 °C and B = 3435 K, in units of its 10 kΩ series resistor.
        let thermistor = libm::exp(3435.0 * (1.0 / (celsius + 273.15) - 1.0 / 298.15));
        x[0] = counts_of_12_bits(offset + sensitivity * bent, noise * sampler.normal());
        x[1] = counts_of_12_bits(thermistor / (1.0 + thermistor), noise * sampler.normal());
        y[0] = hpa;
    })
}

/// The coefficients A, B and C of a common thermistor of 10 kΩ at 25 °C.
const COEFFICIENTS: [f64; 3] = [1.129148e-3, 2.34125e-4, 8.76741e-8];

/// The resistor between the thermistor and the supply, in ohm.
const SERIES: f64 = 10_000.0;

/// Range of the temperature in °C.
const RANGE: (f64, f64) = (-40.0, 125.0);

/// Simulates the thermistor. `noise` is in counts. The temperature is uniform on its range.
pub fn thermistor(rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
    filled(rows, &["counts"], &["temperature_c"], |x, y| {
        let celsius = sampler.uniform(RANGE.0, RANGE.1);
        let ohm = resistance(celsius);
        x[0] = counts_of_12_bits(ohm / (ohm + SERIES), noise * sampler.normal());
        y[0] = celsius;
    })
}

/// Returns the resistance in ohm: the real root of the cubic equation, by Cardano's formula.
fn resistance(celsius: f64) -> f64 {
    let [a, b, c] = COEFFICIENTS;
    let half = (a - 1.0 / (celsius + 273.15)) / (2.0 * c);
    let third = b / (3.0 * c);
    let root = libm::sqrt(third * third * third + half * half);
    libm::exp(libm::cbrt(root - half) - libm::cbrt(root + half))
}

/// The exponent α of the concentration.
const EXPONENT: f64 = 0.55;

/// The relative change of the resistance for a °C above 20 °C and for a percent of humidity above 50 %.
const PER_DEGREE: f64 = -0.012;
const PER_PERCENT: f64 = -0.004;

/// The burn-in as a share of the final R₀ and its time constant in hours; the drift of ln R₀ in an hour, and the
/// standard deviation of its random steps.
const BURN_IN: f64 = 0.25;
const BURN_IN_HOURS: f64 = 300.0;
const DRIFT: f64 = -2e-5;
const DRIFT_STEP: f64 = 0.001;

/// The share of their last value that the deviations of concentration and weather keep in an hour.
const PERSISTENCE: f64 = 0.9;

/// Simulates the sensor. `noise` is in counts of the converter, which reads the sensor in a divider.
pub fn gas_sensor(rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
    let inputs = ["hours", "sensor_counts", "temperature_c", "humidity_percent"];
    let mut hour = 0.0;
    let mut traffic = 0.0;
    let mut weather = 0.0;
    let mut moisture = 0.0;
    let mut drift = 0.0;
    filled(rows, &inputs, &["co_ppm"], |x, y| {
        let daily = |peak: f64| libm::cos(TAU * (hour - peak) / 24.0);
        let step = libm::sqrt(1.0 - PERSISTENCE * PERSISTENCE);
        for deviation in [&mut traffic, &mut weather, &mut moisture] {
            *deviation = PERSISTENCE * *deviation + step * sampler.normal();
        }
        drift += DRIFT + DRIFT_STEP * sampler.normal();

        let ppm = libm::exp(0.5 + 0.5 * daily(19.0) + 0.6 * traffic);
        let celsius = 15.0 + 10.0 * libm::cos(TAU * (hour / 8766.0 - 0.5)) + 5.0 * daily(15.0) + 3.0 * weather;
        let percent = (75.0 - 1.2 * (celsius - 10.0) + 8.0 * moisture).clamp(10.0, 98.0);
        let burn_in = libm::log1p(BURN_IN * libm::exp(-hour / BURN_IN_HOURS));
        let log = burn_in + drift - EXPONENT * libm::log(ppm)
            + libm::log1p(PER_DEGREE * (celsius - 20.0))
            + libm::log1p(PER_PERCENT * (percent - 50.0));
        let resistance = libm::exp(log);
        x[0] = hour;
        x[1] = counts_of_12_bits(1.0 / (1.0 + resistance), noise * sampler.normal());
        x[2] = (10.0 * celsius).round() / 10.0;
        x[3] = percent.round();
        y[0] = ppm;
        hour += 1.0;
    })
}

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
pub fn bme280(rows: usize, noise: f64, sampler: &mut Sampler, wanted: &[Quantity]) -> Dataset {
    let names = ["temperature_c", "pressure_pa", "humidity_percent"];
    let wanted_names: Vec<&str> = wanted.iter().map(|&quantity| names[quantity as usize]).collect();
    filled(rows, &["temperature_counts", "pressure_counts", "humidity_counts"], &wanted_names, |x, y| {
        let [celsius, pascal, percent] = RANGES.map(|(low, high)| sampler.uniform(low, high));
        // The targets are the formulas at whole counts.
        let counts = |function: &dyn Fn(f64) -> f64, bits: i32| inverse(function, 2f64.powi(bits)).round();
        x[0] = counts(&|raw| fine_temperature(raw) / FINE - celsius, 20);
        let fine = fine_temperature(x[0]);
        x[1] = counts(&|raw| pascal - pascals(raw, fine), 20);
        x[2] = counts(&|raw| humidity(raw, fine) - percent, 16);
        let all = [fine / FINE, pascals(x[1], fine), humidity(x[2], fine)];
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
fn pascals(raw: f64, fine: f64) -> f64 {
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
    fn voltages_are_those_of_the_tables() {
        // NIST Monograph 175, table for type K: the last digit is 1 µV.
        let table = [
            (-270.0, -6.458),
            (-200.0, -5.891),
            (-100.0, -3.554),
            (-50.0, -1.889),
            (0.0, 0.0),
            (25.0, 1.000),
            (50.0, 2.023),
            (100.0, 4.096),
            (200.0, 8.138),
            (300.0, 12.209),
            (400.0, 16.397),
            (500.0, 20.644),
            (600.0, 24.905),
            (700.0, 29.129),
            (800.0, 33.275),
            (900.0, 37.326),
            (1000.0, 41.276),
            (1100.0, 45.119),
            (1200.0, 48.838),
            (1300.0, 52.410),
            (1372.0, 54.886),
        ];
        for (celsius, expected) in table {
            let found = millivolts(celsius);
            assert!((found - expected).abs() <= 0.0005 + 1e-9, "{celsius}: {found}, {expected}");
        }
        // Both polynomials meet at 0 °C within the rounding of their coefficients.
        assert!((millivolts(0.0) - millivolts(-1e-12)).abs() < 1e-7);
    }

    #[test]
    fn resistances_are_those_of_the_formula_and_of_the_tables() {
        let [a, b, c] = COEFFICIENTS;
        for celsius in [-40.0, -10.0, 0.0, 25.0, 60.0, 125.0] {
            let log = resistance(celsius).ln();
            let kelvin = 1.0 / (a + b * log + c * log * log * log);
            assert!((kelvin - 273.15 - celsius).abs() < 1e-9, "{celsius}: {kelvin}");
        }
        // The table of the material: ratios of 3.265, 0.3603 and 0.0679 to the resistance at 25 °C. The formula is
        // within 0.01 to 0.02 K from −40 to 100 °C and a kelvin is 3 to 5 % of a resistance, so 0.2 % is three times
        // the error and the rounding of the table.
        for (celsius, ohm) in [(0.0, 32_650.0), (25.0, 10_000.0), (50.0, 3_603.0), (100.0, 679.3)] {
            let found = resistance(celsius);
            assert!((found / ohm - 1.0).abs() < 2e-3, "{celsius}: {found}, {ohm}");
        }
    }

    /// Returns ln R of a reading less its temperature, humidity and concentration, which leaves ln R₀.
    fn log_baseline(counts: f64, celsius: f64, percent: f64, ppm: f64) -> f64 {
        let ratio: f64 = 4095.0 / counts - 1.0;
        let weather = (1.0 - 0.012 * (celsius - 20.0)) * (1.0 - 0.004 * (percent - 50.0));
        (ratio * ppm.powf(0.55) / weather).ln()
    }

    #[test]
    fn the_baseline_burns_in_and_drifts() {
        let data = gas_sensor(6000, 0.0, &mut Sampler::new(1));
        let baseline = |row: usize| {
            let x = data.x.row(row);
            log_baseline(x[1], x[2], x[3], data.y[row])
        };
        let mean = |first: usize| (first..first + 100).map(baseline).sum::<f64>() / 100.0;
        // The burn-in is ln 1.25 = 0.22 at first and 1 % after five time constants, 1500 hours. The random part of the
        // drift has a standard deviation of 0.001 √1500 = 0.04 by then.
        let fallen = mean(0) - mean(1500);
        assert!((0.06..0.36).contains(&fallen), "{fallen}");
        // Neighbouring hours differ by the rounding of readings alone: a count is 0.1 % to 1 % of the resistance, half
        // a percent of humidity is 0.2 %.
        let roughness = (1..6000).map(|row| (baseline(row) - baseline(row - 1)).abs()).sum::<f64>() / 5999.0;
        assert!(roughness < 0.005, "{roughness}");
        assert!(data.x.column(0).iter().enumerate().all(|(row, &hour)| hour == row as f64));
        assert!(data.y.iter().all(|&ppm| ppm > 0.0 && ppm < 60.0));
    }

    #[test]
    fn the_example_of_the_data_sheet() {
        // BST-BMP280-DS001, section 3.12: counts 519888 and 415148 are 25.08 °C and 100653.27 Pa.
        let fine = fine_temperature(519_888.0);
        assert_eq!(fine.trunc(), 128_422.0);
        assert!((fine / FINE - 25.08).abs() < 0.005);
        // The example carries the fine temperature as a whole number: 0.02 Pa for a unit.
        let found = pascals(415_148.0, fine);
        assert!((found - 100_653.27).abs() < 0.03, "{found}");
    }

    #[test]
    fn rows_are_in_the_ranges_and_targets_belong_to_the_counts() {
        let all = [Quantity::Temperature, Quantity::Pressure, Quantity::Humidity];
        let data = bme280(200, 0.0, &mut Sampler::new(3), &all);
        for (x, y) in data.x.row_iter().zip(data.y.row_iter()) {
            assert!(x.iter().all(|counts| counts.fract() == 0.0));
            let fine = fine_temperature(x[0]);
            assert_eq!([y[0], y[1], y[2]], [fine / FINE, pascals(x[1], fine), humidity(x[2], fine)]);
            for (value, (low, high)) in y.iter().zip(RANGES) {
                // Half a count is up to 0.002 % humidity of its range, less for the others.
                let margin = 1e-4 * (high - low);
                assert!((low - margin..high + margin).contains(value), "{value}");
            }
        }
    }
}
