//! How progress and state leave a fit, and how a fit is asked to stop.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Receives the progress of a long computation. Called from several threads.
pub trait Observer: Sync {
    /// `done` of `total` equal pieces of work are finished.
    fn progress(&self, done: usize, total: usize) {
        let _ = (done, total);
    }

    /// Whether the computation should stop as soon as it can.
    fn interrupted(&self) -> bool {
        false
    }

    /// Where the computation keeps states from which it can be resumed; none where it is to keep none.
    fn checkpoint(&self) -> Option<&dyn Checkpoint> {
        None
    }
}

/// Keeps states of a computation for a later run of the same computation. Called from several threads.
///
/// A name is a path with slashes: the state that is kept under one takes the place of all that begin with it.
pub trait Checkpoint: Sync {
    /// The state that was kept last under this name, in this run or an earlier one.
    fn load(&self, name: &str) -> Option<Vec<u8>>;

    /// Whether it is time for a running computation to save its state again; always before a stop.
    fn due(&self, name: &str) -> bool;

    /// Keeps a state.
    fn save(&self, name: &str, state: Vec<u8>);
}

/// The state that an earlier run kept under this name.
pub fn resume<T: DeserializeOwned>(observer: &dyn Observer, name: &str) -> Option<T> {
    postcard::from_bytes(&observer.checkpoint()?.load(name)?).ok()
}

/// Keeps a result that need not be computed again.
pub fn store(observer: &dyn Observer, name: &str, result: &(impl Serialize + ?Sized)) {
    if let Some(checkpoint) = observer.checkpoint() {
        checkpoint.save(name, encode(result));
    }
}

/// Keeps the state of a running computation where it is time to.
pub fn keep(observer: &dyn Observer, name: &str, state: &impl Serialize) {
    if let Some(checkpoint) = observer.checkpoint().filter(|checkpoint| checkpoint.due(name)) {
        checkpoint.save(name, encode(state));
    }
}

fn encode(state: &(impl Serialize + ?Sized)) -> Vec<u8> {
    postcard::to_stdvec(state).expect("numbers, lists and names can be written")
}

/// Tells a solver whether to go on.
pub fn interruption(observer: &dyn Observer) -> ControlFlow<()> {
    if observer.interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// An observer that looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Shows nothing of the progress of a part to the observer of the whole, but stops where that one asks to.
#[derive(Clone, Copy)]
pub struct Unseen<'a>(
    /// The observer of the whole.
    pub &'a dyn Observer,
);

impl Observer for Unseen<'_> {
    fn interrupted(&self) -> bool {
        self.0.interrupted()
    }
}

/// Asks what it observes to stop when its time is over.
#[derive(Clone, Copy)]
pub struct Until<'a> {
    whole: &'a dyn Observer,
    started: Instant,
    time: Duration,
    /// What is shown as all of the time.
    shown: Duration,
}

impl<'a> Until<'a> {
    /// Time that begins now.
    pub fn new(whole: &'a dyn Observer, time: Duration) -> Until<'a> {
        Until { whole, started: Instant::now(), time, shown: time }
    }

    /// The same with a time that is over earlier.
    pub fn earlier(self, time: Duration) -> Until<'a> {
        Until { time, ..self }
    }

    /// Whether its time is over earlier than what is shown as all.
    pub fn is_part(&self) -> bool {
        self.time < self.shown
    }

    /// What is observed, whose own time does not end.
    pub fn whole(&self) -> &'a dyn Observer {
        self.whole
    }

    /// Shows the whole the time that is gone as progress.
    pub fn show_time(&self) {
        let milliseconds = |time: Duration| time.as_millis() as usize;
        self.whole.progress(milliseconds(self.started.elapsed().min(self.shown)), milliseconds(self.shown));
    }
}

impl Observer for Until<'_> {
    fn progress(&self, done: usize, total: usize) {
        self.whole.progress(done, total);
    }

    fn interrupted(&self) -> bool {
        self.whole.interrupted() || self.started.elapsed() > self.time
    }

    fn checkpoint(&self) -> Option<&dyn Checkpoint> {
        self.whole.checkpoint()
    }
}

/// Pieces that the progress of a part is counted in.
const PIECES: usize = 1000;

/// A computation in parts: each has an observer of its own, whose progress is a share of that of the whole and whose states
/// have names of their own.
pub struct Parts<'a> {
    whole: &'a dyn Observer,
    weights: Vec<usize>,
    done: Vec<AtomicUsize>,
}

