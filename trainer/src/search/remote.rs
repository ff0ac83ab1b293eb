//! Fits of a search that workers do.

use crate::data::Dataset;
use crate::validate::fold::FoldTask;

/// Does a task of a search on a table of rows, both as [`Workers::map`](crate::run::Workers::map) gives them. The
/// result does not depend on the machine.
pub fn work(table: &[u8], task: &[u8]) -> Vec<u8> {
    let Some(data) = Dataset::from_bytes(table) else { return Vec::new() };
    let result = match task.split_first() {
        Some((&FoldTask::KIND, task)) => {
            postcard::from_bytes(task).map(|task: FoldTask| postcard::to_stdvec(&task.run(&data)))
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
    use crate::cost::Budget;
    use crate::data::Task;
    use crate::error::FitError;
    use crate::fit::Conditions;
    use crate::run::{Run, Workers};
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
