//! The plain functions that models are compared with agree with the tasks, whose functions are independent.

use srfm_trainer::data::Task;

#[path = "../../firmware-example/measure/formulas/src/bme280.rs"]
mod bme280;
#[path = "../../firmware-example/measure/formulas/src/thermocouple.rs"]
mod thermocouple;

use bme280::Bme280;
use thermocouple::{cold_junction_millivolts, hot_junction, inverse};

/// Returns the root mean square and the largest of some errors.
fn summary(errors: &[f64]) -> (f64, f64) {
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    ((squares / errors.len() as f64).sqrt(), errors.iter().fold(0.0, |most, error| most.max(error.abs())))
}

#[test]
fn the_inverse_of_nist_is_within_its_published_error() {
    let data = Task::ThermocoupleK.generate(4000, 0.0, 1);
    let rows = || data.x.row_iter().zip(&data.y);
    let errors: Vec<f64> =
        rows().map(|(x, celsius)| f64::from(hot_junction(x[0] as f32, x[1] as f32)) - celsius).collect();
    let (rms, largest) = summary(&errors);
    println!("hot junction: RMSE {rms:.4} °C, largest {largest:.4} °C");
    // The table states −0.05 to 0.06 °C. Single precision adds a few units of 1e-4 °C and of 1e-6 mV.
    assert!(largest < 0.065 && rms > 0.005, "{rms}, {largest}");
    // Without the cold junction the function is off by tens of degrees.
    assert!(rows().any(|(x, celsius)| (f64::from(inverse(x[0] as f32 / 1000.0)) - celsius).abs() > 20.0));
    assert!((cold_junction_millivolts(25.0) - 1.0).abs() < 0.0006 && cold_junction_millivolts(0.0).abs() < 1e-5);
}

#[test]
fn the_integer_code_of_the_bme280_is_that_of_its_formulas() {
    // The example of the data sheet: 25.08 °C and 100653.27 Pa. The integers cut bits of 0.01 Pa.
    let device = Bme280::TYPICAL;
    assert_eq!((device.fine(519_888), device.temperature(519_888)), (128_422, 2508));
    assert!((device.pressure(415_148, 128_422) as f64 / 256.0 - 100_653.27).abs() < 0.03);
    let data = Task::Bme280.generate(4000, 0.0, 1);
    let mut errors = [const { Vec::new() }; 3];
    for (x, y) in data.x.row_iter().zip(data.y.row_iter()) {
        let [t, p, h] = [x[0] as i32, x[1] as i32, x[2] as i32];
        let fine = device.fine(t);
        errors[0].push(f64::from(device.temperature(t)) / 100.0 - y[0]);
        errors[1].push(device.pressure(p, fine) as f64 / 256.0 - y[1]);
        errors[2].push(f64::from(device.humidity(h, fine)) / 1024.0 - y[2]);
    }
    let summaries = errors.map(|errors| summary(&errors));
    println!("integer code, RMSE and largest error of °C, Pa, %: {summaries:?}");
    // Steps of 0.01 °C and shifts that cut bits: a hundredth of a degree, a few pascals, a few hundredths of a percent.
    for ((_, largest), most) in summaries.into_iter().zip([0.011, 3.0, 0.05]) {
        assert!(largest < most, "{summaries:?}");
    }
}
