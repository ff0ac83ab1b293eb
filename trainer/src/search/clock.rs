//! The time of a search.

use std::time::{Duration, Instant};

use crate::run::Run;

/// The time limit of a search, or of its first stages.
#[derive(Clone, Copy)]
pub(crate) struct Clock<'a> {
    whole: Run<'a>,
    started: Instant,
    time: Duration,
    /// The time of the whole search, for progress.
    total: Duration,
    /// The end of the last stage. Candidates are compared on more rows afterwards.
    last: Duration,
}

impl<'a> Clock<'a> {
    /// A search that starts now.
    pub fn new(whole: &Run<'a>, time: Duration) -> Clock<'a> {
        Clock { whole: *whole, started: Instant::now(), time, total: time, last: time }
    }

    /// The same search with an earlier end of its last stage.
    pub fn with_last_stage(self, last: Duration) -> Clock<'a> {
        Clock { last, ..self }
    }

    /// The same search with an earlier end.
    pub fn ending_after(self, time: Duration) -> Clock<'a> {
        Clock { time, ..self }
    }

    /// Returns whether other stages of the search follow.
    pub fn is_followed(&self) -> bool {
        self.time < self.last
    }

    /// Returns the run without the time limit of the search.
    pub fn whole(&self) -> Run<'a> {
        self.whole
    }

    /// Returns the run with the time limit of the stage.
    pub fn limited(&self) -> Run<'a> {
        self.started.checked_add(self.time).map_or(self.whole, |end| self.whole.until(end))
    }

    /// Reports the elapsed share of the time as progress.
    pub fn show(&self) {
        let milliseconds = |time: Duration| time.as_millis() as usize;
        self.whole.progress(milliseconds(self.started.elapsed().min(self.total)), milliseconds(self.total));
    }
}
