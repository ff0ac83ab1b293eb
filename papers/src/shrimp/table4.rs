//! SHRIMP, Table 4: the next state of a truck from its state and commands, seven outputs separately, in raw units.
//!
//! 1699 rows are fitted and 1399 are for testing; the nine inputs are scaled to unit variance. The rate is the paper's.
//! N = 300 pairs, a sixth of the paper's, are enough. Five folds choose the order and the penalty.

use crate::settings::{named, with};
use crate::shrimp::choice::best_of;
use crate::table::{Reproduction, Row, median};
use srfm_trainer::FitError;
use srfm_trainer::data::Dataset;
use srfm_trainer::method::MethodConfig;
use srfm_trainer::scaling::Scaling;
use srfm_trainer::validate::Metrics;

/// One output: the name, the paper's error and the largest allowed error.
struct Case {
    name: &'static str,
    paper: f64,
    threshold: f64,
}

/// Largest ratio to the paper's error of the velocities.
const MARGIN: f64 = 1.3;

const CASES: [Case; 7] = [
    Case { name: "pos_x", paper: 1.64e-7, threshold: 1e-6 },
    Case { name: "pos_y", paper: 1.73e-7, threshold: 1e-6 },
    Case { name: "angle_x", paper: 2.93e-8, threshold: 1e-6 },
    Case { name: "angle_y", paper: 3.12e-8, threshold: 1e-6 },
    Case { name: "vel_x", paper: 7.59e-3, threshold: MARGIN * 7.59e-3 },
    Case { name: "vel_y", paper: 8.49e-3, threshold: MARGIN * 8.49e-3 },
    Case { name: "omega", paper: 1.39e-2, threshold: MARGIN * 1.39e-2 },
];

const ORDERS: [usize; 3] = [1, 2, 3];
/// Assumed rounding errors of a feature; the penalty follows from them, and 0 interpolates.
const ROUNDINGS: [f64; 2] = [0.0, 0.01];

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let targets: Vec<String> = (0..CASES.len()).map(|output| format!("y{output}")).collect();
    let Some((train, test)) = run.halves("truck", &targets) else {
        return Ok(CASES.iter().map(|case| Row::skipped(case.name, case.paper)).collect());
    };
    let seeds = run.seeds();
    let scaling = Scaling::fit(&train);
    let (train, test) = (scaling.apply(&train), scaling.apply(&test));
    let mut rows = Vec::new();
    for (output, case) in CASES.iter().enumerate() {
        let only = |data: &Dataset| Dataset { y: data.y.columns(output, 1).into_owned(), ..data.clone() };
        let (train, test) = (only(&train), only(&test));
        let unit = scaling.y.scale[output].powi(2);
        let error = |seed| Ok(unit * error(seed, &train, &test, run)?);
        let errors: Vec<f64> = (0..seeds as u64).map(error).collect::<Result<_, FitError>>()?;
        let row = format!("{}, median MSE", case.name);
        rows.push(Row::new(row, Some(case.paper), median(&errors), "1", seeds).at_most(Some(case.threshold)));
    }
    Ok(rows)
}

fn error(seed: u64, train: &Dataset, test: &Dataset, run: &Reproduction<'_>) -> Result<f64, FitError> {
    let shrimp = with!(named("shrimp"), features: 300, candidates: 300, rate: 0.25, folds: 5);
    let settings = ORDERS.iter().flat_map(|&order| ROUNDINGS.iter().map(move |&rounding| (order, rounding)));
    let candidates: Vec<(MethodConfig, u64)> =
        settings.map(|(order, rounding)| (with!(shrimp, order, rounding), seed)).collect();
    let expansion = best_of(&candidates, train, run)?;
    Ok(Metrics::from_predictions(&expansion.predict(&test.x), &test.y).mse)
}
