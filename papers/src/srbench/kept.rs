//! The searches that earlier runs finished.

use std::fmt::Display;
use std::fs::OpenOptions;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use srfm_trainer::FitError;

/// A search: the budgets of flash in bytes and of seconds, the set, and the seed of the division.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Key {
    pub flash: usize,
    pub seconds: u64,
    pub set: String,
    pub seed: u32,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Rows of the set.
    pub rows: usize,
    /// R² and root mean squared error on the rows kept apart.
    pub r2: f64,
    pub rmse: f64,
    /// The root mean squared error that the search states.
    pub stated: f64,
    /// The share of the rows kept apart that are within the intervals.
    pub coverage: f64,
    pub bytes: f64,
    /// The largest number of instructions on a Cortex-M4F.
    pub instructions: f64,
}

impl Reached {
    /// The result where there is no model: that of the mean.
    pub const NOTHING: Reached = Reached {
        rows: 0,
        r2: 0.0,
        rmse: f64::NAN,
        stated: f64::NAN,
        coverage: f64::NAN,
        bytes: 0.0,
        instructions: 0.0,
    };
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    flash: usize,
    seconds: u64,
    set: String,
    seed: u32,
    rows: usize,
    r2: f64,
    rmse: f64,
    stated: f64,
    coverage: f64,
    bytes: f64,
    instructions: f64,
}

impl Line {
    fn new(Key { flash, seconds, set, seed }: Key, reached: Reached) -> Line {
        let Reached { rows, r2, rmse, stated, coverage, bytes, instructions } = reached;
        Line { flash, seconds, set, seed, rows, r2, rmse, stated, coverage, bytes, instructions }
    }

    fn into_parts(self) -> (Key, Reached) {
        let Line { flash, seconds, set, seed, rows, r2, rmse, stated, coverage, bytes, instructions } = self;
        (Key { flash, seconds, set, seed }, Reached { rows, r2, rmse, stated, coverage, bytes, instructions })
    }
}

/// The finished searches, and the file that keeps them: CSV, a line a search.
pub struct Kept<'a> {
    path: Option<&'a Path>,
    known: Vec<(Key, Reached)>,
    /// One writer at a time.
    writing: Mutex<()>,
}

impl<'a> Kept<'a> {
    /// Reads the searches that an earlier run kept; none without a file.
    ///
    /// # Errors
    /// [`FitError::Data`] where the file cannot be read or is none of such searches.
    pub fn open(path: Option<&'a Path>) -> Result<Kept<'a>, FitError> {
        let mut known = Vec::new();
        if let Some(path) = path.filter(|path| path.exists()) {
            let mut reader = csv::Reader::from_path(path).map_err(|error| refused(path, &error))?;
            for line in reader.deserialize() {
                known.push(line.map(Line::into_parts).map_err(|error| refused(path, &error))?);
            }
        }
        Ok(Kept { path, known, writing: Mutex::new(()) })
    }

    /// Returns the result of a search that an earlier run finished.
    pub fn find(&self, key: &Key) -> Option<Reached> {
        self.known.iter().find(|(known, _)| known == key).map(|(_, reached)| *reached)
    }

    /// Appends the result of a search to the file.
    ///
    /// # Errors
    /// [`FitError::Data`] where the file cannot be written.
    pub fn keep(&self, key: Key, reached: Reached) -> Result<(), FitError> {
        let Some(path) = self.path else { return Ok(()) };
        let _one = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(|error| refused(path, &error))?;
        let is_new = file.metadata().map_or(0, |about| about.len()) == 0;
        let mut writer = csv::WriterBuilder::new().has_headers(is_new).from_writer(file);
        writer.serialize(Line::new(key, reached)).map_err(|error| refused(path, &error))?;
        writer.flush().map_err(|error| refused(path, &error))
    }
}

/// Returns the error of a file that cannot be read or written.
fn refused(path: &Path, error: &dyn Display) -> FitError {
    FitError::Data(
        format!("{}: {error}; name a file of an earlier run, or a new one, with --results", path.display()).into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_run_finds_what_was_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.csv");
        let key = |seed| Key { flash: 512, seconds: 5, set: "503_wind".to_owned(), seed };
        let reached = Reached { rows: 100, r2: 0.75, rmse: 3.2, stated: 3.1, coverage: 0.9, ..Reached::NOTHING };
        for seed in [3, 4] {
            Kept::open(Some(&path)).unwrap().keep(key(seed), reached).unwrap();
        }
        let later = Kept::open(Some(&path)).unwrap();
        assert_eq!(
            (later.find(&key(3)), later.find(&key(4)), later.find(&key(5))),
            (Some(reached), Some(reached), None)
        );
        assert_eq!(later.find(&Key { flash: 2048, ..key(3) }), None);
        assert_eq!(later.find(&Key { seconds: 1, ..key(3) }), None);
        std::fs::write(&path, "flash,set\n1,2\n").unwrap();
        let refused = Kept::open(Some(&path)).err().unwrap().to_string();
        assert!(refused.contains("results.csv") && refused.contains("--results"), "{refused}");
    }
}
