//! Fits of a search that workers do.

use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::cost::{Budget, Core, Deployment, Instructions};
use crate::data::Dataset;
use crate::error::FitError;
use crate::export::Blob;
use crate::fit::within::shrink_until_within;
use crate::fit::{Fit, FitConfig, fit_chosen};
use crate::method::as_json;
use crate::run::Run;
use crate::search::effort::Effort;
use crate::validate::fold::FoldTask;

/// A fit to all rows of a table, which shows how large its model is.
#[derive(Serialize, Deserialize)]
struct ShapeTask {
    #[serde(with = "as_json")]
    config: FitConfig,
    seed: u64,
}

impl ShapeTask {
    /// The first byte of a task.
    const KIND: u8 = 1;

    /// Returns the model as the device stores it; none if it cannot be fitted.
    fn run(self, data: &Dataset) -> Option<Vec<u8>> {
        let ShapeTask { config, seed } = self;
        let run = Run::new(seed).with_threads(1);
        let fit = run.install(|run| fitted(data, &config, run));
        fit.ok().map(|fit| fit.blob.bytes().to_vec())
    }
}

/// Fits to all rows of a table with fewer and fewer features, until a model keeps the budget.
#[derive(Serialize, Deserialize)]
struct SizeTask {
    #[serde(with = "as_json")]
    config: FitConfig,
    effort: Effort,
    flash: Option<usize>,
    /// The largest number of instructions, and the name of the core.
    instructions: Option<(u32, String)>,
    /// The names of the way of deployment and of the core whose program the budget counts; none for a file.
    program: Option<(String, String)>,
    seed: u64,
}

impl SizeTask {
    /// The first byte of a task.
    const KIND: u8 = 2;

    fn of(config: &FitConfig, effort: Effort, budget: &Budget, seed: u64) -> SizeTask {
        let named = |core: Core| core.name().to_owned();
        let instructions = budget.instructions.map(|most| (most.at_most, named(most.core)));
        let program = budget.deployment.core().map(|core| (budget.deployment.name().to_owned(), named(core)));
        SizeTask { config: config.clone(), effort, flash: budget.flash, instructions, program, seed }
    }

    fn budget(&self) -> Option<Budget> {
        let core = |name: &String| Core::from_str(name).ok();
        let deployment = match &self.program {
            None => Deployment::File,
            Some((way, name)) if way == "c" => Deployment::C(core(name)?),
            // The compiler is the client's.
            Some((_, name)) => Deployment::Rust { core: core(name)?, firmware: None },
        };
        let instructions = match &self.instructions {
            None => None,
            Some((at_most, name)) => Some(Instructions { at_most: *at_most, core: core(name)? }),
        };
        // Workers compare no baselines, which the core is for.
        Some(Budget { flash: self.flash, instructions, deployment, core: Core::default() })
    }

    /// Returns the number of features and the model as the device stores it; none if no model keeps the budget.
    fn run(self, data: &Dataset) -> Option<(usize, Vec<u8>)> {
        let (budget, run) = (self.budget()?, Run::new(self.seed).with_threads(1));
        let sized = run.install(|run| sized_here(data, &self.config, self.effort, &budget, run));
        sized.ok().map(|(features, blob)| (features, blob.bytes().to_vec()))
    }
}

/// Returns the number of features of a model that keeps the budget, and the model. A worker makes the fits where there
/// are any.
pub(crate) fn sized(
    data: &Dataset,
    config: &FitConfig,
    effort: Effort,
    budget: &Budget,
    run: &Run<'_>,
) -> Result<(usize, Blob), FitError> {
    let task = || (SizeTask::KIND, SizeTask::of(config, effort, budget, run.seed()));
    let found: Option<(usize, Vec<u8>)> = done_elsewhere(data, task, run)?;
    if let Some((features, blob)) = found.and_then(|(features, bytes)| Some((features, Blob::new(&bytes).ok()?))) {
        return Ok((features, blob));
    }
    sized_here(data, config, effort, budget, run)
}

fn sized_here(
    data: &Dataset,
    config: &FitConfig,
    effort: Effort,
    budget: &Budget,
    run: &Run<'_>,
) -> Result<(usize, Blob), FitError> {
    let fitted = |method| fitted(data, &config.with(effort.affordable(method)), run);
    let fit = shrink_until_within(budget, config.method.clone(), fitted)?;
    Ok((fit.chosen.tunable().features, fit.blob))
}

/// Returns what a worker makes of a task; none where there are no workers, or where they cannot do it.
///
/// # Errors
/// [`FitError::Interrupted`] if the workers are lost.
fn done_elsewhere<S: Serialize, T: DeserializeOwned>(
    data: &Dataset,
    task: impl FnOnce() -> S,
    run: &Run<'_>,
) -> Result<Option<T>, FitError> {
    let Some(workers) = run.workers() else { return Ok(None) };
    let Some(table) = data.to_bytes() else { return Ok(None) };
    let task = postcard::to_stdvec(&task()).expect("memory takes any length");
    let found = workers.map(&table, vec![task]).ok_or(FitError::Interrupted)?;
    Ok(found.first().and_then(|bytes| postcard::from_bytes::<Option<T>>(bytes).ok()).flatten())
}

/// Fits a method to see what its model takes of the device.
pub(crate) fn fitted(data: &Dataset, config: &FitConfig, run: &Run<'_>) -> Result<Fit, FitError> {
    // Intervals of no width take the room of those that cross-validation gives.
    let half_widths = vec![0.0; if data.classes.is_empty() { data.outputs() } else { 0 }];
    fit_chosen(data, config, half_widths, run)
}

