//! How long fits to many rows take, so that a search ends in time with its last fit.

use std::cell::Cell;
use std::time::Duration;

/// The time of fits so far.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    seconds: Cell<f64>,
    units: Cell<f64>,
    /// The least time of one fit, which the rows take more than the method.
    shortest: Cell<Option<f64>>,
}

impl Pace {
    /// Counts some fits that took `units` of work together.
    pub fn count(&self, time: Duration, units: f64, fits: usize) {
        let seconds = time.as_secs_f64();
        if units > 0.0 && fits > 0 {
            self.seconds.set(self.seconds.get() + seconds);
            self.units.set(self.units.get() + units);
            let one = seconds / fits as f64;
            self.shortest.set(Some(self.shortest.get().map_or(one, |known| known.min(one))));
        }
    }

    /// Returns the time of work of `units`, and of one pass through `share` times the rows of a fit; none before
    /// anything was counted.
    pub fn time(&self, units: f64, share: f64) -> Option<Duration> {
        let of_rows = share * self.shortest.get()?;
        Duration::try_from_secs_f64(units * self.seconds.get() / self.units.get() + of_rows).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_that_of_work_and_rows() {
        let pace = Pace::default();
        assert_eq!(pace.time(1.0, 10.0), None);
        pace.count(Duration::from_secs(2), 1.0, 4);
        pace.count(Duration::from_secs(6), 3.0, 4);
        pace.count(Duration::from_secs(9), 0.0, 0);
        // Two seconds a unit, and half a second for the rows of a fit.
        assert_eq!(pace.time(1.5, 10.0), Some(Duration::from_secs(8)));
    }
}
