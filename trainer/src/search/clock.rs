//! The time and the work of a search.

use std::cell::Cell;
use std::time::Duration;

use crate::run::{Instant, Run};

/// How far a part of a search goes.
#[derive(Clone, Copy)]
pub(crate) struct Clock<'a> {
    whole: Run<'a>,
    started: Instant,
    /// The time of the search, and its work where that has a limit.
    time: Duration,
    effort: Option<f64>,
    /// The share of both after which the part ends.
    share: f64,
    /// The work of the whole search so far.
    work: &'a Cell<f64>,
}

impl<'a> Clock<'a> {
    /// A search that starts now, ends after `time` or the work of `effort`, and counts its work.
    pub fn new(whole: &Run<'a>, time: Duration, effort: Option<f64>, work: &'a Cell<f64>) -> Clock<'a> {
        Clock { whole: *whole, started: Instant::now(), time, effort, share: 1.0, work }
    }

    /// The part of the search that ends after a share of its time or of its work.
    pub fn until(self, share: f64) -> Clock<'a> {
        Clock { share, ..self }
    }

    /// Returns the work of the search so far.
    pub fn done(&self) -> f64 {
        self.work.get()
    }

    /// Adds work.
    pub fn charge(&self, units: f64) {
        self.work.set(self.work.get() + units);
    }

    /// Returns whether the work of the part is done.
    pub fn is_spent(&self) -> bool {
        self.would_be_spent(0.0)
    }

    /// Returns whether so much more work ends the part.
    pub fn would_be_spent(&self, units: f64) -> bool {
        self.effort.is_some_and(|most| self.work.get() + units >= self.share * most)
    }

    /// Returns the run without a time limit.
    pub fn whole(&self) -> Run<'a> {
        self.whole
    }

    /// Returns the run with the time limit of the part, which also ends once the observer has enough.
    pub fn limited(&self) -> Run<'a> {
        let run = self.whole.limited();
        self.started.checked_add(self.end()).map_or(run, |end| run.until(end))
    }

    /// Returns the time that is left of the part.
    pub fn remaining(&self) -> Duration {
        self.end().saturating_sub(self.started.elapsed())
    }

    /// The time of the search at which the part ends.
    fn end(&self) -> Duration {
        Duration::try_from_secs_f64(self.share * self.time.as_secs_f64()).unwrap_or(Duration::MAX)
    }

    /// Reports the elapsed share of the time or of the work as progress.
    pub fn show(&self) {
        let done = match self.effort {
            Some(most) => self.work.get() / most,
            None => self.started.elapsed().as_secs_f64() / self.time.as_secs_f64(),
        };
        self.whole.progress((1e3 * done.clamp(0.0, 1.0)) as usize, 1000);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_after_their_shares() {
        let (run, work) = (Run::new(1), Cell::new(0.0));
        let clock = Clock::new(&run, Duration::from_secs(1000), Some(10.0), &work);
        let half = clock.until(0.5);
        half.charge(4.0);
        assert!(!half.is_spent() && half.would_be_spent(1.0) && !half.would_be_spent(0.9));
        half.charge(1.0);
        assert!(half.is_spent() && !clock.is_spent());
        assert!(half.remaining() <= Duration::from_secs(500) && clock.remaining() > Duration::from_secs(990));
        let endless = Clock::new(&run, Duration::MAX, None, &work);
        assert!(!endless.would_be_spent(f64::MAX) && !endless.limited().interrupted());
    }
}
