//! Generated tasks: test functions from the literature, sensors with published formulas and simulated sensors.

mod functions;
mod gestures;
mod rows;
mod sensors;

use crate::data::Dataset;
use crate::data::generate::sensors::Quantity::{Humidity, Pressure, Temperature};
use crate::sampling::Sampler;

/// A row of the table of tasks.
struct Row {
    name: &'static str,
    /// The usual standard deviation of the noise.
    noise: f64,
    /// Draws rows with noise of a standard deviation.
    generate: fn(usize, f64, &mut Sampler) -> Dataset,
}

/// Defines [`Task`] by its rows.
macro_rules! tasks {
    ($(#[doc = $summary:literal] $(#[doc = $doc:literal])* $task:ident = $row:expr;)*) => {
        /// A task whose data are generated.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Task {
            $(#[doc = $summary] $(#[doc = $doc])* $task,)*
        }

        impl Task {
            /// All tasks.
            pub const ALL: [Task; [$(Task::$task),*].len()] = [$(Task::$task),*];

            fn row(self) -> Row {
                match self {
                    $(Task::$task => $row,)*
                }
            }

            /// Returns a description in one line.
            pub fn summary(self) -> &'static str {
                match self {
                    $(Task::$task => $summary.trim(),)*
                }
            }
        }
    };
}

tasks! {
    /// Bosch BME280, data sheet formulas: three raw counts in; temperature, pressure and humidity out.
    Bme280 = Row {
        name: "bme280",
        noise: 0.0,
        generate: |rows, noise, sampler| sensors::bme280(rows, noise, sampler, &[Temperature, Pressure, Humidity]),
    };
    /// The rows of bme280 with humidity as the only target.
    Bme280Humidity = Row {
        name: "bme280-humidity",
        noise: 0.0,
        generate: |rows, noise, sampler| sensors::bme280(rows, noise, sampler, &[Humidity]),
    };
    /// The rows of bme280 with pressure as the only target.
    Bme280Pressure = Row {
        name: "bme280-pressure",
        noise: 0.0,
        generate: |rows, noise, sampler| sensors::bme280(rows, noise, sampler, &[Pressure]),
    };
    /// The rows of bme280 with temperature as the only target.
    Bme280Temperature = Row {
        name: "bme280-temperature",
        noise: 0.0,
        generate: |rows, noise, sampler| sensors::bme280(rows, noise, sampler, &[Temperature]),
    };
    /// 10 sin(πx₁x₂) + 20(x₃ − ½)² + 10x₄ + 5x₅, x uniform on [0, 1]¹⁰ (Friedman 1991).
    Friedman1 = Row {
        name: "friedman1",
        noise: 1.0,
        generate: |rows, noise, sampler| functions::FRIEDMAN1.generate(rows, noise, sampler),
    };
    /// Impedance of an alternating-current circuit, √(r² + w²), x uniform on [0, 1]⁴ (Friedman 1991).
    Friedman2 = Row {
        name: "friedman2",
        noise: 125.0,
        generate: |rows, noise, sampler| functions::FRIEDMAN2.generate(rows, noise, sampler),
    };
    /// Phase of the same circuit, atan(w / r) (Friedman 1991).
    Friedman3 = Row {
        name: "friedman3",
        noise: 0.1,
        generate: |rows, noise, sampler| functions::FRIEDMAN3.generate(rows, noise, sampler),
    };
    /// A metal-oxide gas sensor that ages, one row an hour: counts, temperature and humidity in, ppm out.
    ///
    /// The column `hours` is the time.
    GasSensor = Row { name: "gas-sensor", noise: 1.0, generate: sensors::gas_sensor };
    /// Gestures by an accelerometer in g, 100 rows a second: ax, ay and az in; circle, rest, shake or wave out.
    ///
    /// The rows of a gesture have a number in the column `recording`.
    Gestures = Row { name: "gestures", noise: 0.03, generate: gestures::gestures };
    /// sin x₁ + 7 sin² x₂ + 0.1 x₃⁴ sin x₁, x uniform on [−π, π]³ (Ishigami and Homma 1990).
    Ishigami = Row {
        name: "ishigami",
        noise: 0.0,
        generate: |rows, noise, sampler| functions::ISHIGAMI.generate(rows, noise, sampler),
    };
    /// A bridge pressure sensor whose reading drifts with temperature: two 12-bit counts in, hPa out.
    Pressure = Row { name: "pressure", noise: 0.5, generate: sensors::pressure };
    /// sin((x₁ + x₃)²) sin(x₇x₈x₉), x standard normal in 18 inputs (Gregorová et al. 2018).
    Se1 = Row {
        name: "se1",
        noise: 0.1,
        generate: |rows, noise, sampler| functions::SE1.generate(rows, noise, sampler),
    };
    /// log((x₁₁ + … + x₁₅)²), x standard normal in 100 inputs (Gregorová et al. 2018).
    Se2 = Row {
        name: "se2",
        noise: 0.1,
        generate: |rows, noise, sampler| functions::SE2.generate(rows, noise, sampler),
    };
    /// 10 (z₁² + z₂²) exp(−2 (z₁² + z₂²)) of 200 standard normal z with five inputs each (Gregorová et al. 2018).
    ///
    /// The five inputs of a z are z with normal noise of standard deviation 0.1.
    Se3 = Row {
        name: "se3",
        noise: 0.01,
        generate: |rows, noise, sampler| functions::SE3.generate(rows, noise, sampler),
    };
    /// A thermistor in a voltage divider, Steinhart–Hart equation: 12-bit counts in, °C out.
    Thermistor = Row { name: "thermistor", noise: 0.5, generate: sensors::thermistor };
    /// A type K thermocouple, NIST ITS-90 functions: microvolts and °C of the cold junction in, °C out.
    ThermocoupleK = Row { name: "thermocouple-k", noise: 1.0, generate: sensors::thermocouple };
}

impl Task {
    /// Returns whether the targets are classes.
    pub fn has_classes(self) -> bool {
        self == Task::Gestures
    }

    /// Returns the name of the task, such as `friedman1`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the usual standard deviation of the noise: of the target of a test function; of the converter's counts
    /// or the microvolts of a sensor.
    pub fn usual_noise(self) -> f64 {
        self.row().noise
    }

    /// Draws `rows` rows with normal noise of standard deviation `noise`, which is defined as in [`Task::usual_noise`].
    pub fn generate(self, rows: usize, noise: f64, seed: u64) -> Dataset {
        (self.row().generate)(rows, noise, &mut Sampler::new(seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_has_finite_rows_that_its_seed_decides() {
        for task in Task::ALL {
            let data = task.generate(50, task.usual_noise(), 7);
            assert_eq!((data.rows(), data.inputs()), (50, data.input_names.len()), "{task:?}");
            assert_eq!(data.outputs(), data.output_names.len(), "{task:?}");
            assert_eq!(task.has_classes(), !data.classes.is_empty(), "{task:?}");
            assert!(data.x.iter().chain(&data.y).all(|value| value.is_finite()), "{task:?}");
            assert_eq!(data, task.generate(50, task.usual_noise(), 7));
            assert_ne!(data, task.generate(50, task.usual_noise(), 8));
            assert!(task.name().chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
            assert!(task.summary().ends_with('.'), "{task:?}");
        }
    }
}
