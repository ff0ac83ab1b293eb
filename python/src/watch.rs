//! Long computations beside the interpreter: its lock is released, Ctrl-C stops them, progress is told.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use srfm_cli::report::Front;
use srfm_trainer::{Observer, Tried};

/// How often the interpreter looks for Ctrl-C and hears of progress.
const EVERY: Duration = Duration::from_millis(50);

/// What a computation and the interpreter tell each other.
#[derive(Default)]
struct Signals {
    done: AtomicUsize,
    total: AtomicUsize,
    front: Mutex<Front>,
    stop: AtomicBool,
}

impl Observer for Signals {
    fn progress(&self, done: usize, total: usize) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
    }

    fn tried(&self, candidate: &Tried<'_>) {
        self.front.lock().unwrap_or_else(PoisonError::into_inner).add(candidate);
    }

    fn interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Does `work` on a thread of its own. `progress` is called with the finished and all pieces of work, and with a line
/// about the best candidates of a search.
///
/// # Errors
/// `KeyboardInterrupt`, and what `progress` raises; the work has ended by then.
pub fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Observer) -> T + Send,
) -> PyResult<T> {
    let signals = Signals::default();
    thread::scope(|scope| {
        let (sender, receiver) = channel();
        let receiver = Mutex::new(receiver);
        let signals = &signals;
        scope.spawn(move || {
            // The receiver is there until the work has ended.
            let _ = sender.send(work(signals));
        });
        let mut raised = None;
        loop {
            match py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(EVERY)) {
                Ok(result) => return raised.map_or(Ok(result), Err),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(pyo3::exceptions::PyRuntimeError::new_err("the computation ended without a result"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if raised.is_none() {
                let told = py.check_signals().and_then(|()| tell(progress, signals));
                signals.stop.store(told.is_err(), Ordering::Relaxed);
                raised = told.err();
            }
        }
    })
}

/// Tells `progress` how far the work is.
fn tell(progress: Option<&Bound<'_, PyAny>>, signals: &Signals) -> PyResult<()> {
    let total = signals.total.load(Ordering::Relaxed);
    match progress {
        Some(progress) if total > 0 => {
            let front = signals.front.lock().unwrap_or_else(PoisonError::into_inner).to_string();
            progress.call1((signals.done.load(Ordering::Relaxed), total, front)).map(drop)
        }
        _ => Ok(()),
    }
}