impl<'a> Parts<'a> {
    /// One part for every weight, which says how long it takes against the others.
    pub fn new(whole: &'a dyn Observer, weights: Vec<usize>) -> Parts<'a> {
        let done = weights.iter().map(|_| AtomicUsize::new(0)).collect();
        Parts { whole, weights, done }
    }

    /// The observer of a part.
    pub fn part(&self, index: usize) -> Part<'_> {
        Part { parts: self, index }
    }

    /// The result of a part that an earlier run finished.
    pub fn result<T: DeserializeOwned>(&self, index: usize) -> Option<T> {
        let result = resume(self.whole, &index.to_string())?;
        self.progress(index, 1, 1);
        Some(result)
    }

    /// Finishes a part and keeps its result.
    pub fn finish(&self, index: usize, result: &impl Serialize) {
        self.progress(index, 1, 1);
        store(self.whole, &index.to_string(), result);
    }

    fn progress(&self, index: usize, done: usize, total: usize) {
        self.done[index].store(PIECES * done / total.max(1), Ordering::Relaxed);
        let sum = self.weights.iter().zip(&self.done).map(|(weight, done)| weight * done.load(Ordering::Relaxed)).sum();
        self.whole.progress(sum, PIECES * self.weights.iter().sum::<usize>());
    }
}

/// The observer of one of several [`Parts`].
#[derive(Clone, Copy)]
pub struct Part<'a> {
    parts: &'a Parts<'a>,
    index: usize,
}

impl Part<'_> {
    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.index)
    }
}

impl Observer for Part<'_> {
    fn progress(&self, done: usize, total: usize) {
        self.parts.progress(self.index, done, total);
    }

    fn interrupted(&self) -> bool {
        self.parts.whole.interrupted()
    }

    fn checkpoint(&self) -> Option<&dyn Checkpoint> {
        self.parts.whole.checkpoint().map(|_| self as &dyn Checkpoint)
    }
}

impl Checkpoint for Part<'_> {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        self.parts.whole.checkpoint()?.load(&self.path(name))
    }

    fn due(&self, name: &str) -> bool {
        self.parts.whole.checkpoint().is_some_and(|checkpoint| checkpoint.due(&self.path(name)))
    }

    fn save(&self, name: &str, state: Vec<u8>) {
        if let Some(checkpoint) = self.parts.whole.checkpoint() {
            checkpoint.save(&self.path(name), state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Recorder {
        progress: Mutex<Vec<(usize, usize)>>,
        states: Mutex<Vec<(String, Vec<u8>)>>,
    }

    impl Observer for Recorder {
        fn progress(&self, done: usize, total: usize) {
            self.progress.lock().unwrap().push((done, total));
        }

        fn checkpoint(&self) -> Option<&dyn Checkpoint> {
            Some(self)
        }
    }

    impl Checkpoint for Recorder {
        fn load(&self, name: &str) -> Option<Vec<u8>> {
            self.states.lock().unwrap().iter().rev().find(|(of, _)| of == name).map(|(_, state)| state.clone())
        }

        fn due(&self, _: &str) -> bool {
            true
        }

        fn save(&self, name: &str, state: Vec<u8>) {
            self.states.lock().unwrap().push((name.to_owned(), state));
        }
    }

    #[test]
    fn progress_and_names_of_parts_are_those_of_the_whole() {
        let recorder = Recorder::default();
        let whole = Parts::new(&recorder, vec![3, 1]);
        let first = whole.part(0);
        let inner = Parts::new(&first, vec![1, 1]);
        inner.part(1).progress(1, 2);
        whole.part(1).progress(1, 4);
        inner.finish(0, &1.5);
        assert_eq!(*recorder.progress.lock().unwrap(), [(750, 4000), (1000, 4000), (2500, 4000)]);
        keep(&inner.part(1), "walk", &vec![2_u8, 3]);
        assert_eq!(resume(&recorder, "0/0"), Some(1.5));
        assert_eq!(resume(&recorder, "0/1/walk"), Some(vec![2_u8, 3]));
        assert_eq!(inner.result::<f64>(0), Some(1.5));
        assert_eq!(inner.result::<f64>(1), None);
        assert!(Silent.checkpoint().is_none());
        assert!(Parts::new(&Silent, vec![1]).part(0).checkpoint().is_none());
    }
}
