//! Built-in tasks: test functions of the literature and a simulated sensor.

use std::f64::consts::PI;

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::sampling::Sampler;

/// A task whose data are made, not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// `10 sin(πx₁x₂) + 20(x₃ − ½)² + 10x₄ + 5x₅`, x uniform on [0, 1]¹⁰ (Friedman 1991).
    Friedman1,
    /// Impedance of an alternating-current circuit, `√(r² + w²)`, x uniform on [0, 1]⁴ (Friedman 1991).
    Friedman2,
    /// Its phase, `atan(w / r)` (Friedman 1991).
    Friedman3,
    /// `sin x₁ + 7 sin² x₂ + 0.1 x₃⁴ sin x₁`, x uniform on [−π, π]³ (Ishigami and Homma 1990).
    Ishigami,
    /// A bridge pressure sensor with temperature cross-sensitivity: two 12-bit converter counts in, hectopascal out.
    Pressure,
    /// `sin((x₁ + x₃)²) sin(x₇x₈x₉)`, x standard normal in 18 inputs (Gregorová et al. 2018, SE1).
    Se1,
    /// `log((x₁₁ + … + x₁₅)²)`, x standard normal in 100 inputs (SE2).
    Se2,
    /// `10 (z₁² + z₂²) exp(−2 (z₁² + z₂²))`, 200 standard normal z and five inputs for each of them: z with normal noise of
    /// standard deviation 0.1 (SE3).
    Se3,
}

impl Task {
    /// All tasks.
    pub const ALL: [Task; 8] = [
        Task::Friedman1,
        Task::Friedman2,
        Task::Friedman3,
        Task::Ishigami,
        Task::Pressure,
        Task::Se1,
        Task::Se2,
        Task::Se3,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Task::Friedman1 => "friedman1",
            Task::Friedman2 => "friedman2",
            Task::Friedman3 => "friedman3",
            Task::Ishigami => "ishigami",
            Task::Pressure => "pressure",
            Task::Se1 => "se1",
            Task::Se2 => "se2",
            Task::Se3 => "se3",
        }
    }

    /// Usual standard deviation of the noise: of the target, or of the bridge counts for [`Task::Pressure`].
    pub fn usual_noise(self) -> f64 {
        match self {
            Task::Friedman1 => 1.0,
            Task::Friedman2 => 125.0,
            Task::Friedman3 | Task::Se1 | Task::Se2 => 0.1,
            Task::Se3 => 0.01,
            Task::Ishigami => 0.0,
            Task::Pressure => 0.5,
        }
    }

    /// Draws `rows` rows with normal noise of standard deviation `noise`.
    pub fn generate(self, rows: usize, noise: f64, seed: u64) -> Dataset {
        let mut sampler = Sampler::new(seed);
        if self == Task::Pressure {
            return pressure(rows, noise, &mut sampler);
        }
        let inputs = match self {
            Task::Friedman1 => 10,
            Task::Ishigami => 3,
            Task::Se1 => 18,
            Task::Se2 => 100,
            Task::Se3 => COPIES * 200,
            _ => 4,
        };
        let mut x = DMatrix::zeros(rows, inputs);
        let mut y = DMatrix::zeros(rows, 1);
        let mut point = vec![0.0; inputs];
        for row in 0..rows {
            self.draw(&mut point, &mut sampler);
            y[row] = self.value(&point) + noise * sampler.normal();
            if self == Task::Se3 {
                point.iter_mut().for_each(|value| *value += 0.1 * sampler.normal());
            }
            x.row_mut(row).copy_from_slice(&point);
        }
        Dataset {
            x,
            y,
            input_names: (1..=inputs).map(|i| format!("x{i}")).collect(),
            output_names: vec!["y".to_owned()],
            classes: Vec::new(),
        }
    }

    /// Draws a point of a test function.
    fn draw(self, point: &mut [f64], sampler: &mut Sampler) {
        match self {
            Task::Ishigami => point.fill_with(|| sampler.uniform(-PI, PI)),
            Task::Se1 | Task::Se2 => point.fill_with(|| sampler.normal()),
            Task::Se3 => point.chunks_mut(COPIES).for_each(|copies| copies.fill(sampler.normal())),
            _ => point.fill_with(|| sampler.uniform(0.0, 1.0)),
        }
    }

    /// The noise-free value of a test function at a point.
    fn value(self, x: &[f64]) -> f64 {
        match self {
            Task::Friedman1 => {
                10.0 * libm::sin(PI * x[0] * x[1]) + 20.0 * (x[2] - 0.5) * (x[2] - 0.5) + 10.0 * x[3] + 5.0 * x[4]
            }
            Task::Friedman2 => {
                let (r, w) = circuit(x);
                libm::sqrt(r * r + w * w)
            }
            Task::Friedman3 => {
                let (r, w) = circuit(x);
                libm::atan(w / r)
            }
            Task::Ishigami => {
                let (s1, s2) = (libm::sin(x[0]), libm::sin(x[1]));
                s1 + 7.0 * s2 * s2 + 0.1 * x[2] * x[2] * x[2] * x[2] * s1
            }
            Task::Se1 => {
                let sum = x[0] + x[2];
                libm::sin(sum * sum) * libm::sin(x[6] * x[7] * x[8])
            }
            Task::Se2 => {
                let sum: f64 = x[10..15].iter().sum();
                libm::log(sum * sum)
            }
            Task::Se3 => {
                let squares = x[0] * x[0] + x[COPIES] * x[COPIES];
                10.0 * squares * libm::exp(-2.0 * squares)
            }
            Task::Pressure => unreachable!("a simulation, not a function of its inputs"),
        }
    }
}

