//! The frontier: how small an error fits a small budget, beside the best of the other tools.
//!
//! Every model is searched for among all methods by cross-validation alone, in a minute or two, for a budget of flash and
//! instructions that it must keep; then it meets rows that it has not seen: noise-free ones of the Friedman functions, a tenth of
//! the rows of airfoil. The other tools' figures are of the same data: the strongest found among multilayer perceptrons in C, emlearn,
//! MicroFlow, TensorFlow Lite Micro, m2cgen's boosted trees and support vectors, each with its scaling of the inputs.
//! Instructions are the bounds that `inspect` states; of integer models from integers to integers.

use std::time::Duration;

use crate::reproduce::table::{Reproduction, Row, mean};
use srfm_trainer::cost::{Core, instruction_bound};
use srfm_trainer::data::generate::Task;
use srfm_trainer::data::{Dataset, split};
use srfm_trainer::error::FitError;
use srfm_trainer::export::{self, NumberFormat};
use srfm_trainer::fit::{FitConfig, Grid};
use srfm_trainer::sampling::Sampler;
use srfm_trainer::search::budget::{Budget, Instructions};
use srfm_trainer::search::{SearchConfig, search};
use srfm_trainer::validate::metrics::Metrics;

/// Time of a search: what the command takes by itself.
const TIME: Duration = Duration::from_secs(60);

/// The same for models of kilobytes.
const LONG_TIME: Duration = Duration::from_secs(120);

/// Rows to test on.
const TEST_ROWS: usize = 4000;

/// Keeps the rows to test on apart from those to fit.
const TEST_SEED: u64 = 1000;

