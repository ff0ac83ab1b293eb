//! Alarms of drift: cumulative sums of residuals (Page 1954).
//!
//! Three sums grow while residuals are above what the factory saw, below it, or larger in magnitude. A sum above its
//! threshold is an alarm. Without drift, normal residuals cause one in more than 100,000 references; residuals that are
//! shifted by one usual error cause one after about 20.

/// What a sum loses at every reference, in usual errors: half of the shift that is to be found.
const ALLOWANCE: f32 = 0.5;

/// The mean magnitude of residuals of a standard normal distribution.
const MEAN_MAGNITUDE: f32 = 0.8;

/// The sum of an alarm.
const THRESHOLD: f32 = 12.0;

/// The largest magnitude of a residual: a single one is no drift.
const LARGEST: f32 = 3.0;

/// Cumulative sums of the residuals of the factory's model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    sums: [f32; 3],
    rows: u32,
    outside: u32,
}

impl Drift {
    /// Starts without alarms.
    pub const fn new() -> Drift {
        Drift { sums: [0.0; 3], rows: 0, outside: 0 }
    }

    /// Takes the finite residual of a reference, in usual errors of the model.
    pub fn learn(&mut self, residual: f32) {
        let residual = residual.clamp(-LARGEST, LARGEST);
        let steps = [residual, -residual, residual.abs() - MEAN_MAGNITUDE];
        for (sum, step) in self.sums.iter_mut().zip(steps) {
            *sum = (*sum + step - ALLOWANCE).clamp(0.0, 2.0 * THRESHOLD);
        }
    }

    /// Counts a row of which so many readings lie outside of the range of the fitted rows.
    pub fn count(&mut self, readings_outside: usize) {
        self.rows = self.rows.saturating_add(1);
        self.outside = self.outside.saturating_add(u32::from(readings_outside > 0));
    }

    /// Returns the counted rows, and how many of them have readings outside of the range of the fitted rows.
    pub const fn outside(&self) -> (u32, u32) {
        (self.outside, self.rows)
    }

    /// Returns the sums.
    pub(super) const fn floats(&self) -> [f32; 3] {
        self.sums
    }

    /// Returns the places of the sums.
    pub(super) fn floats_mut(&mut self) -> [&mut f32; 3] {
        self.sums.each_mut()
    }

    /// Continues with the counts that [`outside`](Self::outside) returned.
    pub(super) const fn set_counts(&mut self, outside: u32, rows: u32) {
        self.outside = outside;
        self.rows = rows;
    }

    /// Returns whether residuals are shifted, or larger than those of the factory.
    pub fn is_alarmed(&self) -> bool {
        self.sums.iter().any(|&sum| sum > THRESHOLD)
    }

    /// Begins anew, as after a service of the sensor.
    pub fn clear(&mut self) {
        *self = Drift::new();
    }
}
