//! The frontier: the lowest error within a small budget, beside the best of the other tools.
//!
//! Cross-validation alone searches all methods, for one or two minutes, within a budget of flash and instructions. The
//! model then predicts unseen rows: noise-free rows of the Friedman functions, or a tenth of the rows of airfoil. The
//! other tools' figures are on the same data: the strongest of multilayer perceptrons in C, emlearn, MicroFlow,
//! TensorFlow Lite Micro, m2cgen's boosted trees and support vectors, each with its scaling of the inputs. Instructions
//! are the bounds that `inspect` states; for integer models they are from integer inputs to integer outputs.

use std::time::Duration;

use crate::table::{Reproduction, Row, mean};
use srfm_trainer::FitError;
use srfm_trainer::cost::{Budget, Core, Unit, Work, instruction_bound};
use srfm_trainer::data::Task;
use srfm_trainer::data::{Dataset, Splitter};
use srfm_trainer::export::{self, NumberFormat};
use srfm_trainer::sampling::Sampler;
use srfm_trainer::search::{SearchConfig, search};
use srfm_trainer::validate::Metrics;
use srfm_trainer::{Conditions, Grid};

/// The time of a search for models of few features.
const SHORT_TIME: Duration = Duration::from_secs(30);

/// The time of other searches, but for models of several kilobytes.
const TIME: Duration = Duration::from_secs(60);
const LONG_TIME: Duration = Duration::from_secs(120);

/// The number of test rows.
const TEST_ROWS: usize = 4000;

/// The offset of the seeds of test rows from the seeds of fitted rows.
const TEST_SEED: u64 = 1000;

/// The source of rows.
#[derive(Clone, Copy)]
enum Source {
    /// A task, the number of rows and the noise.
    Function(Task, usize, f64),
    /// A data set, of which nine tenths are fitted.
    File(&'static str),
}

/// A budget and the largest allowed error.
struct Goal {
    core: Core,
    flash: usize,
    instructions: u32,
    time: Duration,
    rmse: f64,
    /// The error of the best other tool.
    other: f64,
}

/// A task and its goals.
struct Case {
    source: Source,
    goals: &'static [Goal],
}

const M4F: Core = Core::CortexM4f;
const M3: Core = Core::CortexM3;

/// Friedman 1, 200 rows. Best other tool: a hand-written multilayer perceptron, 510 bytes, 551 instructions; with fewer
/// instructions emlearn's random forest, 267 instructions.
const FRIEDMAN_1_200: Case = Case {
    source: Source::Function(Task::Friedman1, 200, 1.0),
    goals: &[
        Goal { core: M4F, flash: 400, instructions: 450, time: SHORT_TIME, rmse: 0.75, other: 1.31 },
        Goal { core: M3, flash: 400, instructions: 600, time: SHORT_TIME, rmse: 0.75, other: 1.31 },
        Goal { core: M4F, flash: 400, instructions: 266, time: SHORT_TIME, rmse: 2.56, other: 2.56 },
    ],
};

/// Friedman 1, 2000 rows. Best other tool: emlearn's perceptron of 16 and 16 neurons, 5.2 KB, 3595 instructions; with
/// fewer instructions a hand-written perceptron, 510 bytes, 551 instructions.
const FRIEDMAN_1_2000: Case = Case {
    source: Source::Function(Task::Friedman1, 2000, 1.0),
    goals: &[
        Goal { core: M4F, flash: 600, instructions: 700, time: SHORT_TIME, rmse: 0.33, other: 0.455 },
        Goal { core: M3, flash: 600, instructions: 900, time: SHORT_TIME, rmse: 0.33, other: 0.455 },
        Goal { core: M4F, flash: 500, instructions: 550, time: SHORT_TIME, rmse: 0.59, other: 0.59 },
    ],
};

/// Friedman 2, 200 rows. Best other tool: m2cgen's support vectors, 8.7 KB, 6689 instructions.
const FRIEDMAN_2_200: Case = Case {
    source: Source::Function(Task::Friedman2, 200, 125.0),
    goals: &[Goal { core: M4F, flash: 400, instructions: 500, time: TIME, rmse: 36.0, other: 44.8 }],
};

/// Airfoil self-noise. Best other tool: emlearn's perceptron of 32 and 32 neurons, 8.4 KB, 8931 instructions.
const AIRFOIL: Case = Case {
    source: Source::File("airfoil"),
    goals: &[
        Goal { core: M4F, flash: 1536, instructions: 2500, time: TIME, rmse: 1.45, other: 1.47 },
        Goal { core: M3, flash: 1536, instructions: 3000, time: TIME, rmse: 1.45, other: 1.47 },
        Goal { core: M4F, flash: 3072, instructions: 6000, time: LONG_TIME, rmse: 1.25, other: 1.47 },
    ],
};

/// The result of a search.
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
    /// Reads the rows to fit and the rows to test on. Returns `None` if the file is missing.
    fn read(self, run: &Reproduction<'_>, seed: u64) -> Option<(Dataset, Dataset)> {
        match self {
            Source::Function(task, rows, noise) => {
                Some((task.generate(rows, noise, seed), task.generate(TEST_ROWS, 0.0, TEST_SEED + seed)))
            }
            Source::File(name) => {
                let data = run.whole(name)?;
                let split = Splitter::Random.holdout(&data, 0.1, &mut Sampler::new(seed)).ok()?;
                Some((data.select(&split.train), data.select(&split.test)))
            }
        }
    }
}

impl Goal {
    fn reach(&self, train: &Dataset, test: &Dataset, seed: u64, run: &Reproduction<'_>) -> Result<Reached, FitError> {
        let work = Some(Work { at_most: self.instructions, unit: Unit::Instructions, core: self.core });
        let numbers = usize::from(NumberFormat::from(self.core) != NumberFormat::F32);
        let config = SearchConfig {
            fit: Conditions { grid: Grid::from([]), ..Conditions::default() },
            numbers: [NumberFormat::F32, NumberFormat::Int, NumberFormat::Int16][numbers..].to_vec(),
            budget: Budget { flash: Some(self.flash), work, ..Budget::default() },
            features: 1000,
            inputs: None,
            terms: None,
            robust: true,
            one_standard_error: false,
            smooth: false,
            effort: None,
            time: self.time,
        };
        let blob = search(train, &config, &run.seeded(seed).quiet())?.fit.blob;
        let model = blob.model();
        Ok(Reached {
            rmse: Metrics::from_predictions(&export::predict(&blob, &test.x).cast(), &test.y).rmse,
            flash: model.flash_bytes() as f64,
            instructions: instruction_bound(&model, self.core).into(),
        })
    }
}
