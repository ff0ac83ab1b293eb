//! HARFE, Table 1: relative test error, in percent, on four noise-free functions.
//!
//! 500 training and 500 test rows are uniform on [−1, 1]. N = 10,000 features have weights N(0, 1) and biases uniform
//! on [0, 2π); s = 500; no intercept. Figures are medians over 10 seeds. The rows of 1/√(1 + ‖x‖²) and similar
//! functions reproduce with raw columns and nλ, as in the paper's equation 6. In 100 dimensions raw columns diverge, so
//! that unit-norm columns are used.

use nalgebra::DMatrix;

use crate::function::Function;
use crate::settings::{named, with};
use crate::table::{Reproduction, Row, median};
use srfm_trainer::FitError;
use srfm_trainer::method::Terms;
use srfm_trainer::sampling::Sampler;

/// One row of the table.
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

/// The lines: function, inputs, order, λ, column norm, the paper's error, threshold.
const CASES: [Case; 12] = [
    case(INVERSE, 5, 1, 1e-4, "raw", 3.20, None),
    case(INVERSE, 5, 3, 1e-4, "raw", 0.73, Some(0.85)),
    case(INVERSE, 5, 5, 1e-4, "raw", 0.57, Some(0.75)),
    case(ROOT, 5, 1, 1e-10, "raw", 1.00, None),
    case(ROOT, 5, 3, 1e-10, "raw", 0.18, None),
    case(ROOT, 5, 5, 1e-10, "raw", 1.00, None),
    case(RATIONAL, 5, 1, 1e-10, "raw", 100.0, None),
    case(RATIONAL, 5, 3, 1e-10, "raw", 3.40, None),
    case(RATIONAL, 5, 5, 1e-10, "raw", 7.70, None),
    case(EXPONENTIALS, 100, 1, 1e-1, "unit", 1.10, None),
    case(EXPONENTIALS, 100, 3, 1e-1, "unit", 2.01, Some(2.5)),
    case(EXPONENTIALS, 100, 5, 1e-1, "unit", 2.20, None),
];

const fn case(
    function: Function,
    inputs: usize,
    order: usize,
    lambda: f64,
    column_norm: &'static str,
    paper: f64,
    threshold: Option<f64>,
) -> Case {
    Case { function, inputs, order, lambda, column_norm, paper, threshold }
}

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let errors = run.over_seeds(&CASES, |case, seed| case.error(seed, run))?;
    let row = |(case, errors): (&Case, &Vec<f64>)| {
        let name = format!("{} q = {}, median relative error", case.function.name, case.order);
        Row::new(name, Some(case.paper), median(errors), "%", errors.len()).at_most(case.threshold)
    };
    Ok(CASES.iter().zip(&errors).map(row).collect())
}

impl Case {
    /// Returns ‖f − f̂‖ / ‖f‖ over the test rows, in percent.
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
        let residual: DMatrix<f64> =
            harfe.method().fit_expansion(&train, &run.seeded(seed))?.predict(&test.x) - &test.y;
        Ok(100.0 * residual.norm() / test.y.norm())
    }
}
