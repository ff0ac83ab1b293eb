//! Progress on standard error for work of more than a second, and signals: Ctrl-C, SIGTERM and SIGHUP.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use srfm_trainer::FitError;
use srfm_trainer::Observer;

use crate::cli::common::Common;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();

/// The time after Ctrl-C in which work can end in order.
const GRACE: Duration = Duration::from_secs(2);

/// The length of a full bar.
const LENGTH: u64 = 10_000;

/// A progress bar with the remaining time that appears after a second.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    quiet: bool,
}

/// Whether a signal asked for the end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

impl Progress {
    /// Creates a bar for work called `what` and handles Ctrl-C from here on. The first Ctrl-C ends the work in order if
    /// that takes no longer than [`GRACE`]; a second Ctrl-C ends the process at once.
    pub fn new(what: &'static str, common: &Common) -> Progress {
        HANDLER.call_once(|| {
            let handler = || {
                if INTERRUPTED.swap(true, Ordering::SeqCst) {
                    std::process::exit(130);
                }
                // A large factorisation notices the interruption only at its end. No file is open before the result.
                thread::spawn(|| {
                    thread::sleep(GRACE);
                    say!("srfm: {}", FitError::Interrupted);
                    std::process::exit(130);
                });
            };
            // Without a handler Ctrl-C ends the process, which leaves no partial file either.
            let _ = ctrlc::set_handler(handler);
        });
        let style = "{prefix} [{bar:30}] {percent} %, {elapsed} gone, {eta} left";
        let style = ProgressStyle::with_template(style).expect("the template is correct").progress_chars("=> ");
        let target = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(LENGTH), target).with_style(style).with_prefix(what);
        Progress { bar, started: Instant::now(), quiet: common.quiet }
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

    fn interrupted(&self) -> bool {
        interrupted()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
