//! HARFE, Figure 3: time of a fit against the number of candidates N, beside SRFE-S, for √(1 + ‖x‖²) on [−1, 1]^d.
//!
//! The left chart has d = 100 and 250, 500 or 1000 rows; the right chart has 500 rows and 50, 100 or 200 inputs; q = 2,
//! s = 200. The paper says that HARFE is "almost 2.5 times faster" as N grows, with its authors' solver for basis
//! pursuit (spectral projected gradient). Here basis pursuit is solved along its path. Fits are timed one after the
//! other; figures are medians over the seeds.

use std::time::Instant;

use crate::function::Function;
use crate::settings::{named, with};
use crate::table::{Outcome, Reproduction, Row, median};
use srfm_cli::report::chart::{Axis, Chart, Extras, Mark, Series};
use srfm_trainer::FitError;
use srfm_trainer::data::Dataset;
use srfm_trainer::method::{MethodConfig, Terms};
use srfm_trainer::sampling::Sampler;

const FUNCTION: Function = Function {
    name: "norm",
    order: 2,
    half_width: 1.0,
    value: |x| libm::sqrt(1.0 + x.iter().map(|v| v * v).sum::<f64>()),
};

const CANDIDATES: [usize; 4] = [1000, 2000, 4000, 8000];
const FEATURES: usize = 200;

/// One chart: rows and inputs of its problems.
struct Panel {
    side: &'static str,
    problems: [(usize, usize); 3],
}

const PANELS: [Panel; 2] = [
    Panel { side: "left", problems: [(250, 100), (500, 100), (1000, 100)] },
    Panel { side: "right", problems: [(500, 50), (500, 100), (500, 200)] },
];

pub fn compute(run: &Reproduction<'_>) -> Result<Outcome, FitError> {
    let seeds = run.seeds();
    let total = PANELS.len() * 3 * CANDIDATES.len();
    let (mut rows, mut charts, mut done) = (Vec::new(), Vec::new(), 0);
    for panel in &PANELS {
        let mut series = Vec::new();
        for (n, d) in panel.problems {
            let (mut harfe, mut srfe) = (Vec::new(), Vec::new());
            for count in CANDIDATES {
                let (ours, pursuit) = times(n, d, count, seeds, run)?;
                harfe.push((count as f64, ours));
                srfe.push((count as f64, pursuit));
                done += 1;
                run.observer.progress(done, total);
            }
            let (ours, pursuit) = (harfe[harfe.len() - 1].1, srfe[srfe.len() - 1].1);
            let name = |what: &str| format!("{n} rows, {d} inputs, N = 8000, {what}");
            let row = |what: &str, paper, ours, unit| Row::new(name(what), paper, ours, unit, seeds);
            rows.push(row("HARFE", None, ours, "s"));
            rows.push(row("SRFE-S", None, pursuit, "s"));
            rows.push(row("SRFE-S / HARFE", Some(2.5), pursuit / ours, "1"));
            series.push(Series { name: format!("HARFE, {n} rows, {d} inputs"), points: harfe });
            series.push(Series { name: format!("SRFE-S, {n} rows, {d} inputs"), points: srfe });
        }
        charts.push(Chart {
            name: format!("harfe-figure3-{}", panel.side),
            title: "Time of a fit".to_owned(),
            x: Axis::new("candidates N", true),
            y: Axis::new("seconds", true),
            mark: Mark::Lines,
            extras: Extras::default(),
            series,
        });
    }
    Ok(Outcome { rows, charts })
}

/// Returns the median seconds of a fit by HARFE and by SRFE-S.
fn times(n: usize, d: usize, candidates: usize, seeds: usize, run: &Reproduction<'_>) -> Result<(f64, f64), FitError> {
    let (features, terms) = (FEATURES, Terms::Intercept);
    let [harfe, srfe] = ["harfe", "srfe"].map(|name| with!(named(name), features, candidates, terms));
    let timed = |method: &MethodConfig, data: &Dataset, seed: u64| -> Result<f64, FitError> {
        let started = Instant::now();
        method.method().fit_expansion(data, &run.seeded(seed))?;
        Ok(started.elapsed().as_secs_f64())
    };
    let (mut ours, mut pursuit) = (Vec::new(), Vec::new());
    for seed in 0..seeds as u64 {
        let data = FUNCTION.data(n, d, &mut Sampler::new(7000 + seed));
        ours.push(timed(&harfe, &data, seed)?);
        pursuit.push(timed(&srfe, &data, seed)?);
    }
    Ok((median(&ours), median(&pursuit)))
}
