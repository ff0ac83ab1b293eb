//! SHRIMP, Figure 4: recovery of the support of 3 cos x₃ + 4 sin x₄ + 2 sin x₂ from 1000 rows in five inputs.
//!
//! Of 20,000 columns of order one, about 36 are left, and they are cosines of x₃ and sines of x₂ and x₄ alone.

use super::shrimp_table2::Function;
use super::{Row, Run};
use crate::method::{FitError, Method, Shrimp, Terms};
use crate::metrics::Metrics;
use crate::sampling::Sampler;

const FUNCTION: Function = Function {
    name: "fs",
    order: 1,
    half_width: 1.0,
    value: |x| 3.0 * libm::cos(x[2]) + 4.0 * libm::sin(x[3]) + 2.0 * libm::sin(x[1]),
};

pub fn rows(run: &Run<'_>) -> Result<Vec<Row>, FitError> {
    let results = run.over_seeds(&[FUNCTION], 4, |function, seed| {
        let mut sampler = Sampler::new(2000 + seed);
        let (train, test) = (function.data(1000, 5, &mut sampler), function.data(1000, 5, &mut sampler));
        let shrimp = Shrimp {
            features: 10_000,
            candidates: 10_000,
            order: 1,
            rounding: 0.0,
            terms: Terms::None,
            ..Shrimp::default()
        };
        let expansion = shrimp.fit(&train, seed, run.observer)?;
        // (input, is a cosine) of every column that is left.
        let mut parts: Vec<_> = expansion.features.iter().map(|f| (f.support[0], f.bias != 0.0)).collect();
        parts.sort_unstable();
        parts.dedup();
        let wrong = parts.iter().filter(|part| ![(1, false), (2, true), (3, false)].contains(part)).count();
        let missing = 3 - (parts.len() - wrong);
        Ok((wrong + missing, Metrics::of(&expansion.predict(&test.x), &test.y).mse, expansion.features.len()))
    })?;
    let seeds = results[0].len();
    let largest = |values: Vec<f64>| values.into_iter().fold(0.0, f64::max);
    let row = |name: &str, paper, ours, unit| Row::new("shrimp-figure4", name.to_owned(), paper, ours, unit, seeds);
    let wrong = largest(results[0].iter().map(|r| r.0 as f64).collect());
    let error = largest(results[0].iter().map(|r| r.1).collect());
    let columns = largest(results[0].iter().map(|r| r.2 as f64).collect());
    Ok(vec![
        row("wrong or missing parts, worst seed", Some(0.0), wrong, "count").at_most(Some(0.0)),
        row("test MSE, worst seed", None, error, "1").at_most(Some(2e-28)),
        row("columns left, worst seed", Some(38.0), columns, "count"),
    ])
}
