//! Prediction intervals of the level 0.9: the share of held-out rows within the interval.
//!
//! HARFE has 60 features; five-fold cross-validation chooses λ, and its residuals calibrate the interval. A quarter of
//! the rows, at most 4000, is held out; at most 6000 other rows are fitted. Predictions are the device's, also in the
//! calibration. The interval thus includes the rounding on the device, and no model is refused because of rounding.
//! (Two inputs of elevators are zero in all but a few rows, and coefficients of features with these inputs can be
//! large.)

use crate::table::{Reproduction, Row, mean};
use srfm_trainer::FitError;
use srfm_trainer::data::Dataset;
use srfm_trainer::export;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::validate::coverage;
use srfm_trainer::{FitConfig, Grid, fit};

/// The share of rows that intervals should hold.
const LEVEL: f64 = 0.9;
const SETS: [&str; 4] = ["airfoil", "ccpp", "kinematics", "elevators"];

const FEATURES: usize = 60;

const LAMBDAS: [f64; 5] = [1e-6, 1e-4, 1e-2, 1e-1, 1.0];

const MOST_FITTED: usize = 6000;

const MOST_APART: usize = 4000;

/// The largest allowed distance from the level.
const THRESHOLD: f64 = 0.03;

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut rows = Vec::new();
    for set in SETS {
        let Some(data) = run.whole(set) else {
            rows.push(Row::skipped(set, LEVEL));
            continue;
        };
        let covered = run.over_seeds(&[()], |(), seed| covered(&data, seed, run))?.concat();
        let row = |what: &str, paper, ours| Row::new(format!("{set} {what}"), paper, ours, "1", covered.len());
        rows.push(row("rows within", Some(LEVEL), mean(&covered)));
        rows.push(row("distance from the level", None, (mean(&covered) - LEVEL).abs()).at_most(Some(THRESHOLD)));
    }
    Ok(rows)
}

/// Returns the share of held-out rows within the interval; NaN if the model has no interval.
fn covered(data: &Dataset, seed: u64, run: &Reproduction<'_>) -> Result<f64, FitError> {
    let order = Sampler::new(7000 + seed).permutation(data.rows());
    let (apart, others) = order.split_at((data.rows() / 4).min(MOST_APART));
    let (train, test) = (data.select(&others[..others.len().min(MOST_FITTED)]), data.select(apart));
    let mut config = FitConfig { grid: Grid::from(LAMBDAS), ..FitConfig::default() };
    config.encoding.max_error = f64::INFINITY;
    config.method = config.method.tuned(|t| t.features = FEATURES);
    let blob = fit(&train, &config, &run.seeded(seed).quiet())?.blob;
    let Some(half_width) = blob.model().half_width(0) else { return Ok(f64::NAN) };
    let residuals = export::predict(&blob, &test.x).cast::<f64>() - &test.y;
    Ok(coverage(residuals.iter().copied(), half_width.into()))
}
