//! A type K thermocouple with cold-junction compensation.
//!
//! The reference function is that of NIST Monograph 175 (G. W. Burns et al., *Temperature-electromotive force reference
//! functions and tables for the letter-designated thermocouple types based on the ITS-90*, 1993), type K.

use crate::data::Dataset;
use crate::data::generate::rows::filled;
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
pub fn generate(rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
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
}
