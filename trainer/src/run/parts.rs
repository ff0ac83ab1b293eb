//! Computations in parts that share one run.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::run::{Checkpoint, Observer, Run, Tried};

/// The number of pieces of work in a part of weight 1.
const PIECES: usize = 1000;

/// A computation in parts.
///
/// The progress of a part counts towards the progress of the whole. The names of its states begin with its number.
pub(crate) struct Parts<'a> {
    whole: Run<'a>,
    parts: Vec<Part<'a>>,
}

/// One part of a computation.
struct Part<'a> {
    shared: std::sync::Arc<Shared<'a>>,
    index: usize,
}

/// The state that all parts share.
struct Shared<'a> {
    whole: Run<'a>,
    weights: Vec<usize>,
    done: Vec<AtomicUsize>,
}

impl<'a> Parts<'a> {
    /// Creates one part per weight; a weight is the relative time of the part.
    pub fn new(whole: &Run<'a>, weights: Vec<usize>) -> Parts<'a> {
        let done = weights.iter().map(|_| AtomicUsize::new(0)).collect();
        let shared = std::sync::Arc::new(Shared { whole: *whole, weights, done });
        let part = |index| Part { shared: shared.clone(), index };
        Parts { whole: *whole, parts: (0..shared.weights.len()).map(part).collect() }
    }

    /// Returns the run of a part.
    pub fn part(&self, index: usize) -> Run<'_> {
        self.whole.for_part(&self.parts[index])
    }

    /// Returns the result of a part that an earlier run finished.
    pub fn result<T: DeserializeOwned>(&self, index: usize) -> Option<T> {
        let result = self.whole.resume(&index.to_string())?;
        self.parts[index].progress(1, 1);
        Some(result)
    }

    /// Finishes a part and saves its result.
    pub fn finish(&self, index: usize, result: &impl Serialize) {
        self.parts[index].progress(1, 1);
        self.whole.store(&index.to_string(), result);
    }
}

impl Part<'_> {
    /// Returns the name of a state of this part among the states of the whole.
    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.index)
    }

    fn checkpoint(&self) -> Option<&dyn Checkpoint> {
        self.shared.whole.checkpoint()
    }
}

impl Observer for Part<'_> {
    fn progress(&self, done: usize, total: usize) {
        let Shared { whole, weights, done: all } = &*self.shared;
        all[self.index].store(PIECES * done / total.max(1), Ordering::Relaxed);
        let sum = weights.iter().zip(all).map(|(weight, done)| weight * done.load(Ordering::Relaxed)).sum();
        whole.progress(sum, PIECES * weights.iter().sum::<usize>());
    }

    fn tried(&self, candidate: &Tried<'_>) {
        self.shared.whole.tell(candidate);
    }

    fn interrupted(&self) -> bool {
        self.shared.whole.interrupted()
    }

    fn has_enough(&self) -> bool {
        self.shared.whole.has_enough()
    }
}

impl Checkpoint for Part<'_> {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        self.checkpoint()?.load(&self.path(name))
    }

    fn due(&self, name: &str) -> bool {
        self.checkpoint().is_some_and(|checkpoint| checkpoint.due(&self.path(name)))
    }

    fn save(&self, name: &str, state: Vec<u8>) {
        if let Some(checkpoint) = self.checkpoint() {
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
        tried: Mutex<Vec<usize>>,
        states: Mutex<Vec<(String, Vec<u8>)>>,
    }

    impl Observer for Recorder {
        fn progress(&self, done: usize, total: usize) {
            self.progress.lock().unwrap().push((done, total));
        }

        fn tried(&self, candidate: &Tried<'_>) {
            self.tried.lock().unwrap().push(candidate.flash_bytes);
        }

        fn has_enough(&self) -> bool {
            !self.tried.lock().unwrap().is_empty()
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
    fn parts_report_and_save_to_the_whole() {
        let recorder = Recorder::default();
        let run = Run::new(1).with_observer(&recorder).with_checkpoint(&recorder);
        let whole = Parts::new(&run, vec![3, 1]);
        let first = whole.part(0);
        let inner = Parts::new(&first, vec![1, 1]);
        inner.part(1).progress(1, 2);
        whole.part(1).progress(1, 4);
        inner.finish(0, &1.5);
        assert!(!first.limited().interrupted());
        let candidate = Tried { method: "linear", flash_bytes: 64, error: 1.0, is_allowed: true };
        inner.part(0).tell(&candidate);
        first.quiet().tell(&candidate);
        assert_eq!(*recorder.tried.lock().unwrap(), [64]);
        assert!(inner.part(0).limited().interrupted() && !first.interrupted());
        assert_eq!(*recorder.progress.lock().unwrap(), [(750, 4000), (1000, 4000), (2500, 4000)]);
        inner.part(1).keep("walk", &vec![2_u8, 3]);
        assert_eq!(run.resume("0/0"), Some(1.5));
        assert_eq!(run.resume("0/1/walk"), Some(vec![2_u8, 3]));
        assert_eq!(inner.result::<f64>(0), Some(1.5));
        assert_eq!(inner.result::<f64>(1), None);
        first.quiet().progress(1, 1);
        first.quiet().store("quiet", &1);
        assert_eq!((recorder.progress.lock().unwrap().len(), recorder.states.lock().unwrap().len()), (4, 2));
        assert_eq!(Parts::new(&Run::new(1), vec![1]).part(0).resume::<f64>("0"), None);
    }
}
