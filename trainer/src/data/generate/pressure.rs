//! A piezoresistive bridge and a thermistor, both read by a 12-bit converter.

use crate::data::Dataset;
use crate::data::generate::rows::{counts_of_12_bits, filled};
use crate::sampling::Sampler;

/// Simulates the sensor. `noise` is in counts.
///
/// The offset and the sensitivity of the bridge drift with temperature. Pressure is uniform on 300 to 1100 hPa and
/// temperature on −20 to 60 °C.
pub fn generate(rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
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
