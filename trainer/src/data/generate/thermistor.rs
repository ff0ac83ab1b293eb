//! A thermistor with negative temperature coefficient in a voltage divider, read by a 12-bit converter.
//!
//! `1 / T = A + B ln R + C (ln R)³` with T in kelvin and R in ohm (J. S. Steinhart, S. R. Hart, *Calibration curves for
//! thermistors*, 1968).

use crate::data::Dataset;
use crate::data::generate::rows::{counts_of_12_bits, filled};
use crate::sampling::Sampler;

/// The coefficients A, B and C of a common thermistor of 10 kΩ at 25 °C.
const COEFFICIENTS: [f64; 3] = [1.129148e-3, 2.34125e-4, 8.76741e-8];

/// The resistor between the thermistor and the supply, in ohm.
const SERIES: f64 = 10_000.0;

/// Range of the temperature in °C.
const RANGE: (f64, f64) = (-40.0, 125.0);

/// Simulates the thermistor. `noise` is in counts. The temperature is uniform on its range.
pub fn generate(rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
