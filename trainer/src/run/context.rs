//! The context of one computation.

use std::ops::ControlFlow;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::run::time::Instant;

/// Receives the progress of a long computation and may stop it.
///
/// Several threads call the methods at the same time.
pub trait Observer: Sync {
    /// Receives the number of finished pieces of work, `done` of `total` equal ones.
    fn progress(&self, done: usize, total: usize) {
        let _ = (done, total);
    }

    /// Receives a candidate that a search tried.
    fn tried(&self, candidate: &Tried<'_>) {
        let _ = candidate;
    }

    /// Returns whether the computation should stop as soon as possible.
    fn interrupted(&self) -> bool {
        false
    }

    /// Returns whether a search should end as if its time were over, with the best candidate that it has tried. Other
    /// computations do not ask.
    fn has_enough(&self) -> bool {
        false
    }
}

/// A candidate that a search tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried<'a> {
    /// The name of its method.
    pub method: &'a str,
    /// The largest flash that the model can take, in bytes.
    pub flash_bytes: usize,
    /// Its cross-validated error: the error rate of classes, else the root mean squared error in standard deviations
    /// of the target.
    pub error: f64,
    /// Whether the search may return it.
    pub is_allowed: bool,
}

/// Stores states of a computation, from which a later run of the same computation resumes.
///
/// Names are paths with slashes. A new state replaces all states whose names begin with its name. Several threads call
/// the methods at the same time.
pub trait Checkpoint: Sync {
    /// Returns the last state that this run or an earlier one saved under a name.
    fn load(&self, name: &str) -> Option<Vec<u8>>;

    /// Returns whether a running computation should save its state now; always true once the observer asks to stop.
    fn due(&self, name: &str) -> bool;

    /// Saves a state under a name.
    fn save(&self, name: &str, state: Vec<u8>);
}

/// An observer that ignores progress and never stops a computation.
struct Silent;

impl Observer for Silent {}

/// The context of a computation.
///
/// Results depend on the data, the settings and the seed alone, unless the time limit or the observer stops the
/// computation.
///
/// ```
/// use std::time::Duration;
/// use srfm_trainer::Run;
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
    workers: Option<&'a dyn Workers>,
    /// Whether the observer receives no progress.
    quiet: bool,
    /// Whether the run ends once the observer has enough.
    limited: bool,
}

impl Run<'static> {
    /// Creates a run on all processors, without observer, checkpoint or time limit.
    pub fn new(seed: u64) -> Run<'static> {
        Run {
            seed,
            threads: 0,
            deadline: None,
            observer: &Silent,
            checkpoint: None,
            workers: None,
            quiet: false,
            limited: false,
        }
    }
}

impl<'a> Run<'a> {
    /// Sets the observer, which receives progress and may stop the run.
    pub fn with_observer(self, observer: &'a dyn Observer) -> Run<'a> {
        Run { observer, ..self }
    }

    /// Sets the checkpoint, from which the run resumes and to which it saves states.
    pub fn with_checkpoint(self, checkpoint: &'a dyn Checkpoint) -> Run<'a> {
        Run { checkpoint: Some(checkpoint), ..self }
    }

    /// Sets the workers, which do the fits of a search.
    pub fn with_workers(self, workers: &'a dyn Workers) -> Run<'a> {
        Run { workers: Some(workers), ..self }
    }

    /// Sets the time limit, counted from now.
    pub fn with_time(self, time: Duration) -> Run<'a> {
        Run { deadline: Instant::now().checked_add(time), ..self }
    }

    /// Sets the number of threads; 0 means one for each processor.
    pub fn with_threads(self, threads: usize) -> Run<'a> {
        Run { threads, ..self }
    }

    /// Sets the seed.
    pub(crate) fn with_seed(self, seed: u64) -> Run<'a> {
        Run { seed, ..self }
    }

    /// Returns the same run without progress and checkpoint.
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

    /// Tells the observer of a candidate that a search tried.
    pub(crate) fn tell(&self, candidate: &Tried<'_>) {
        if !self.quiet {
            self.observer.tried(candidate);
        }
    }

    /// Returns whether the observer has enough.
    pub(crate) fn has_enough(&self) -> bool {
        self.observer.has_enough()
    }

    /// Returns whether the observer asks to stop, the time limit has passed or the workers are lost.
    pub fn interrupted(&self) -> bool {
        self.observer.interrupted()
            || self.limited && self.observer.has_enough()
            || self.deadline.is_some_and(|deadline| Instant::now() > deadline)
            || self.workers.is_some_and(Workers::are_lost)
    }

    /// Returns `Break` if a solver should stop.
    pub(crate) fn interruption(&self) -> ControlFlow<()> {
        if self.interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns the same run, which also ends once the observer has enough.
    pub(crate) fn limited(self) -> Run<'a> {
        Run { limited: true, ..self }
    }

