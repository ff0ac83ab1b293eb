//! The file from which an interrupted fit is resumed.
//!
//! A temporary file is written and renamed, so that the checkpoint is complete at every moment. A fit that ends with a
//! model removes the checkpoint.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use srfm_trainer::Checkpoint;
use srfm_trainer::FitError;

use crate::checkpoint::contents::{Contents, Origin, decode, encode};
use crate::failure::Failure;
use crate::interruption::interrupted;
use crate::output;

/// A checkpoint in a file.
pub struct CheckpointFile {
    path: PathBuf,
    every: Duration,
    resumed: bool,
    inner: Mutex<Inner>,
}

struct Inner {
    contents: Contents,
    /// The time of the last save of each name.
    saved: HashMap<String, Instant>,
    opened: Instant,
    /// Whether a failure to write has been reported.
    reported: bool,
}

impl CheckpointFile {
    /// Opens the checkpoint of a fit, or creates a new one if there is no file.
    pub fn open(path: &Path, every: Duration, origin: Origin) -> Result<CheckpointFile, Failure> {
        let name = path.display();
        let (resumed, contents) = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => (false, Contents { origin, states: BTreeMap::new() }),
            Err(error) => return Err(output::unreadable(path, error)),
            Ok(bytes) => {
                let contents = decode(&bytes).map_err(|problem| Failure::new(format!("{name}: {problem}")))?;
                if let Some(difference) = origin.difference(&contents.origin) {
                    return Err(Failure::new(format!(
                        "{name}: is the checkpoint of a fit {difference}; delete it, or name another file with \
                         --checkpoint"
                    )));
                }
                (true, contents)
            }
        };
        let inner = Inner { contents, saved: HashMap::new(), opened: Instant::now(), reported: false };
        Ok(CheckpointFile { path: path.to_owned(), every, resumed, inner: Mutex::new(inner) })
    }

    /// Converts the error of an interrupted fit, with advice on how to resume.
    pub fn interrupted(&self, error: FitError) -> Failure {
        let failure = Failure::from(error);
        if self.path.exists() { failure.and("the same command resumes the fit") } else { failure }
    }

    /// Removes the file after the fit has ended with a model.
    pub fn remove(&self) -> Result<(), Failure> {
        // A run that was killed while writing leaves the temporary file.
        let _ = fs::remove_file(temporary(&self.path));
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Failure::new(format!("{}: cannot be removed: {error}", self.path.display())))
            }
            _ => Ok(()),
        }
    }

    /// Whether the file was there.
    pub fn resumed(&self) -> bool {
        self.resumed
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, contents: &Contents) -> io::Result<()> {
        let temporary = temporary(&self.path);
        let mut file = File::create(&temporary)?;
        file.write_all(&encode(contents))?;
        file.sync_all()?;
        fs::rename(&temporary, &self.path)
    }
}

impl Checkpoint for CheckpointFile {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        self.lock().contents.states.get(name).cloned()
    }

    fn due(&self, name: &str) -> bool {
        let inner = self.lock();
        interrupted() || inner.saved.get(name).unwrap_or(&inner.opened).elapsed() >= self.every
    }

    fn save(&self, name: &str, state: Vec<u8>) {
        let mut inner = self.lock();
        let below = format!("{name}/");
        inner.contents.states.retain(|other, _| !other.starts_with(&below));
        inner.contents.states.insert(name.to_owned(), state);
        inner.saved.insert(name.to_owned(), Instant::now());
        if let Err(error) = self.write(&inner.contents)
            && !inner.reported
        {
            inner.reported = true;
            say!("srfm: {}: cannot be written, the fit continues without a checkpoint: {error}", self.path.display());
        }
    }
}

/// Returns the path of the temporary file. The name is fixed, so that killed runs leave one file at most.
fn temporary(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use srfm_trainer::data::Task;

    use super::*;

    fn open(folder: &Path, every: Duration) -> CheckpointFile {
        let data = Task::Pressure.generate(20, 0.5, 1);
        CheckpointFile::open(&folder.join("c"), every, Origin::of(&data, &"settings", 1)).ok().unwrap()
    }

    #[test]
    fn a_state_survives_and_replaces_the_states_below_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let (now, later) = (Duration::ZERO, Duration::from_secs(3600));
        let checkpoint = open(folder.path(), now);
        assert!(!checkpoint.resumed && checkpoint.due("0/1/walk"));
        for (name, state) in [("0/1/walk", 1), ("0/10/walk", 2), ("0/10/walk", 3), ("0/2", 4)] {
            checkpoint.save(name, vec![state]);
        }
        let again = open(folder.path(), later);
        assert!(again.resumed && !again.due("0/1/walk"));
        again.save("0/1", vec![9, 9]);
        let last = open(folder.path(), later);
        let states = ["0/1/walk", "0/1", "0/10/walk", "0/2"].map(|name| last.load(name));
        assert_eq!(states, [None, Some(vec![9, 9]), Some(vec![3]), Some(vec![4])]);
        last.remove().ok().unwrap();
        assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
    }
}