/// Inputs that are copies of one variable in [`Task::Se3`].
const COPIES: usize = 5;

/// Resistance and reactance of Friedman's circuit.
fn circuit(x: &[f64]) -> (f64, f64) {
    let frequency = 520.0 * PI * x[1] + 40.0 * PI;
    (100.0 * x[0], x[2] * frequency - 1.0 / (frequency * (10.0 * x[3] + 1.0)))
}

/// A piezoresistive bridge whose offset and sensitivity drift with temperature, beside a thermistor, both read by a
/// 12-bit converter. Pressure is uniform on 300 to 1100 hPa, temperature on −20 to 60 °C.
fn pressure(rows: usize, noise: f64, sampler: &mut Sampler) -> Dataset {
    const FULL_SCALE: f64 = 4095.0;
    let counts = |share: f64, noise: f64| (FULL_SCALE * share + noise).round().clamp(0.0, FULL_SCALE);
    let mut x = DMatrix::zeros(rows, 2);
    let mut y = DMatrix::zeros(rows, 1);
    for row in 0..rows {
        let hpa = sampler.uniform(300.0, 1100.0);
        let celsius = sampler.uniform(-20.0, 60.0);
        let load = (hpa - 300.0) / 800.0;
        let warmth = (celsius - 25.0) / 60.0;
        let offset = 0.07 + 0.04 * warmth - 0.02 * warmth * warmth;
        let sensitivity = 0.76 * (1.0 - 0.18 * warmth + 0.05 * warmth * warmth);
        let bent = load + 0.06 * load * (1.0 - load) * (1.0 + 0.5 * load);
        // Thermistor of 10 kΩ at 25 °C, B = 3435 K, below a resistor of 10 kΩ.
        let thermistor = libm::exp(3435.0 * (1.0 / (celsius + 273.15) - 1.0 / 298.15));
        x[(row, 0)] = counts(offset + sensitivity * bent, noise * sampler.normal());
        x[(row, 1)] = counts(thermistor / (1.0 + thermistor), noise * sampler.normal());
        y[row] = hpa;
    }
    Dataset {
        x,
        y,
        input_names: vec!["bridge_counts".to_owned(), "thermistor_counts".to_owned()],
        output_names: vec!["pressure_hpa".to_owned()],
        classes: Vec::new(),
    }
}
