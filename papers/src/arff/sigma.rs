//! ARFF, Section 5.1 and Figure 6: fixed frequencies N(0, σ²) of the optimal density have the lowest error.
//!
//! `y = e^{−|x|²/2}` has noise of standard deviation 0.1; x is standard normal in seven inputs; 10⁵ rows, K = 500, λ =
//! 0.01. The optimal density is N(0, 1). Errors are root mean squares over 10⁴ noise-free test rows in standard
//! deviations of the target. The last rows are Algorithm 1, which does not know σ.

use nalgebra::DMatrix;

use crate::settings::{named, with};
use crate::table::{Reproduction, Row, mean};
use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::data::Dataset;
use srfm_trainer::method::{MethodConfig, Terms};
use srfm_trainer::sampling::Sampler;
use srfm_trainer::validate::Metrics;

const INPUTS: usize = 7;

/// Standard deviations of the fixed frequencies.
const SIGMAS: [f64; 7] = [0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0];

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let arff = with!(named("arff"), features: 500, order: INPUTS, lambda: 0.01, terms: Terms::None);
    let fixed = SIGMAS.map(|start| with!(arff, steps: 0, start));
    let errors = run.over_seeds(&fixed, |arff, seed| Ok(fit(arff, &run.seeded(seed))?.0))?;
    let seeds = errors[0].len();
    let row = |name: String, paper, ours, seeds| Row::new(name, paper, ours, "1", seeds);
    let means: Vec<f64> = errors.iter().map(|errors| mean(errors)).collect();
    let of_sigma = |(sigma, &error): (&f64, &f64)| row(format!("fixed N(0, {sigma}²), RMSE"), None, error, seeds);
    let mut rows: Vec<Row> = SIGMAS.iter().zip(&means).map(of_sigma).collect();
    let best = SIGMAS.iter().zip(&means).min_by(|a, b| a.1.total_cmp(b.1)).map_or(f64::NAN, |(sigma, _)| *sigma);
    rows.push(row("σ of the least error".to_owned(), Some(1.0), best, seeds));
    rows.push(row("its distance from 1".to_owned(), Some(0.0), (best - 1.0).abs(), seeds).at_most(Some(0.25)));

    let walks = run.over_seeds_of(&[arff], seeds.min(2), |arff, seed| fit(arff, &run.seeded(seed)))?;
    let of_walks = |pick: fn(&(f64, f64)) -> f64| mean(&walks[0].iter().map(pick).collect::<Vec<_>>());
    let seeds = walks[0].len();
    rows.push(row("Algorithm 1, RMSE".to_owned(), None, of_walks(|walk| walk.0), seeds));
    rows.push(row("Algorithm 1, σ of its frequencies".to_owned(), Some(1.0), of_walks(|walk| walk.1), seeds));
    Ok(rows)
}

/// Test error and root mean square of the weights.
fn fit(arff: &MethodConfig, run: &Run<'_>) -> Result<(f64, f64), FitError> {
    let (train, test) = (data(100_000, 0.1, 2 * run.seed()), data(10_000, 0.0, 2 * run.seed() + 1));
    let expansion = arff.method().fit_expansion(&train, &run.quiet())?;
    let weights: Vec<f64> = expansion.features.iter().flat_map(|f| f.weights.iter().map(|w| w * w)).collect();
    let error =
        Metrics::from_predictions(&expansion.predict(&test.x), &test.y).rmse / test.y.column(0).variance().sqrt();
    Ok((error, mean(&weights).sqrt()))
}

fn data(rows: usize, noise: f64, seed: u64) -> Dataset {
    let mut sampler = Sampler::stream(seed, 4);
    let x = DMatrix::from_fn(rows, INPUTS, |_, _| sampler.normal());
    let y = DMatrix::from_fn(rows, 1, |row, _| libm::exp(-x.row(row).norm_squared() / 2.0) + noise * sampler.normal());
    Dataset::new(x, y).expect("values of functions are finite")
}
