//! ARFF, Cases 1 to 3: functions with a slowly decaying or an anisotropic Fourier transform.
//!
//! 10,000 rows have standard normal inputs; inputs and targets are scaled to mean 0 and variance 1; 10,000 rows are for
//! testing. The figure is `√Σ|error|²` over the scaled test rows: 100 for predicting the mean. The paper shows its
//! errors in plots only. Settings are the paper's (its Table 2), with the differences that the method's documentation
//! states: batches of 2000 rows, m = 50, γ at least 2, and λ = 10⁻³ in the last fit (10⁻⁵ for sigmoids).

use nalgebra::DMatrix;

use crate::arff::gradient_descent::GradientDescent;
use crate::arff::sine_integral::sine_integral;
use crate::settings::{named, with};
use crate::table::{Reproduction, Row, mean};
use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::data::Dataset;
use srfm_trainer::method::{MethodConfig, Terms};
use srfm_trainer::model::Expansion;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::scaling::Scaling;

/// The basis of complex amplitudes.
const COMPLEX: &str = "complex";

/// Rows to fit and rows to test on.
const ROWS: usize = 10_000;

/// A target function.
#[derive(Clone, Copy)]
struct Case {
    inputs: usize,
    value: fn(&[f64]) -> f64,
}

const STEP: Case = Case { inputs: 1, value: |x| sine_integral(x[0] / 1e-3) * libm::exp(-x[0] * x[0] / 2.0) };
const HIGH: Case =
    Case { inputs: 5, value: |x| sine_integral(x[0] / 1e-1) * libm::exp(-x.iter().map(|x| x * x).sum::<f64>() / 2.0) };
const ANISOTROPIC: Case = Case {
    inputs: 2,
    value: |x| libm::exp(-(32.0 * x[0]) * (32.0 * x[0]) / 2.0) * libm::exp(-(x[1] / 32.0) * (x[1] / 32.0) / 2.0),
};

/// The method of a line.
#[derive(Clone)]
enum Way {
    Arff(MethodConfig),
    Descent(GradientDescent),
}

/// One line of a table.
struct Line {
    name: String,
    way: Way,
    threshold: Option<f64>,
}

impl Line {
    fn arff(name: &str, arff: MethodConfig) -> Line {
        Line { name: format!("K = {}, {name}", arff.tunable().features), way: Way::Arff(arff), threshold: None }
    }

    fn at_most(mut self, threshold: f64) -> Line {
        self.threshold = Some(threshold);
        self
    }
}

/// Computes Case 1: a regularised step.
pub fn step(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let arff = |features: usize| with!(dense(), features, order: 1, step_length: 2.4 * 2.4);
    let plain = |features| with!(arff(features), steps: 0, start: 1.0);
    let sigmoid = |features| with!(arff(features), steps: 10_000, lambda: 1e-5, basis: "sigmoid", refit: 100);
    let shaped = with!(arff(64), steps: 5000, step_length: 0.1, burn_in: 500);
    let descent = |start| {
        let way = GradientDescent { features: 64, start, steps: 10_000_000, rate: 1.5e-4 };
        let name = format!("K = 64, gradient descent from N(0, {start}²)");
        Line { name, way: Way::Descent(way), threshold: None }
    };
    let mut lines: Vec<Line> = [16, 32, 128, 256].map(|k| Line::arff("Algorithm 1", arff(k))).into();
    lines.insert(2, Line::arff("Algorithm 1", arff(64)).at_most(22.0));
    lines.push(Line::arff("Algorithm 1, complex", with!(arff(64), basis: COMPLEX)));
    lines.push(Line::arff("Algorithm 2", shaped));
    lines.extend([16, 64].map(|k| Line::arff("Algorithm 1, sigmoid", sigmoid(k))));
    lines.extend([16, 32, 64, 128].map(|k| Line::arff("plain N(0, 1)", plain(k))));
    lines.extend([1.0, 50.0].map(descent));
    let mut rows = STEP.rows(&lines, run)?;
    let of = |name: &str| rows.iter().find(|row| row.row == name).map_or(f64::NAN, |row| row.ours);
    let share = of("K = 64, Algorithm 1") / of("K = 64, plain N(0, 1)");
    let (name, seeds) = ("K = 64, Algorithm 1 over plain".to_owned(), rows[0].seeds);
    rows.push(Row::new(name, None, share, "1", seeds).at_most(Some(0.5)));
    Ok(rows)
}

