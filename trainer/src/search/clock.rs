//! The time and the work of a search.

use std::cell::Cell;
use std::time::Duration;

use crate::run::{Instant, Run};

/// How far a stage of a search goes.
#[derive(Clone, Copy)]
pub(crate) struct Clock<'a> {
    whole: Run<'a>,
    started: Instant,
    /// The time of the search.
    time: Duration,
    /// The elapsed time of the search at which the stage ends.
    ends: Duration,
    /// Whether other stages follow.
    followed: bool,
    /// The work of the whole search so far, and that before the stage.
    work: &'a Cell<f64>,
    before: f64,
    /// The work of a stage, where it has a limit.
    most: Option<f64>,
    /// The time of the whole search, or its work, for progress.
    total: f64,
}

impl<'a> Clock<'a> {
    /// A search that starts now, ends after `time`, and counts its work.
    pub fn new(whole: &Run<'a>, time: Duration, work: &'a Cell<f64>) -> Clock<'a> {
        let (before, total) = (work.get(), time.as_secs_f64());
        let (whole, started, followed, most) = (*whole, Instant::now(), false, None);
        Clock { whole, started, time, ends: time, followed, work, before, most, total }
    }

    /// The same search in which each of `stages` stages has a limit of its work, where there is one.
    pub fn with_effort(self, effort: Option<f64>, stages: usize) -> Clock<'a> {
        match effort {
            Some(most) => Clock { most: effort, total: most * stages as f64, ..self },
            None => self,
        }
    }

    /// The same stage with another limit of its work.
    pub fn limited_to(self, most: Option<f64>) -> Clock<'a> {
        Clock { most, ..self }
    }

    /// Adds work.
    pub fn charge(&self, units: f64) {
        self.work.set(self.work.get() + units);
    }

    /// Returns the work of the stage so far.
    pub fn done(&self) -> f64 {
        self.work.get() - self.before
    }

    /// Returns whether the work of the stage is done.
    pub fn is_spent(&self) -> bool {
        self.would_be_spent(self.done())
    }

    /// Returns whether so much work ends the stage.
    pub fn would_be_spent(&self, done: f64) -> bool {
        self.most.is_some_and(|most| done >= most)
    }

    /// The same search at the start of a stage that ends after this time of the search. `followed` says whether other
    /// stages come after it.
    pub fn starting_stage(self, ends: Duration, followed: bool) -> Clock<'a> {
        Clock { ends, followed, before: self.work.get(), ..self }
    }

    /// The same stage after it was left with some of its work done.
    pub fn continuing(self, done: f64) -> Clock<'a> {
        Clock { before: self.work.get() - done, ..self }
    }

    /// A part of the stage, of several that share its time or work and that keep no states. The stage is the first one.
    pub fn part(self, place: usize, parts: usize) -> Clock<'a> {
        let (parts, ends) = (parts as u32, self.ends.saturating_mul(place as u32 + 1));
        let most = self.most.map(|most| most / f64::from(parts));
        Clock { whole: self.whole.quiet(), ends: ends / parts, most, followed: true, before: self.work.get(), ..self }
    }

    /// Returns whether other stages of the search follow.
    pub fn is_followed(&self) -> bool {
        self.followed
    }

    /// Returns the run without a time limit.
    pub fn whole(&self) -> Run<'a> {
        self.whole
    }

    /// Returns the run with the time limit of the stage.
    pub fn limited(&self) -> Run<'a> {
        self.until(self.ends)
    }

    /// Returns the run with the time limit of the search.
    pub fn limited_by_search(&self) -> Run<'a> {
        self.until(self.time)
    }

    /// Returns the run that ends after this time of the search.
    fn until(&self, ends: Duration) -> Run<'a> {
        self.started.checked_add(ends).map_or(self.whole, |end| self.whole.until(end))
    }

    /// Returns the time that is left of the stage.
    pub fn remaining(&self) -> Duration {
        self.ends.saturating_sub(self.started.elapsed())
    }

    /// Reports the elapsed share of the time or of the work as progress.
    pub fn show(&self) {
        let thousandths = |units: f64| (1e3 * units) as usize;
        let done = if self.most.is_some() { self.work.get() } else { self.started.elapsed().as_secs_f64() };
        self.whole.progress(thousandths(done.min(self.total)), thousandths(self.total));
    }
}
