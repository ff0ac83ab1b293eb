//! Statistics of a window of readings, in single precision and in a fixed order.

use crate::format::{Band, Statistic};
use crate::warp::sqrt;

/// The readings of a channel in a window, from the oldest to the newest, and their mean.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    readings: &'a [f32],
    mean: f32,
}

impl<'a> Window<'a> {
    /// Takes the readings of a window and computes their mean.
    ///
    /// ```
    /// use srfm_runtime::format::Statistic;
    /// use srfm_runtime::history::Window;
    ///
    /// let window = Window::new(&[1.0, 3.0, 1.0, 7.0]);
    /// assert_eq!(window.statistic(Statistic::Mean), 3.0);
    /// assert_eq!(window.statistic(Statistic::Maximum), 7.0);
    /// assert_eq!(window.statistic(Statistic::Crossings), 1.0); // the reading 3 counts as below
    /// ```
    pub fn new(readings: &'a [f32]) -> Self {
        let mut sum = 0.0;
        for reading in readings {
            sum += reading;
        }
        Window { readings, mean: sum / readings.len() as f32 }
    }

    /// Returns a statistic; NaN where a reading is NaN.
    pub fn statistic(&self, statistic: Statistic) -> f32 {
        match statistic {
            Statistic::Unused => 0.0,
            Statistic::Mean => self.mean,
            Statistic::Deviation => self.deviation(),
            Statistic::Minimum => self.extreme(|reading, least| reading < least),
            Statistic::Maximum => self.extreme(|reading, largest| reading > largest),
            Statistic::Crossings => self.crossings(),
            Statistic::Band(band) => self.band(band),
        }
    }

    fn deviation(&self) -> f32 {
        let mut sum = 0.0;
        for reading in self.readings {
            let difference = reading - self.mean;
            sum += difference * difference;
        }
        sqrt(sum / self.readings.len() as f32)
    }

    /// Returns the first of the readings that no other one is `beyond`. NaN stays, since it compares with nothing.
    fn extreme(&self, beyond: impl Fn(f32, f32) -> bool) -> f32 {
        let mut readings = self.readings.iter().copied();
        let mut extreme = readings.next().unwrap_or(f32::NAN);
        for reading in readings {
            if beyond(reading, extreme) || reading.is_nan() {
                extreme = reading;
            }
        }
        extreme
    }

    fn crossings(&self) -> f32 {
        if self.mean.is_nan() {
            return self.mean;
        }
        let mut sides = self.readings.iter().map(|&reading| reading > self.mean);
        let mut before = sides.next();
        let mut count: u16 = 0;
        for side in sides {
            count += u16::from(before != Some(side));
            before = Some(side);
        }
        f32::from(count)
    }

    /// Returns the amplitude of a frequency by the algorithm of G. Goertzel (1958).
    fn band(&self, Band { coefficient, .. }: Band) -> f32 {
        let [mut newer, mut older] = [0.0; 2];
        for reading in self.readings {
            let next = reading - self.mean + coefficient * newer - older;
            older = newer;
            newer = next;
        }
        let power = newer * newer + older * older - coefficient * newer * older;
        // The root of a power that rounding has made negative is zero.
        2.0 / self.readings.len() as f32 * sqrt(power)
    }
}