/// Returns the model of `config`, to see what it takes of the device. A worker fits it where there are any.
pub(crate) fn shaped(data: &Dataset, config: &FitConfig, run: &Run<'_>) -> Result<Blob, FitError> {
    let task = || (ShapeTask::KIND, ShapeTask { config: config.clone(), seed: run.seed() });
    let bytes: Option<Vec<u8>> = done_elsewhere(data, task, run)?;
    if let Some(blob) = bytes.and_then(|bytes| Blob::new(&bytes).ok()) {
        return Ok(blob);
    }
    fitted(data, config, run).map(|fit| fit.blob)
}

/// Does a task of a search on a table of rows, both as [`Workers::map`](crate::run::Workers::map) gives them. The
/// result does not depend on the machine.
pub fn work(table: &[u8], task: &[u8]) -> Vec<u8> {
    let Some(data) = Dataset::from_bytes(table) else { return Vec::new() };
    let result = match task.split_first() {
        Some((&FoldTask::KIND, task)) => {
            postcard::from_bytes(task).map(|task: FoldTask| postcard::to_stdvec(&task.run(&data)))
        }
        Some((&ShapeTask::KIND, task)) => {
            postcard::from_bytes(task).map(|task: ShapeTask| postcard::to_stdvec(&task.run(&data)))
        }
        Some((&SizeTask::KIND, task)) => {
            postcard::from_bytes(task).map(|task: SizeTask| postcard::to_stdvec(&task.run(&data)))
        }
        _ => return Vec::new(),
    };
    result.ok().and_then(Result::ok).unwrap_or_default()
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::data::Task;
    use crate::fit::Conditions;
    use crate::run::Workers;
    use crate::search::{SearchConfig, search};

    /// Workers in this process.
    pub struct Local {
        count: usize,
        /// Every how many calls a result is lost; 0 for never.
        lost: usize,
        /// The number of tasks of each call.
        pub calls: Mutex<Vec<usize>>,
    }

    impl Local {
        pub fn new(count: usize, lost: usize) -> Local {
            Local { count, lost, calls: Mutex::default() }
        }
    }

    impl Workers for Local {
        fn map(&self, table: &[u8], tasks: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
            let mut calls = self.calls.lock().unwrap();
            calls.push(tasks.len());
            let loses = self.lost > 0 && calls.len().is_multiple_of(self.lost);
            drop(calls);
            let mut results: Vec<Vec<u8>> = tasks.iter().map(|task| work(table, task)).collect();
            if let Some(first) = results.first_mut().filter(|_| loses) {
                first.clear();
            }
            Some(results)
        }

        fn count(&self) -> usize {
            self.count
        }

        fn are_lost(&self) -> bool {
            false
        }
    }

    #[test]
    fn workers_give_the_model_of_one_machine() {
        let data = Task::Friedman1.generate(150, 1.0, 3);
        let budget = Budget { flash: Some(400), ..Budget::default() };
        let config = SearchConfig {
            effort: Some(0.2),
            time: Duration::from_secs(600),
            ..SearchConfig::new(Conditions::default(), budget)
        };
        let alone = search(&data, &config, &Run::new(1)).unwrap();
        for (lost, count) in [(0, 1), (3, 1), (0, 5)] {
            let workers = Local::new(count, lost);
            let found = search(&data, &config, &Run::new(1).with_workers(&workers)).unwrap();
            assert_eq!(found.fit.blob.bytes(), alone.fit.blob.bytes());
            assert_eq!(found.chosen.score, alone.chosen.score);
            // Five folds of three divisions; one fold of a candidate that it rules out.
            let tasks: usize = workers.calls.into_inner().unwrap().iter().sum();
            assert!(tasks > 3 * alone.trials.len(), "{tasks} tasks for {} candidates", alone.trials.len());
        }
    }

    #[test]
    fn budgets_travel_with_sizes() {
        let core = Core::ALL[0];
        for deployment in [Deployment::File, Deployment::C(core), Deployment::Rust { core, firmware: None }] {
            for instructions in [None, Some(Instructions { at_most: 900, core })] {
                let deployment = deployment.clone();
                let budget = Budget { flash: Some(700), instructions, deployment, ..Budget::default() };
                let effort = Effort::new(&Task::Friedman1.generate(20, 1.0, 3), 0.0);
                let task = SizeTask::of(&FitConfig::default(), effort, &budget, 5);
                let bytes = postcard::to_stdvec(&task).unwrap();
                assert_eq!(postcard::from_bytes::<SizeTask>(&bytes).unwrap().budget(), Some(budget));
            }
        }
    }

    #[test]
    fn workers_that_are_gone_end_the_search() {
        struct Gone(AtomicUsize);
        impl Workers for Gone {
            fn map(&self, _: &[u8], _: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
                self.0.fetch_add(1, Ordering::Relaxed);
                None
            }

            fn count(&self) -> usize {
                1
            }

            fn are_lost(&self) -> bool {
                self.0.load(Ordering::Relaxed) > 0
            }
        }
        let gone = Gone(AtomicUsize::new(0));
        let data = Task::Friedman1.generate(60, 1.0, 3);
        let config = SearchConfig::new(Conditions::default(), Budget::default());
        assert!(matches!(search(&data, &config, &Run::new(1).with_workers(&gone)), Err(FitError::Interrupted)));
    }

    #[test]
    fn other_bytes_are_no_work() {
        let table = Task::Friedman1.generate(20, 1.0, 3).to_bytes().unwrap();
        for (table, task) in [(&table[..], &[7][..]), (&table, &[]), (&table, &[0, 9]), (&[1], &[0])] {
            assert!(work(table, task).is_empty(), "{task:?}");
        }
    }
}
