//! What a computation runs with: seed, threads, time limit, progress and checkpoints.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Receives the progress of a long computation and may stop it. Called from several threads.
pub trait Observer: Sync {
    /// Called when `done` of `total` equal pieces of work are finished.
    fn progress(&self, done: usize, total: usize) {
        let _ = (done, total);
    }

    /// Returns whether the computation should stop as soon as it can.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Stores states of a computation for a later run of the same computation. Called from several threads.
///
/// A name is a path with slashes. A state replaces all states whose names begin with its own name.
pub trait Checkpoint: Sync {
    /// Returns the state that was last saved under this name, in this run or an earlier one.
    fn load(&self, name: &str) -> Option<Vec<u8>>;

    /// Returns whether a running computation should save its state again; always true before a stop.
    fn due(&self, name: &str) -> bool;

    /// Saves a state.
    fn save(&self, name: &str, state: Vec<u8>);
}

/// The observer of a run that nobody watches.
struct Silent;

impl Observer for Silent {}

/// The run context of a computation. Results depend on the data, the settings and the seed alone, unless the time limit
/// or the observer stops the computation.
///
/// ```
/// use std::time::Duration;
/// use srfm_trainer::run::Run;
///
/// let run = Run::new(7).with_threads(2).with_time(Duration::from_secs(60));
/// assert_eq!(run.seed(), 7);
/// ```
#[derive(Clone, Copy)]
pub struct Run<'a> {
    seed: u64,
    threads: usize,
    deadline: Option<Instant>,
    observer: &'a dyn Observer,
    checkpoint: Option<&'a dyn Checkpoint>,
    /// Whether progress stays hidden from the observer.
    quiet: bool,
}

impl Run<'static> {
    /// A run that nobody watches, on all processors, without time limit or checkpoint.
    pub fn new(seed: u64) -> Run<'static> {
        Run { seed, threads: 0, deadline: None, observer: &Silent, checkpoint: None, quiet: false }
    }
}

impl<'a> Run<'a> {
    /// Reports progress to `observer` and stops when it asks to.
    pub fn with_observer(self, observer: &'a dyn Observer) -> Run<'a> {
        Run { observer, ..self }
    }

    /// Saves states to `checkpoint` and resumes from those that it holds.
    pub fn with_checkpoint(self, checkpoint: &'a dyn Checkpoint) -> Run<'a> {
        Run { checkpoint: Some(checkpoint), ..self }
    }

    /// Stops `time` from now.
    pub fn with_time(self, time: Duration) -> Run<'a> {
        Run { deadline: Instant::now().checked_add(time), ..self }
    }

    /// Sets the number of threads; 0 means one for each processor.
    pub fn with_threads(self, threads: usize) -> Run<'a> {
        Run { threads, ..self }
    }

    /// Replaces the seed.
    pub fn with_seed(self, seed: u64) -> Run<'a> {
        Run { seed, ..self }
    }

    /// The same run without progress and checkpoints.
    pub fn quiet(&self) -> Run<'a> {
        Run { checkpoint: None, quiet: true, ..*self }
    }

    /// Returns the seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Reports that `done` of `total` equal pieces of work are finished.
    pub fn progress(&self, done: usize, total: usize) {
        if !self.quiet {
            self.observer.progress(done, total);
        }
    }

    /// Returns whether the observer asked to stop or the time is over.
    pub fn interrupted(&self) -> bool {
        self.observer.interrupted() || self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    /// Tells a solver whether to go on.
    pub(crate) fn interruption(&self) -> ControlFlow<()> {
        if self.interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The same run without its time limit.
    pub(crate) fn without_deadline(self) -> Run<'a> {
        Run { deadline: None, ..self }
    }

    /// Stops at `deadline`, or earlier where the run already does.
    pub(crate) fn until(self, deadline: Instant) -> Run<'a> {
        Run { deadline: Some(self.deadline.map_or(deadline, |own| own.min(deadline))), ..self }
    }

    /// Does the work on the threads of the run; the work gets a run that uses those.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce(&Run<'a>) -> T + Send) -> T {
        let inner = Run { threads: 0, ..*self };
        if self.threads == 0 {
            return work(&inner);
        }
        match rayon::ThreadPoolBuilder::new().num_threads(self.threads).build() {
            Ok(pool) => pool.install(|| work(&inner)),
            Err(_) => work(&inner),
        }
    }

    /// The run of a part of the computation.
    pub(crate) fn for_part<'b, P: Observer + Checkpoint>(&self, part: &'b P) -> Run<'b>
    where
        'a: 'b,
    {
        Run { observer: part, checkpoint: self.checkpoint.map(|_| part as &dyn Checkpoint), ..*self }
    }

    /// The checkpoint, where there is one.
    pub(crate) fn checkpoint(&self) -> Option<&'a dyn Checkpoint> {
        self.checkpoint
    }

    /// Returns the state that an earlier run saved under this name.
    pub fn resume<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        postcard::from_bytes(&self.checkpoint?.load(name)?).ok()
    }

    /// Saves a result that need not be computed again.
    pub fn store(&self, name: &str, result: &(impl Serialize + ?Sized)) {
        if let Some(checkpoint) = self.checkpoint {
            checkpoint.save(name, encode(result));
        }
    }

    /// Saves the state of a running computation where it is due.
    pub fn keep(&self, name: &str, state: &impl Serialize) {
        if let Some(checkpoint) = self.checkpoint.filter(|checkpoint| checkpoint.due(name)) {
            checkpoint.save(name, encode(state));
        }
    }
}

fn encode(state: &(impl Serialize + ?Sized)) -> Vec<u8> {
    postcard::to_stdvec(state).expect("numbers, lists and names can be written")
}
