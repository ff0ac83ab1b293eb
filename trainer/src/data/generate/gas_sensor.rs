//! A metal-oxide gas sensor that ages, read every hour, in the order of time.
//!
//! The resistance of the sensor follows the power law `R = R₀ c^(−α)` (P. K. Clifford, D. T. Tuma, *Characteristics of
//! semiconductor gas sensors*, 1982) and falls with temperature and humidity. R₀ burns in during the first weeks, then
//! drifts. The sensor stands in a street: the concentration has a daily course and decays between bursts, temperature
//! has a daily and a yearly course, and humidity opposes temperature.

use std::f64::consts::TAU;

use crate::data::Dataset;
use crate::data::generate::rows::{counts_of_12_bits, filled};
use crate::sampling::Sampler;

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
pub fn generate(rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns ln R of a reading less its temperature, humidity and concentration, which leaves ln R₀.
    fn log_baseline(counts: f64, celsius: f64, percent: f64, ppm: f64) -> f64 {
        let ratio: f64 = 4095.0 / counts - 1.0;
        let weather = (1.0 - 0.012 * (celsius - 20.0)) * (1.0 - 0.004 * (percent - 50.0));
        (ratio * ppm.powf(0.55) / weather).ln()
    }

    #[test]
    fn the_baseline_burns_in_and_drifts() {
        let data = generate(6000, 0.0, &mut Sampler::new(1));
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
}
