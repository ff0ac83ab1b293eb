//! How progress leaves a fit, and how a fit is asked to stop.

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