/// Where rows come from.
#[derive(Clone, Copy)]
enum Source {
    /// A function with noise, of so many rows.
    Function(Task, usize, f64),
    /// Nine tenths of a file.
    File(&'static str),
}

/// A budget and the error that it should allow.
struct Goal {
    core: Core,
    flash: usize,
    instructions: u32,
    time: Duration,
    rmse: f64,
    /// Error of the best other tool.
    other: f64,
}

/// A task and what to reach.
struct Case {
    source: Source,
    goals: &'static [Goal],
}

const M4F: Core = Core::CortexM4f;
const M3: Core = Core::CortexM3;

/// Friedman 1 of 200 rows. The others' best: a multilayer perceptron by hand, 510 bytes, 551 instructions; of fewer, emlearn's
/// random forest, 267 instructions.
const FRIEDMAN_1_200: Case = Case {
    source: Source::Function(Task::Friedman1, 200, 1.0),
    goals: &[
        Goal { core: M4F, flash: 400, instructions: 450, time: TIME, rmse: 0.75, other: 1.31 },
        Goal { core: M3, flash: 400, instructions: 600, time: TIME, rmse: 0.75, other: 1.31 },
        Goal { core: M4F, flash: 400, instructions: 266, time: TIME, rmse: 2.56, other: 2.56 },
    ],
};

/// Friedman 1 of 2000 rows. The others' best: emlearn's perceptron of 16 and 16, 5.2 KB, 3595 instructions; of fewer, a
/// perceptron by hand, 510 bytes, 551 instructions.
const FRIEDMAN_1_2000: Case = Case {
    source: Source::Function(Task::Friedman1, 2000, 1.0),
    goals: &[
        Goal { core: M4F, flash: 600, instructions: 700, time: TIME, rmse: 0.33, other: 0.455 },
        Goal { core: M3, flash: 600, instructions: 900, time: TIME, rmse: 0.33, other: 0.455 },
        Goal { core: M4F, flash: 500, instructions: 550, time: TIME, rmse: 0.59, other: 0.59 },
    ],
};

/// Friedman 2 of 200 rows. The others' best: m2cgen's support vectors, 8.7 KB, 6689 instructions.
const FRIEDMAN_2_200: Case = Case {
    source: Source::Function(Task::Friedman2, 200, 125.0),
    goals: &[Goal { core: M4F, flash: 400, instructions: 500, time: TIME, rmse: 36.0, other: 44.8 }],
};

/// Airfoil self-noise. The others' best: emlearn's perceptron of 32 and 32, 8.4 KB, 8931 instructions.
const AIRFOIL: Case = Case {
    source: Source::File("airfoil"),
    goals: &[
        Goal { core: M4F, flash: 1536, instructions: 2500, time: TIME, rmse: 1.45, other: 1.47 },
        Goal { core: M3, flash: 1536, instructions: 3000, time: TIME, rmse: 1.45, other: 1.47 },
        Goal { core: M4F, flash: 3072, instructions: 6000, time: LONG_TIME, rmse: 1.25, other: 1.47 },
    ],
};

/// What a search gave.
struct Reached {
    rmse: f64,
    flash: f64,
    instructions: f64,
}

pub fn friedman_1_200(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    rows(&FRIEDMAN_1_200, run)
}

pub fn friedman_1_2000(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    rows(&FRIEDMAN_1_2000, run)
}

pub fn friedman_2_200(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    rows(&FRIEDMAN_2_200, run)
}

pub fn airfoil(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    rows(&AIRFOIL, run)
}

/// Returns rows of error, flash and instructions for every goal.
fn rows(case: &Case, run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let seeds = run.seeds();
    let mut rows = Vec::new();
    for (place, goal) in case.goals.iter().enumerate() {
        let what = format!("{} within {} bytes, {} instructions", goal.core, goal.flash, goal.instructions);
        let mut reached = Vec::new();
        for seed in 0..seeds {
            run.observer.progress(place * seeds + seed, case.goals.len() * seeds);
            let Some((train, test)) = case.source.read(run, seed as u64) else {
                rows.push(Row::skipped(&format!("{what}, RMSE"), goal.other));
                break;
            };
            reached.push(goal.reach(&train, &test, seed as u64, run)?);
        }
        if reached.is_empty() {
            continue;
        }
        let of = |pick: fn(&Reached) -> f64| reached.iter().map(pick).collect::<Vec<f64>>();
        let most = |values: Vec<f64>| values.into_iter().fold(0.0, f64::max);
        let row = |part: &str, other, ours, unit| Row::new(format!("{what}, {part}"), other, ours, unit, seeds);
        rows.push(row("RMSE", Some(goal.other), mean(&of(|r| r.rmse)), "1").at_most(Some(goal.rmse)));
        rows.push(row("flash at most", None, most(of(|r| r.flash)), "bytes").at_most(Some(goal.flash as f64)));
        let instructions = most(of(|r| r.instructions));
        rows.push(row("at most", None, instructions, "instr.").at_most(Some(goal.instructions.into())));
    }
    Ok(rows)
}

impl Source {
    /// Rows to fit and rows to test on; none where the file is not there.
    fn read(self, run: &Reproduction<'_>, seed: u64) -> Option<(Dataset, Dataset)> {
        match self {
            Source::Function(task, rows, noise) => {
                Some((task.generate(rows, noise, seed), task.generate(TEST_ROWS, 0.0, TEST_SEED + seed)))
            }
            Source::File(name) => {
                let data = run.whole(name)?;
                let split = split::holdout(data.rows(), 0.1, &mut Sampler::new(seed));
                Some((data.select(&split.train), data.select(&split.test)))
            }
        }
    }
}

impl Goal {
    fn reach(&self, train: &Dataset, test: &Dataset, seed: u64, run: &Reproduction<'_>) -> Result<Reached, FitError> {
        let instructions = Some(Instructions { at_most: self.instructions, core: self.core });
        let numbers = if self.core.floating_point() { 0 } else { 1 };
        let config = SearchConfig {
            fit: FitConfig { grid: Grid::of_lambdas([]), ..FitConfig::default() },
            numbers: [NumberFormat::F32, NumberFormat::Int, NumberFormat::Int16][numbers..].to_vec(),
            budget: Budget { flash: Some(self.flash), instructions },
            features: 1000,
            inputs: None,
            terms: None,
            one_standard_error: false,
            time: self.time,
        };
        let blob = search(train, &config, &run.seeded(seed).quiet())?.fit.blob;
        let model = blob.model();
        Ok(Reached {
            rmse: Metrics::of(&export::predict(&blob, &test.x).cast(), &test.y).rmse,
            flash: model.flash_bytes() as f64,
            instructions: instruction_bound(&model, self.core).map_or(f64::INFINITY, f64::from),
        })
    }
}