/// Computes Case 2: five inputs.
pub fn high(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let arff = |features: usize| with!(dense(), features, order: 5, steps: 2500);
    let plain = |features| with!(arff(features), steps: 0, start: 1.0);
    let mut lines: Vec<Line> = [16, 256].map(|k| Line::arff("Algorithm 1", arff(k))).into();
    lines.insert(1, Line::arff("Algorithm 1", arff(64)).at_most(36.0));
    lines.extend([16, 64, 256].map(|k| Line::arff("plain N(0, 1)", plain(k))));
    HIGH.rows(&lines, run)
}

/// Computes Case 3: an anisotropic Gaussian.
pub fn anisotropic(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let arff = with!(dense(), features: 64, order: 2, steps: 10_000, step_length: 0.5);
    let shaped = with!(arff, step_length: 0.1, burn_in: 1000);
    let plain = with!(arff, steps: 0, start: 1.0);
    let lines = [
        Line::arff("Algorithm 1", arff).at_most(45.0),
        Line::arff("Algorithm 2", shaped),
        Line::arff("plain N(0, 1)", plain),
    ];
    ANISOTROPIC.rows(&lines, run)
}

/// The settings of all cases.
fn dense() -> MethodConfig {
    with!(named("arff"), terms: Terms::None)
}

impl Case {
    fn rows(self, lines: &[Line], run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
        let errors = run.over_seeds(lines, |line, seed| self.error(&line.way, &run.seeded(seed)))?;
        let row = |(line, errors): (&Line, &Vec<f64>)| {
            Row::new(line.name.clone(), None, mean(errors), "1", errors.len()).at_most(line.threshold)
        };
        Ok(lines.iter().zip(&errors).map(row).collect())
    }

    fn error(self, way: &Way, run: &Run<'_>) -> Result<f64, FitError> {
        let (train, test) = (self.data(2 * run.seed()), self.data(2 * run.seed() + 1));
        let scaling = Scaling::fit(&train);
        let (train, test) = (scaling.apply(&train), scaling.apply(&test));
        let expansion = match way {
            Way::Arff(arff) => arff.method().fit_expansion(&train, &run.quiet())?,
            Way::Descent(descent) => descent.fit(&train, run)?,
        };
        let mut squares = (expansion.predict(&test.x) - &test.y).norm_squared();
        if matches!(way, Way::Arff(arff) if arff.setting::<String>("basis").as_deref() == Some(COMPLEX)) {
            squares += imaginary(&expansion).predict(&test.x).norm_squared();
        }
        Ok((squares * 1e4 / ROWS as f64).sqrt())
    }

    fn data(self, seed: u64) -> Dataset {
        let mut sampler = Sampler::stream(seed, 3);
        let points: Vec<f64> = (0..ROWS * self.inputs).map(|_| sampler.normal()).collect();
        let x = DMatrix::from_row_slice(ROWS, self.inputs, &points);
        let y = DMatrix::from_iterator(ROWS, 1, points.chunks_exact(self.inputs).map(self.value));
        Dataset::new(x, y).expect("values of functions are finite")
    }
}

/// Returns the imaginary part `S a − C b` of a sum of complex amplitudes whose real part is `C a + S b`.
pub(super) fn imaginary(expansion: &Expansion) -> Expansion {
    let pairs = expansion.features.len() / 2;
    let (a, b) = (expansion.coefficients.rows(0, pairs), expansion.coefficients.rows(pairs, pairs));
    let mut coefficients = expansion.coefficients.clone();
    coefficients.rows_mut(0, pairs).copy_from(&-b);
    coefficients.rows_mut(pairs, pairs).copy_from(&a);
    Expansion { coefficients, ..expansion.clone() }
}
