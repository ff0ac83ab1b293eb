//! The samples that the inputs of a model come from.

use super::{Lags, Windows};

/// What the inputs of a model are of the samples of its sensors. A sample is one reading of every channel.
#[derive(Clone, Copy, Debug)]
pub enum Samples<'a> {
    /// Readings of some samples, and their differences. Where the model looks at one sample, the inputs are its
    /// readings.
    Lags(Lags<'a>),
    /// Statistics of windows of samples.
    Windows(Windows<'a>),
}

impl<'a> Samples<'a> {
    /// Returns whether the inputs are the readings of one sample, in their order.
    pub const fn is_empty(&self) -> bool {
        match self {
            Samples::Lags(lags) => lags.is_empty(),
            Samples::Windows(_) => false,
        }
    }

    /// Returns the lags; none of a model with windows.
    pub const fn lags(&self) -> Option<Lags<'a>> {
        match self {
            Samples::Lags(lags) => Some(*lags),
            Samples::Windows(_) => None,
        }
    }

    /// Returns the windows; none of a model without windows.
    pub const fn windows(&self) -> Option<Windows<'a>> {
        match self {
            Samples::Lags(_) => None,
            Samples::Windows(windows) => Some(*windows),
        }
    }

    /// Returns the number of readings of a sample.
    pub const fn channels(&self) -> usize {
        match self {
            Samples::Lags(lags) => lags.channels(),
            Samples::Windows(windows) => windows.channels(),
        }
    }

    /// Returns the number of readings that are kept.
    pub const fn slots(&self) -> usize {
        match self {
            Samples::Lags(lags) => lags.slots(),
            Samples::Windows(windows) => windows.slots(),
        }
    }

    /// Returns the number of samples that the first prediction takes.
    pub fn depth(&self) -> u16 {
        match self {
            Samples::Lags(lags) => lags.depth().into(),
            Samples::Windows(windows) => windows.samples(),
        }
    }

    /// Returns the number of samples that every further prediction takes.
    pub const fn step(&self) -> u16 {
        match self {
            Samples::Lags(_) => 1,
            Samples::Windows(windows) => windows.step(),
        }
    }

    /// Returns the number of predictions from so many samples in a row.
    pub fn predictions(&self, samples: usize) -> usize {
        let after_the_first = samples.checked_sub(self.depth().into());
        after_the_first.map_or(0, |more| 1 + more / usize::from(self.step()))
    }
}
