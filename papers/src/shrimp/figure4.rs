//! SHRIMP, Figure 4: recovery of the support of 3 cos x₃ + 4 sin x₄ + 2 sin x₂ from 1000 rows in five inputs.
//!
//! About 36 of 20,000 columns of order one remain: only cosines of x₃ and sines of x₂ and x₄.

use crate::function::Function;
use crate::settings::{named, with};
use crate::table::{Outcome, Reproduction, Row};
use srfm_cli::report::chart::{Axis, Chart, Extras, Mark, Series};
use srfm_trainer::FitError;
use srfm_trainer::method::Terms;
use srfm_trainer::model::Feature;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::validate::Metrics;

const INPUTS: usize = 5;

const FUNCTION: Function = Function {
    name: "fs",
    order: 1,
    half_width: 1.0,
    value: |x| 3.0 * libm::cos(x[2]) + 4.0 * libm::sin(x[3]) + 2.0 * libm::sin(x[1]),
};

/// The parts of the function: the input, and whether the part is a cosine (otherwise a sine).
const PARTS: [(usize, bool); 3] = [(1, false), (2, true), (3, false)];

pub fn compute(run: &Reproduction<'_>) -> Result<Outcome, FitError> {
    let results = run.over_seeds(&[FUNCTION], |function, seed| {
        let mut sampler = Sampler::new(2000 + seed);
        let (train, test) = (function.data(1000, INPUTS, &mut sampler), function.data(1000, INPUTS, &mut sampler));
        let shrimp = with!(
            named("shrimp"),
            features: 10_000,
            candidates: 10_000,
            order: 1,
            rounding: 0.0,
            terms: Terms::None,
        );
        let expansion = shrimp.method().fit_expansion(&train, &run.seeded(seed))?;
        let part = |feature: &Feature| (feature.support[0], feature.bias != 0.0);
        let mut parts: Vec<_> = expansion.features.iter().map(part).collect();
        parts.sort_unstable();
        parts.dedup();
        let wrong = parts.iter().filter(|part| !PARTS.contains(part)).count();
        let missing = PARTS.len() - (parts.len() - wrong);
        // Sums of the coefficients' magnitudes for the sines and cosines of every input.
        let mut weights = [[0.0; INPUTS]; 2];
        for (feature, coefficient) in expansion.features.iter().zip(expansion.coefficients.iter()) {
            let (input, cosine) = part(feature);
            weights[usize::from(cosine)][input] += coefficient.abs();
        }
        let mse = Metrics::from_predictions(&expansion.predict(&test.x), &test.y).mse;
        Ok(Recovery { unlike: wrong + missing, mse, columns: expansion.features.len(), weights })
    })?;
    let results = &results[0];
    let largest = |value: fn(&Recovery) -> f64| results.iter().map(value).fold(0.0, f64::max);
    let row = |name: &str, paper, ours, unit| Row::new(name.to_owned(), paper, ours, unit, results.len());
    let rows = vec![
        row("wrong or missing parts, worst seed", Some(0.0), largest(|r| r.unlike as f64), "count").at_most(Some(0.0)),
        row("test MSE, worst seed", None, largest(|r| r.mse), "1").at_most(Some(2e-28)),
        row("columns left, worst seed", Some(38.0), largest(|r| r.columns as f64), "count"),
    ];
    let series = ["sine", "cosine"].iter().enumerate().map(|(kind, name)| {
        let weight = |input: usize| results.iter().map(|r| r.weights[kind][input]).sum::<f64>() / results.len() as f64;
        let points = (0..INPUTS).map(|input| (1.0 + input as f64, weight(input))).collect();
        Series { name: (*name).to_owned(), points }
    });
    let chart = Chart {
        name: "shrimp-figure4".to_owned(),
        title: "Remaining parts of 3 cos x3 + 4 sin x4 + 2 sin x2".to_owned(),
        x: Axis::new("input", false),
        y: Axis::new("sum of |c|", false),
        mark: Mark::Bars,
        extras: Extras::default(),
        series: series.collect(),
    };
    Ok(Outcome { rows, charts: vec![chart] })
}

/// The result of one seed.
struct Recovery {
    /// The number of wrong or missing parts.
    unlike: usize,
    mse: f64,
    columns: usize,
    weights: [[f64; INPUTS]; 2],
}
