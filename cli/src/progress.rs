//! Progress on standard error for work of more than a second.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use srfm_trainer::{Observer, Tried};

use crate::common::Common;
use crate::interruption;
use crate::report::Front;

/// The length of a full bar.
const LENGTH: u64 = 10_000;

/// The time between two lines of progress where standard error is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// A progress bar with the remaining time that appears after a second, and below it the least errors of a search so
/// far. Where standard error is no terminal, a line every ten seconds takes its place.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    quiet: bool,
    front: Arc<Mutex<Front>>,
    /// Prints the lines.
    _lines: Option<Regular>,
}

/// Work that is done at regular times until this is dropped.
struct Regular {
    /// Closed by the drop, which ends the thread.
    _open: Mutex<Sender<()>>,
}

impl Regular {
    /// Calls `work` after every `interval`.
    fn new(interval: Duration, work: impl Fn() + Send + 'static) -> Regular {
        let (open, closed) = mpsc::channel::<()>();
        thread::spawn(move || {
            while closed.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                work();
            }
        });
        Regular { _open: Mutex::new(open) }
    }
}

impl Progress {
    /// Creates a bar for work called `what` and handles Ctrl-C from here on. The first Ctrl-C ends the work in order if
    /// that takes no longer than two seconds; a second Ctrl-C ends the process at once.
    pub fn new(what: &'static str, common: &Common) -> Progress {
        Progress::with_words(what, ("", "left"), common)
    }

    /// The same for work that may end before its limit, which the shares are of.
    pub fn within_limit(what: &'static str, common: &Common) -> Progress {
        Progress::with_words(what, (" of the limit", "to the limit"), common)
    }

    /// `of` is said behind the share, `left` behind the remaining time.
    fn with_words(what: &'static str, (of, left): (&'static str, &'static str), common: &Common) -> Progress {
        interruption::handle_signals();
        let style = format!("{{prefix}} [{{bar:20}}] {{percent}} %{of}, {{elapsed}} gone, {{eta}} {left}{{msg}}");
        let style = ProgressStyle::with_template(&style).expect("the template is correct").progress_chars("=> ");
        let target = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(LENGTH), target).with_style(style).with_prefix(what);
        let (started, quiet) = (Instant::now(), common.quiet);
        let front = Arc::<Mutex<Front>>::default();
        let (share, best) = (bar.clone(), Arc::clone(&front));
        let line = move || {
            let percent = 100 * share.position() / LENGTH;
            let best = best.lock().unwrap_or_else(PoisonError::into_inner).to_string();
            let best = if best.is_empty() { best } else { format!("; {best}") };
            say!("srfm: {what}: {percent} %{of} after {} s{best}", started.elapsed().as_secs());
        };
        let lines = (!quiet && !stderr().is_terminal()).then(|| Regular::new(BETWEEN_LINES, line));
        Progress { bar, started, quiet, front, _lines: lines }
    }
}

impl Observer for Progress {
    fn progress(&self, done: usize, total: usize) {
        // Parts of the work may count in other units; the bar never goes back.
        let share = (LENGTH as f64 * done as f64 / total.max(1) as f64) as u64;
        self.bar.update(|state| state.set_pos(state.pos().max(share)));
        let late = self.started.elapsed() > Duration::from_secs(1);
        if late && !self.quiet && self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    fn tried(&self, candidate: &Tried<'_>) {
        let mut front = self.front.lock().unwrap_or_else(PoisonError::into_inner);
        front.add(candidate);
        let line = front.to_string();
        if !line.is_empty() {
            self.bar.set_message(format!("\n  {line}"));
        }
    }

    fn interrupted(&self) -> bool {
        interruption::interrupted()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn regular_work_ends_with_its_owner() {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = || count.load(Ordering::SeqCst);
        let of_thread = Arc::clone(&count);
        let work = Regular::new(Duration::from_millis(5), move || {
            of_thread.fetch_add(1, Ordering::SeqCst);
        });
        let began = Instant::now();
        while counted() < 3 {
            assert!(began.elapsed() < Duration::from_secs(60), "work was done {} times", counted());
            thread::sleep(Duration::from_millis(1));
        }
        assert!(began.elapsed() >= Duration::from_millis(10));
        drop(work);
        // The thread drops its share of the count when it ends.
        while Arc::strong_count(&count) > 1 {
            assert!(began.elapsed() < Duration::from_secs(60), "the thread goes on");
            thread::sleep(Duration::from_millis(1));
        }
    }
}
