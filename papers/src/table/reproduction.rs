//! The context of a table: seeds, data sets and progress.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use srfm_trainer::FitError;
use srfm_trainer::data::{Dataset, Source, Table, TargetKind};
use srfm_trainer::{Observer, Run};

/// The context in which a table is computed.
#[derive(Clone, Copy)]
pub struct Reproduction<'a> {
    /// The number of seeds on the command line.
    requested: Option<usize>,
    /// The number of seeds of the table.
    usual: usize,
    /// The folder of data sets.
    pub data: Option<&'a Path>,
    /// The file that keeps the results of finished searches.
    pub results: Option<&'a Path>,
    /// The receiver of progress.
    pub observer: &'a dyn Observer,
    /// What was wrong with the data sets that could not be read.
    problems: &'a Mutex<Vec<String>>,
}

impl<'a> Reproduction<'a> {
    /// Creates the context; without `requested` seeds, the table has its `usual` number.
    pub fn new(
        requested: Option<usize>,
        usual: usize,
        (data, results): (Option<&'a Path>, Option<&'a Path>),
        observer: &'a dyn Observer,
        problems: &'a Mutex<Vec<String>>,
    ) -> Reproduction<'a> {
        Reproduction { requested, usual, data, results, observer, problems }
    }

    /// Returns the number of seeds.
    pub fn seeds(&self) -> usize {
        self.seeds_or(self.usual)
    }

    /// Returns the number of seeds of a part of the table that has a `usual` number of its own.
    pub fn seeds_or(&self, usual: usize) -> usize {
        self.requested.unwrap_or(usual)
    }

    /// Returns the run context of a fit with this seed.
    pub fn seeded(&self, seed: u64) -> Run<'_> {
        Run::new(seed).with_observer(self.observer)
    }

    /// Reads the data set `NAME.csv` or `NAME.csv.gz`. Returns `None` where the file is missing or cannot be read.
    pub fn whole(&self, name: &str) -> Option<Dataset> {
        let (plain, zipped) = (format!("{name}.csv"), format!("{name}.csv.gz"));
        let exists = |file: &String| self.data.is_some_and(|folder| folder.join(file).exists());
        self.read(if !exists(&plain) && exists(&zipped) { &zipped } else { &plain }, &[])
    }

    /// Reads the two halves of a data set, `NAME_train.csv` and `NAME_test.csv`. Returns `None` where a file is
    /// missing or cannot be read.
    pub fn halves(&self, name: &str, targets: &[String]) -> Option<(Dataset, Dataset)> {
        let half = |half: &str| self.read(&format!("{name}_{half}.csv"), targets);
        Some((half("train")?, half("test")?))
    }

    fn read(&self, file: &str, targets: &[String]) -> Option<Dataset> {
        let dataset = |table| Source::new(table, None, targets).dataset(TargetKind::Quantities);
        let read = Table::read(self.data?.join(file)).and_then(dataset);
        read.map_err(|error| self.problems.lock().unwrap_or_else(PoisonError::into_inner).push(error.to_string())).ok()
    }

    /// Evaluates `work` for every case and every seed from 0, in parallel. Returns one list of results per case.
    pub fn over_seeds<C: Sync, T: Send>(
        &self,
        cases: &[C],
        work: impl Fn(&C, u64) -> Result<T, FitError> + Sync,
    ) -> Result<Vec<Vec<T>>, FitError> {
        self.over_seeds_of(cases, self.seeds(), work)
    }

    /// Does the same as [`Reproduction::over_seeds`] for a given number of seeds.
    pub fn over_seeds_of<C: Sync, T: Send>(
        &self,
        cases: &[C],
        seeds: usize,
        work: impl Fn(&C, u64) -> Result<T, FitError> + Sync,
    ) -> Result<Vec<Vec<T>>, FitError> {
        let total = cases.len() * seeds;
        let done = AtomicUsize::new(0);
        let one = |piece: usize| {
            if self.observer.interrupted() {
                return Err(FitError::Interrupted);
            }
            let result = work(&cases[piece / seeds], (piece % seeds) as u64)?;
            self.observer.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
            Ok(result)
        };
        let results: Vec<T> = (0..total).into_par_iter().map(one).collect::<Result<_, _>>()?;
        let mut results = results.into_iter();
        Ok(cases.iter().map(|_| results.by_ref().take(seeds).collect()).collect())
    }
}
