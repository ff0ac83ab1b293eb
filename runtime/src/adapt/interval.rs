//! The interval around a prediction, as wide as the latest references ask for.
//!
//! The half-width is a running mean of the magnitude of errors times a factor. The factor grows where a reference lies
//! outside of the interval and shrinks where it lies inside, so that in the long run the share outside is that of the
//! level (adaptive conformal inference; Gibbs and Candès 2021).

/// References that the running mean goes back.
const MEMORY: f32 = 10.0;

/// The step of the factor.
const STEP: f32 = 0.1;

/// The half-width of an interval of 90 % over the mean magnitude of normal errors.
const OF_MEAN: f32 = 2.06;

/// The least and the largest factor.
const FACTORS: [f32; 2] = [0.5, 20.0];

/// The largest error that the running mean takes, as a multiple of it.
const LARGEST: f32 = 4.0;

/// The largest running mean, whose multiples are numbers.
const LARGEST_MEAN: f32 = f32::MAX / 100.0;

/// An interval that follows the errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    mean: f32,
    factor: f32,
    level: f32,
}

impl Interval {
    /// Starts with a half-width above 0 and the level of the interval, such as 0.9.
    pub const fn new(half_width: f32, level: f32) -> Interval {
        Interval { mean: half_width / OF_MEAN, factor: OF_MEAN, level }
    }

    /// Returns the mean magnitude of the latest errors, and the factor of it that the half-width is.
    pub const fn floats(&self) -> [f32; 2] {
        [self.mean, self.factor]
    }

    /// Returns the places of the same numbers.
    pub(super) fn floats_mut(&mut self) -> [&mut f32; 2] {
        [&mut self.mean, &mut self.factor]
    }

    /// Returns the level of the interval, such as 0.9.
    pub const fn level(&self) -> f32 {
        self.level
    }

    /// Returns half the width of the interval, in units of the output.
    pub fn half_width(&self) -> f32 {
        self.factor * self.mean
    }

    /// Takes the finite error of a prediction at a reference.
    pub fn learn(&mut self, error: f32) {
        let error = error.abs();
        let outside = if error > self.half_width() { 1.0 } else { 0.0 };
        let factor = self.factor * (1.0 + STEP * (outside - (1.0 - self.level)));
        self.factor = factor.clamp(FACTORS[0], FACTORS[1]);
        self.mean += (error.min(LARGEST * self.mean) - self.mean) / MEMORY;
        // A model without errors keeps an interval from which it can grow.
        self.mean = self.mean.clamp(f32::MIN_POSITIVE, LARGEST_MEAN);
    }
}
