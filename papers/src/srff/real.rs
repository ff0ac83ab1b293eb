//! SRFF, Section 5.2: real data, against random Fourier features without learned scales.
//!
//! The paper has three sets of the LIACC repository and one of Kaggle. The text of its tables, which name the sets, is
//! not available; these sets are of the same repository. In every trial the rows are divided at random: rows to fit,
//! 1000 rows that choose λ, and at most 4000 test rows. Errors are in standard deviations of the target over all rows.
//! The paper's claim and the threshold are about many rows. With a thousand rows, scales can overfit if all inputs
//! matter (delta_ailerons).

use crate::srff::protocol::{Choice, Errors, Trial};
use crate::table::{Reproduction, Row, mean};
use srfm_trainer::FitError;
use srfm_trainer::data::Dataset;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::scaling::Scaling;

/// The number of validation rows, and the largest number of test rows.
const VALIDATION: usize = 1000;
const TEST: usize = 4000;

/// λ and the width of the kernel, as for plain features: smooth functions need wide kernels.
const CHOICE: Choice = Choice { lambdas: &[1.0, 0.1, 0.01, 1e-3, 1e-4], scales: &[0.1, 0.3, 1.0] };

/// The number of training rows up to which no threshold is stated.
const FEW: usize = 1000;

/// The data sets and their numbers of training rows, which leave enough test rows.
const CASES: [(&str, &[usize]); 5] = [
    ("elevators", &[1000, 10_000]),
    ("pumadyn32h", &[1000, 5000]),
    ("pole_telecom", &[1000, 10_000]),
    ("kinematics", &[1000, 5000]),
    ("delta_ailerons", &[1000, 5000]),
];

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut rows = Vec::new();
    for (name, sizes) in CASES {
        let Some(data) = run.whole(name) else {
            rows.push(Row::without_data(name));
            continue;
        };
        for &size in sizes {
            let seeds = run.seeds();
            let trials =
                run.over_seeds_of(&[()], seeds, |(), seed| trial(&data, size, seed).errors(CHOICE, &run.seeded(seed)))?;
            let unit = Scaling::fit(&data).y.scale[0];
            let of = |pick: fn(&Errors) -> f64| mean(&trials[0].iter().map(pick).collect::<Vec<f64>>());
            let row = |what: &str, ours: f64| Row::new(format!("{name}, n = {size}, {what}"), None, ours, "1", seeds);
            let (plain, srff) = (of(|e| e.plain) / unit, of(|e| e.srff) / unit);
            rows.push(row("mean, RMSE", of(|e| e.mean) / unit));
            rows.push(row("plain features, RMSE", plain));
            rows.push(row("SRFF, RMSE", srff));
            rows.push(row("SRFF over plain", srff / plain).at_most((size > FEW).then_some(1.0)));
            rows.push(row("inputs used", of(|e| e.scales.iter().filter(|&&scale| scale > 0.0).count() as f64)));
        }
    }
    let kaggle = Row::new("Kaggle".to_owned(), None, f64::NAN, "1", 0);
    rows.push(kaggle.note(Some("SKIPPED: the paper's set is not among the data sets")));
    Ok(rows)
}

fn trial(data: &Dataset, size: usize, seed: u64) -> Trial {
    let order = Sampler::stream(seed, 5).permutation(data.rows());
    let part = |first: usize, rows: usize| data.select(&order[first.min(order.len())..(first + rows).min(order.len())]);
    Trial::new(&part(0, size), &part(size, VALIDATION), &part(size + VALIDATION, TEST))
}
