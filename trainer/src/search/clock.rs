//! The time of a search, or its work.

use std::cell::Cell;
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
    /// The work so far, in seconds, and the limit of the elapsed time. None where the elapsed time counts alone.
    work: Option<(&'a Cell<f64>, Duration)>,
}

impl<'a> Clock<'a> {
    /// A search that starts now.
    pub fn new(whole: &Run<'a>, time: Duration) -> Clock<'a> {
        Clock { whole: *whole, started: Instant::now(), time, total: time, last: time, work: None }
    }

    /// The same search with its work in place of time, and a limit of the elapsed time beside it.
    pub fn counting(self, work: &'a Cell<f64>, cap: Duration) -> Clock<'a> {
        Clock { work: Some((work, cap)), ..self }
    }

    /// Adds work.
    pub fn charge(&self, units: f64) {
        if let Some((work, _)) = self.work {
            work.set(work.get() + units);
        }
    }

    /// Returns whether the work of the stage is done.
    pub fn is_spent(&self) -> bool {
        self.work.is_some_and(|(work, _)| work.get() >= self.time.as_secs_f64())
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
        let time = self.work.map_or(self.time, |(_, cap)| cap);
        self.started.checked_add(time).map_or(self.whole, |end| self.whole.until(end))
    }

    /// Reports the elapsed share of the time or of the work as progress.
    pub fn show(&self) {
        let milliseconds = |time: Duration| time.as_millis() as usize;
        let done = match self.work {
            Some((work, _)) => Duration::try_from_secs_f64(work.get()).unwrap_or(self.total),
            None => self.started.elapsed(),
        };
        self.whole.progress(milliseconds(done.min(self.total)), milliseconds(self.total));
    }
}
