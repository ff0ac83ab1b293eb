//! Intervals of clock cycles.

use std::ops::{Add, AddAssign};

use serde::Serialize;

/// An interval of clock cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cycles {
    /// The least cycles.
    pub least: u32,
    /// The most cycles.
    pub most: u32,
}

pub(super) const ONE: Cycles = Cycles::exactly(1);

impl Cycles {
    /// Returns a number of cycles that is known exactly.
    pub(crate) const fn exactly(cycles: u32) -> Cycles {
        Cycles { least: cycles, most: cycles }
    }

    pub(super) const fn between(least: u32, most: u32) -> Cycles {
        Cycles { least, most }
    }
}

impl Add for Cycles {
    type Output = Cycles;

    fn add(self, other: Cycles) -> Cycles {
        Cycles { least: self.least.saturating_add(other.least), most: self.most.saturating_add(other.most) }
    }
}

impl AddAssign for Cycles {
    fn add_assign(&mut self, other: Cycles) {
        *self = *self + other;
    }
}
