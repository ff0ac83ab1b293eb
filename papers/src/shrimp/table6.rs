//! SHRIMP, Table 6: the variance of the frequencies must suit the function.
//!
//! Three functions in ten inputs have 200 rows; N = 1500 pairs have weights N(0, σ²) with σ² = 1/q, 1 and 100. Figures
//! are means of 10 seeds, as in the paper, so that single seeds have a large weight.

use crate::function::Function;
use crate::settings::{named, with};
use crate::table::{Reproduction, Row, mean};
use srfm_trainer::FitError;
use srfm_trainer::method::Terms;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::validate::Metrics;

const SMOOTH: Function = Function {
    name: "fa1",
    order: 2,
    half_width: 1.0,
    value: |x| libm::cos(x[0]) * x[2] + x[1] * x[1] * x[3] + x[2..].iter().sum::<f64>(),
};
const MIXED: Function = Function {
    name: "fa2",
    order: 2,
    half_width: 1.0,
    value: |x| libm::cos(x[0] + x[1]) + 5.0 * libm::cos(2.0 * x[2] + 10.0 * x[3]),
};
const ROUGH: Function = Function {
    name: "fa3",
    order: 1,
    half_width: 1.0,
    value: |x| libm::sin(9.0 * x[0]) + 10.0 * libm::cos(10.0 * x[1]),
};

const LOWER: &str = "for order 1 the variances 1/q and 1 are equal, but the paper prints two figures; \
                     they seem to be of another order";

/// One row of the table.
struct Case {
    function: Function,
    variance: f64,
    paper: f64,
    note: Option<&'static str>,
}

#[rustfmt::skip]
const CASES: [Case; 9] = [
    Case { function: SMOOTH, variance: 0.5, paper: 1.19e-5, note: None },
    Case { function: SMOOTH, variance: 1.0, paper: 2.99e-4, note: None },
    Case { function: SMOOTH, variance: 100.0, paper: 0.137, note: None },
    Case { function: MIXED, variance: 0.5, paper: 14.411, note: None },
    Case { function: MIXED, variance: 1.0, paper: 12.778, note: None },
    Case { function: MIXED, variance: 100.0, paper: 4.935, note: None },
    Case { function: ROUGH, variance: 1.0, paper: 73.381, note: Some(LOWER) },
    Case { function: ROUGH, variance: 1.0, paper: 50.650, note: Some(LOWER) },
    Case { function: ROUGH, variance: 100.0, paper: 10.334, note: Some(LOWER) },
];

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let errors = run.over_seeds(&CASES, |case, seed| {
        let mut sampler = Sampler::new(7000 + seed);
        let train = case.function.data(200, 10, &mut sampler);
        let test = case.function.data(1000, 10, &mut sampler);
        let (order, scale) = (case.function.order, case.variance.sqrt());
        let (terms, rounding, stable) = (Terms::None, 0.0, order == 1);
        let shrimp = with!(named("shrimp"), features: 1500, candidates: 1500, order, scale, terms, rounding, stable);
        Ok(Metrics::from_predictions(
            &shrimp.method().fit_expansion(&train, &run.seeded(seed))?.predict(&test.x),
            &test.y,
        )
        .mse)
    })?;
    let row = |(case, errors): (&Case, &Vec<f64>)| {
        let name = format!("{} variance {}, mean MSE", case.function.name, case.variance);
        Row::new(name, Some(case.paper), mean(errors), "1", errors.len()).note(case.note)
    };
    Ok(CASES.iter().zip(&errors).map(row).collect())
}
