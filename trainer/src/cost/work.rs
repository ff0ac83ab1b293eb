//! Limits of the work of a prediction.

use std::fmt;

use crate::cost::Core;
use crate::message::Setting;
use crate::message::setting::{INSTRUCTIONS, LATENCY};

/// A limit of the work of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// The limit.
    pub at_most: u32,
    /// What is counted.
    pub unit: Unit,
    /// The core that executes the prediction.
    pub core: Core,
}

/// A unit of the work of a prediction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Executed instructions.
    #[default]
    Instructions,
    /// Clock cycles at zero wait states, which are known of generated C on some cores.
    Cycles,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Unit {
    /// Returns the name, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Instructions => "instructions",
            Unit::Cycles => "cycles",
        }
    }

    /// Returns the setting that limits the unit.
    pub(crate) fn setting(self) -> Setting {
        match self {
            Unit::Instructions => INSTRUCTIONS,
            Unit::Cycles => LATENCY,
        }
    }
}
