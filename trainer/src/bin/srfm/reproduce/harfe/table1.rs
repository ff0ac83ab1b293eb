//! HARFE, Table 1: relative test error, in percent, on four noise-free functions.
//!
//! 500 training and 500 test rows uniform on [−1, 1], N = 10,000 features with weights N(0, 1) and bias uniform on [0, 2π), s = 500,
//! no intercept; medians over 10 seeds. The rows of 1/√(1 + ‖x‖²) and the like come out with raw columns and nλ, as the
//! paper's equation 6 reads; in 100 dimensions raw columns diverge, and unit-norm columns are used.

use nalgebra::DMatrix;

use crate::reproduce::function::Function;
use crate::reproduce::settings::{named, with};
use crate::reproduce::table::{Reproduction, Row, median};
use srfm_trainer::error::FitError;
use srfm_trainer::method::Terms;
use srfm_trainer::sampling::Sampler;

/// One line of the table.
struct Case {
    function: Function,
    inputs: usize,
    order: usize,
    lambda: f64,
    column_norm: &'static str,
    paper: f64,
    threshold: Option<f64>,
}

const INVERSE: Function = function("inv", |x| 1.0 / libm::sqrt(1.0 + squares(x)));
const ROOT: Function = function("sqrt", |x| libm::sqrt(1.0 + squares(x)));
const RATIONAL: Function = function("rat", |x| x[0] * x[1] / (1.0 + x[2] * x[2] * x[2] * x[2] * x[2] * x[2]));
const EXPONENTIALS: Function = function("sumexp", |x| x.iter().map(|v| libm::exp(-v.abs())).sum());

const fn function(name: &'static str, value: fn(&[f64]) -> f64) -> Function {
    Function { name, order: 0, half_width: 1.0, value }
}

fn squares(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

#[rustfmt::skip]
const CASES: [Case; 12] = [
    Case { function: INVERSE, inputs: 5, order: 1, lambda: 1e-4, column_norm: "raw", paper: 3.20, threshold: None },
    Case { function: INVERSE, inputs: 5, order: 3, lambda: 1e-4, column_norm: "raw", paper: 0.73, threshold: Some(0.85) },
    Case { function: INVERSE, inputs: 5, order: 5, lambda: 1e-4, column_norm: "raw", paper: 0.57, threshold: Some(0.75) },
    Case { function: ROOT, inputs: 5, order: 1, lambda: 1e-10, column_norm: "raw", paper: 1.00, threshold: None },
    Case { function: ROOT, inputs: 5, order: 3, lambda: 1e-10, column_norm: "raw", paper: 0.18, threshold: None },
    Case { function: ROOT, inputs: 5, order: 5, lambda: 1e-10, column_norm: "raw", paper: 1.00, threshold: None },
    Case { function: RATIONAL, inputs: 5, order: 1, lambda: 1e-10, column_norm: "raw", paper: 100.0, threshold: None },
    Case { function: RATIONAL, inputs: 5, order: 3, lambda: 1e-10, column_norm: "raw", paper: 3.40, threshold: None },
    Case { function: RATIONAL, inputs: 5, order: 5, lambda: 1e-10, column_norm: "raw", paper: 7.70, threshold: None },
    Case { function: EXPONENTIALS, inputs: 100, order: 1, lambda: 1e-1, column_norm: "unit", paper: 1.10, threshold: None },
    Case { function: EXPONENTIALS, inputs: 100, order: 3, lambda: 1e-1, column_norm: "unit", paper: 2.01, threshold: Some(2.5) },
    Case { function: EXPONENTIALS, inputs: 100, order: 5, lambda: 1e-1, column_norm: "unit", paper: 2.20, threshold: None },
];

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let errors = run.over_seeds(&CASES, |case, seed| case.error(seed, run))?;
    let row = |(case, errors): (&Case, &Vec<f64>)| {
        let name = format!("{} q = {}, median relative error", case.function.name, case.order);
        Row::new(name, Some(case.paper), median(errors), "%", errors.len()).at_most(case.threshold)
    };
    Ok(CASES.iter().zip(&errors).map(row).collect())
}

impl Case {
    /// ‖f − f̂‖ / ‖f‖ over the test rows, in percent.
    fn error(&self, seed: u64, run: &Reproduction<'_>) -> Result<f64, FitError> {
        let mut sampler = Sampler::new(3000 + seed);
        let train = self.function.data(500, self.inputs, &mut sampler);
        let test = self.function.data(500, self.inputs, &mut sampler);
        let harfe = with!(
            named("harfe"),
            features: 500,
            candidates: 10_000,
            order: self.order,
            lambda: self.lambda,
            column_norm: self.column_norm,
            terms: Terms::None,
        );
        let residual: DMatrix<f64> = harfe.method().fit(&train, &run.seeded(seed))?.predict(&test.x) - &test.y;
        Ok(100.0 * residual.norm() / test.y.norm())
    }
}
