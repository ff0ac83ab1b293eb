//! Fits of a search that workers do.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::error::FitError;
use crate::export::Blob;
use crate::fit::{Fit, FitConfig, fit_chosen};
use crate::method::{MethodConfig, as_json};
use crate::run::Run;
use crate::validate::remote::FoldTask;

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
        let fit = run.install(|run| fitted(data, &config, config.method.clone(), run));
        fit.ok().map(|fit| fit.blob.bytes().to_vec())
    }
}

/// Fits a method to see what its model takes of the device.
pub(crate) fn fitted(data: &Dataset, config: &FitConfig, method: MethodConfig, run: &Run<'_>) -> Result<Fit, FitError> {
    // Intervals of no width take the room of those that cross-validation gives.
    let half_widths = vec![0.0; if data.classes.is_empty() { data.outputs() } else { 0 }];
    fit_chosen(data, config, method, half_widths, run)
}

/// Returns the model of `config`, to see what it takes of the device. A worker fits it where there are any.
pub(crate) fn shaped(data: &Dataset, config: &FitConfig, run: &Run<'_>) -> Result<Blob, FitError> {
    if let Some((workers, table)) = run.workers().zip(data.to_bytes()) {
        let task = ShapeTask { config: config.clone(), seed: run.seed() };
        let task = postcard::to_stdvec(&(ShapeTask::KIND, task)).expect("memory takes any length");
        let found = workers.map(&table, vec![task]).ok_or(FitError::Interrupted)?;
        let bytes = found.first().and_then(|bytes| postcard::from_bytes::<Option<Vec<u8>>>(bytes).ok()).flatten();
        if let Some(blob) = bytes.and_then(|bytes| Blob::new(&bytes).ok()) {
            return Ok(blob);
        }
    }
    fitted(data, config, config.method.clone(), run).map(|fit| fit.blob)
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
        _ => return Vec::new(),
    };
    result.ok().and_then(Result::ok).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::data::Task;
    use crate::run::Workers;
    use crate::search::{Budget, SearchConfig, search};

    /// Workers in this process, some of which lose their results.
    struct Counted {
        tasks: AtomicUsize,
        lost: usize,
    }

    impl Workers for Counted {
        fn map(&self, table: &[u8], tasks: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
            let done = |task: &Vec<u8>| match self.tasks.fetch_add(1, Ordering::Relaxed) {
                count if self.lost > 0 && count.is_multiple_of(self.lost) => Vec::new(),
                _ => work(table, task),
            };
            Some(tasks.iter().map(done).collect())
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
            ..SearchConfig::new(FitConfig::default(), budget)
        };
        let alone = search(&data, &config, &Run::new(1)).unwrap();
        for lost in [0, 3] {
            let workers = Counted { tasks: AtomicUsize::new(0), lost };
            let found = search(&data, &config, &Run::new(1).with_workers(&workers)).unwrap();
            assert_eq!(found.fit.blob.bytes(), alone.fit.blob.bytes());
            assert_eq!(found.chosen.score, alone.chosen.score);
            // Five folds and a model for each of the candidates.
            let tasks = workers.tasks.into_inner();
            assert!(tasks > 3 * alone.trials.len(), "{tasks} tasks for {} candidates", alone.trials.len());
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

            fn are_lost(&self) -> bool {
                self.0.load(Ordering::Relaxed) > 0
            }
        }
        let gone = Gone(AtomicUsize::new(0));
        let data = Task::Friedman1.generate(60, 1.0, 3);
        let config = SearchConfig::new(FitConfig::default(), Budget::default());
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
