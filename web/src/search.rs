//! The search for a model in the rows of a file, which tells the page of its progress.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;
use srfm_cli::origin::DataFile;
use srfm_trainer::data::{Prepared, Source, Table};
use srfm_trainer::message::Explain;
use srfm_trainer::{Checkpoint, Observer, Tried};

use crate::labels::said;
use crate::outcome::Fitted;
use crate::wanted::Wanted;

/// The number of progress events of a search, at most.
const EVENTS: usize = 400;

/// The start of the names of the states that hold the candidates of a search.
const CANDIDATES: &str = "search ";

/// The page around a session.
pub trait Page: Sync {
    /// Receives an event in JSON: the progress, a candidate that was tried, or a state.
    fn tell(&self, event: &str);
}

/// A state of a search, and its name.
pub type State = (String, Vec<u8>);

/// A data file and its table.
pub struct File {
    pub data_file: DataFile,
    pub table: Table,
}

impl File {
    /// Reads the bytes of a file with a name.
    ///
    /// # Errors
    /// The sentence that says why the bytes are no table.
    pub fn read(name: &str, bytes: Vec<u8>) -> Result<File, String> {
        let data_file = DataFile::with_bytes(name, &bytes);
        let table = Table::parse(name, bytes).map_err(|error| said(&error.message()))?;
        Ok(File { data_file, table })
    }
}

/// Searches for the model that is wanted. `kept` are the states of a search that the user stopped, which ends with the
/// best of their candidates.
///
/// # Errors
/// The sentence that says why there is none.
pub fn search(wanted: &Wanted, file: &File, kept: Option<Vec<State>>, page: &dyn Page) -> Result<Fitted, String> {
    let request = wanted.request()?;
    request.check().map_err(|error| said(&error.message()))?;
    let source = Source::new(file.table.clone(), None, &request.columns.targets);
    let source = source.with_preparation(request.columns.preparation.clone());
    let share_unit = source.shares_unit();
    let prepared = request.prepare(&source).map_err(|error| said(&error.message()))?;
    drop(source);
    let Prepared { data, description, counts, .. } = prepared;
    let rows = request.divide(data, description, counts, share_unit).map_err(|error| said(&error.message()))?;
    let plan = request.plan(&rows).map_err(|error| said(&error.message()))?;
    let watch = Watch { page, told: AtomicUsize::new(0), kept, at_end: AtomicBool::new(false) };
    let run = request.run().with_observer(&watch).with_checkpoint(&watch);
    let outcome = plan.run(&rows.train, &run).map_err(|error| said(&error.message()))?;
    Fitted::of(wanted, rows, &plan, outcome, &file.data_file)
}

/// Tells the page of a search.
struct Watch<'a> {
    page: &'a dyn Page,
    /// The progress that was told last.
    told: AtomicUsize,
    /// The states of a search that was stopped; none in a search that goes on.
    kept: Option<Vec<State>>,
    /// Whether the search has asked for a candidate that the states lack.
    at_end: AtomicBool,
}

impl Observer for Watch<'_> {
    fn progress(&self, done: usize, total: usize) {
        let now = EVENTS * done / total.max(1);
        if self.told.fetch_max(now, Ordering::Relaxed) < now {
            self.page.tell(&json!({ "event": "progress", "share": now as f64 / EVENTS as f64 }).to_string());
        }
    }

    fn tried(&self, candidate: &Tried<'_>) {
        let Tried { method, flash_bytes, error, is_allowed } = *candidate;
        if flash_bytes < usize::MAX && error.is_finite() {
            let event = json!({
                "event": "tried", "method": method, "bytes": flash_bytes, "error": error, "allowed": is_allowed,
            });
            self.page.tell(&event.to_string());
        }
    }

    fn has_enough(&self) -> bool {
        self.at_end.load(Ordering::Relaxed)
    }
}

impl Checkpoint for Watch<'_> {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        let kept = self.kept.as_ref()?;
        let found = kept.iter().find(|(known, _)| known == name).map(|(_, state)| state.clone());
        if found.is_none() && name.starts_with(CANDIDATES) {
            self.at_end.store(true, Ordering::Relaxed);
        }
        found
    }

    fn due(&self, _: &str) -> bool {
        false
    }

    fn save(&self, name: &str, state: Vec<u8>) {
        if self.kept.is_none() && name.starts_with(CANDIDATES) {
            self.page.tell(&json!({ "event": "kept", "state": (name, state) }).to_string());
        }
    }
}
