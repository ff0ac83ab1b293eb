//! Signals that ask for the end: Ctrl-C, SIGTERM and SIGHUP.

use std::process::exit;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use srfm_trainer::FitError;

/// The exit code that shells report for Ctrl-C.
pub const EXIT_CODE: u8 = 130;

/// The time after a signal in which work can end in order.
const GRACE: Duration = Duration::from_secs(2);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Whether a thread has begun to report the interruption and to end the process.
static ENDING: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();

/// Handles signals from here on. The first one ends the work in order if that takes no longer than two seconds; a
/// second one ends the process at once.
pub fn handle_signals() {
    // Without a handler a signal ends the process, which leaves no partial file either.
    HANDLER.call_once(|| _ = ctrlc::set_handler(interrupt));
}

/// Returns whether a signal asked for the end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Returns to the one thread that may report the interruption and end the process; other threads wait for that end.
pub fn claim_the_end() {
    while ENDING.swap(true, Ordering::SeqCst) {
        thread::park();
    }
}

fn interrupt() {
    if INTERRUPTED.swap(true, Ordering::SeqCst) {
        exit(EXIT_CODE.into());
    }
    // A large factorisation notices the interruption only at its end. No file is open before the result.
    thread::spawn(|| {
        thread::sleep(GRACE);
        claim_the_end();
        say!("srfm: {}", FitError::Interrupted);
        exit(EXIT_CODE.into());
    });
}