    /// Returns the same run with a deadline no later than `deadline`.
    pub(crate) fn until(self, deadline: Instant) -> Run<'a> {
        Run { deadline: Some(self.deadline.map_or(deadline, |own| own.min(deadline))), ..self }
    }

    /// Does the work on the threads of the run and passes it the same run, which starts no further threads.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce(&Run<'a>) -> T + Send) -> T {
        let inner = Run { threads: 0, ..*self };
        let threads = match self.threads {
            0 if rayon::current_thread_index().is_some() => return work(&inner),
            // A thread outside of a pool would hand over every loop and wait for it. In the common pool, a fit that
            // waits for a loop would begin other fits.
            0 => rayon::current_num_threads(),
            threads => threads,
        };
        match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
            Ok(pool) => pool.install(|| work(&inner)),
            Err(_) => work(&inner),
        }
    }

    /// Returns the run of a part, which observes and saves on behalf of this run.
    pub(crate) fn for_part<'b, P: Observer + Checkpoint>(&self, part: &'b P) -> Run<'b>
    where
        'a: 'b,
    {
        Run { observer: part, checkpoint: self.checkpoint.map(|_| part as &dyn Checkpoint), ..*self }
    }

    /// Returns the workers, if there are any.
    pub(crate) fn workers(&self) -> Option<&'a dyn Workers> {
        self.workers
    }

    /// Does pieces of work in turn, or all at the same time where they wait for workers. Returns the results in order,
    /// or the first error.
    pub(crate) fn try_map<I: Sync, T: Send, E: Send>(
        &self,
        items: &[I],
        work: impl Fn(&I) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        if self.workers.is_none() {
            return items.iter().map(work).collect();
        }
        let work = &work;
        std::thread::scope(|scope| {
            let threads: Vec<_> = items.iter().map(|item| scope.spawn(move || work(item))).collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        })
    }

    /// Returns the checkpoint, if there is one.
    pub(crate) fn checkpoint(&self) -> Option<&'a dyn Checkpoint> {
        self.checkpoint
    }

    /// Returns the state that an earlier run saved under a name; none if the state has another type.
    pub fn resume<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        postcard::from_bytes(&self.checkpoint?.load(name)?).ok()
    }

    /// Saves a result under a name, so that a later run does not compute it again.
    pub(crate) fn store(&self, name: &str, result: &(impl Serialize + ?Sized)) {
        if let Some(checkpoint) = self.checkpoint {
            checkpoint.save(name, encode(result));
        }
    }

    /// Saves the state of a running computation under a name, if the checkpoint asks for it.
    pub fn keep(&self, name: &str, state: &impl Serialize) {
        if let Some(checkpoint) = self.checkpoint.filter(|checkpoint| checkpoint.due(name)) {
            checkpoint.save(name, encode(state));
        }
    }
}

fn encode(state: &(impl Serialize + ?Sized)) -> Vec<u8> {
    postcard::to_stdvec(state).expect("states have no types that cannot be encoded")
}

/// Does pieces of work elsewhere, such as on other machines.
///
/// Several threads call the methods at the same time. The results do not depend on where the work is done.
pub trait Workers: Sync {
    /// Returns the results of [`work`](crate::search::work) for `tasks` on a table of rows, in the order of the tasks;
    /// none if the workers are lost.
    fn map(&self, table: &[u8], tasks: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>>;

    /// Returns how many tasks the workers do at the same time.
    fn count(&self) -> usize;

    /// Returns whether the workers are lost. The run stops then.
    fn are_lost(&self) -> bool;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_runs_on_the_given_number_of_threads() {
        for threads in [1, 3] {
            let run = Run::new(1).with_threads(threads);
            assert_eq!(run.install(|run| (rayon::current_num_threads(), run.threads)), (threads, 0));
        }
        let all = rayon::current_num_threads();
        assert_eq!(Run::new(1).install(|_| rayon::current_num_threads()), all);
        assert_eq!(rayon::current_thread_index(), None);
        assert!(Run::new(1).install(|_| rayon::current_thread_index()).is_some());
    }

    #[test]
    fn pieces_of_work_wait_for_workers_at_the_same_time() {
        struct Idle;
        impl Workers for Idle {
            fn map(&self, _: &[u8], _: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
                None
            }

            fn count(&self) -> usize {
                1
            }

            fn are_lost(&self) -> bool {
                false
            }
        }
        let run = Run::new(1).with_workers(&Idle);
        // Each piece of work waits for all others.
        let barrier = std::sync::Barrier::new(3);
        let waited = run.try_map(&[3, 1, 2], |&piece: &i32| {
            barrier.wait();
            Ok::<_, ()>(10 * piece)
        });
        assert_eq!(waited, Ok(vec![30, 10, 20]));
        for run in [run, Run::new(1)] {
            assert_eq!(run.try_map(&[1, 2, 3], |&piece| if piece > 1 { Err(piece) } else { Ok(()) }), Err(2));
        }
    }

    #[test]
    fn an_observer_that_has_enough_ends_limited_runs_alone() {
        struct Satisfied;
        impl Observer for Satisfied {
            fn has_enough(&self) -> bool {
                true
            }
        }
        let run = Run::new(1).with_observer(&Satisfied);
        assert!(!run.interrupted() && run.limited().interrupted() && run.limited().quiet().interrupted());
        assert!(!Run::new(1).limited().interrupted());
    }

    #[test]
    fn the_earlier_deadline_stops_a_run() {
        let past = Run::new(1).with_time(Duration::ZERO);
        std::thread::sleep(Duration::from_millis(2));
        let hour = Instant::now() + Duration::from_secs(3600);
        assert!(past.until(hour).interrupted() && past.interruption().is_break());
        assert!(!Run::new(1).until(hour).interrupted());
    }
}
