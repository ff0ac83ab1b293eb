//! The weight of a correction.

/// The weight of earlier references: about the latest 50 count.
const JUDGED: f32 = 0.98;

/// The weight of a correction, from 0 to 1, by its success at the latest references, each before it was learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share {
    /// The sum of products of the correction with the error that it corrects.
    gain: f32,
    /// The sum of squares of the correction.
    power: f32,
    /// The sum of squares of what the whole correction leaves of the error, and the number of its terms.
    left: f32,
    references: f32,
    /// The weight, which is stored because predictions should not divide.
    value: f32,
}

impl Share {
    /// No weight. One reference that leaves a usual error keeps the mean square of the rest defined.
    pub(super) const NONE: Share = Share { gain: 0.0, power: 0.0, left: 1.0, references: 1.0, value: 0.0 };

    pub(super) const fn value(&self) -> f32 {
        self.value
    }

    /// Returns the state, in the order of a saved one.
    pub(super) const fn floats(&self) -> [f32; 5] {
        [self.gain, self.power, self.left, self.references, self.value]
    }

    /// Returns the places of the state, in the same order.
    pub(super) fn floats_mut(&mut self) -> [&mut f32; 5] {
        [&mut self.gain, &mut self.power, &mut self.left, &mut self.references, &mut self.value]
    }

    /// Learns from an error without the correction, and from the correction. The weight is the one that would have left
    /// the least squared error (stacking; Wolpert 1992), shrunk towards 0 by `caution` mean squares of what is left.
    pub(super) fn learn(&mut self, error: f32, correction: f32, caution: f32) {
        let left = error - correction;
        self.gain = JUDGED * self.gain + error * correction;
        self.power = JUDGED * self.power + correction * correction;
        self.left = JUDGED * self.left + left * left;
        self.references = JUDGED * self.references + 1.0;
        let value = self.gain / (self.power + caution * self.left / self.references);
        // A weight that is not a number counts as 0.
        self.value = if value > 0.0 { value.min(1.0) } else { 0.0 };
    }
}
