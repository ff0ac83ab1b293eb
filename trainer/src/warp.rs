//! Monotone maps of single inputs, applied before scaling.
//!
//! Readings that span several powers of ten, such as frequencies or concentrations, often act by their ratio. With a
//! warp, features and linear terms work on the logarithm and need not approximate it.

use serde::{Deserialize, Serialize};
use srfm_runtime::format;

use crate::data::Dataset;
use crate::message::message_by_display;

/// The smallest reading in the domain of the logarithm: the smallest normal number of `f32`.
const LEAST: f64 = f32::MIN_POSITIVE as f64;

/// A monotone map of an input. Inputs are warped first, then centred and scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Warp {
    /// The reading itself.
    #[default]
    Identity,
    /// The logarithm to base 2, of readings above 0.
    Log,
    /// The square root, of readings from 0.
    Sqrt,
}

impl Warp {
    /// All warps.
    pub(crate) const ALL: [Warp; 3] = [Warp::Identity, Warp::Log, Warp::Sqrt];

    /// Returns the name of the warp.
    pub fn name(self) -> &'static str {
        match self {
            Warp::Identity => "identity",
            Warp::Log => "log",
            Warp::Sqrt => "sqrt",
        }
    }

    /// Returns the warp of that name.
    pub fn named(name: &str) -> Option<Warp> {
        Warp::ALL.into_iter().find(|warp| warp.name() == name)
    }

    /// Returns the warped reading.
    ///
    /// A reading below the domain counts as the smallest reading of the domain: 2⁻¹²⁶, the smallest normal number of
    /// the device, for the logarithm, and 0 for the square root. So every reading has a value, the map stays monotone,
    /// and the device does the same without parameters.
    pub(crate) fn apply(self, reading: f64) -> f64 {
        match self {
            Warp::Identity => reading,
            Warp::Log => libm::log2(reading.max(LEAST)),
            Warp::Sqrt => libm::sqrt(reading.max(0.0)),
        }
    }

    /// Returns whether the reading is in the domain.
    pub(crate) fn takes(self, reading: f64) -> bool {
        match self {
            Warp::Identity => true,
            Warp::Log => reading >= LEAST,
            Warp::Sqrt => reading >= 0.0,
        }
    }

    /// Returns the warps whose domain holds every reading of a column.
    pub(crate) fn possible(column: &[f64]) -> Vec<Warp> {
        Warp::ALL.into_iter().filter(|warp| column.iter().all(|&reading| warp.takes(reading))).collect()
    }

    /// Returns whether the warp differs from the identity.
    pub(crate) fn bends(self) -> bool {
        self != Warp::Identity
    }

    /// Describes the readings in the domain.
    fn domain(self) -> &'static str {
        match self {
            Warp::Identity => "of any size",
            Warp::Log => "above 0",
            Warp::Sqrt => "at least 0",
        }
    }
}

impl From<Warp> for format::Warp {
    fn from(warp: Warp) -> Self {
        match warp {
            Warp::Identity => format::Warp::Identity,
            Warp::Log => format::Warp::Log,
            Warp::Sqrt => format::Warp::Sqrt,
        }
    }
}

impl From<format::Warp> for Warp {
    fn from(warp: format::Warp) -> Self {
        match warp {
            format::Warp::Identity => Warp::Identity,
            format::Warp::Log => Warp::Log,
            format::Warp::Sqrt => Warp::Sqrt,
        }
    }
}

/// A mismatch of warps and inputs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WarpError {
    /// Not as many warps as inputs.
    #[error("there are {warps} warps for {inputs} inputs; give one for each input, or none")]
    Count {
        /// Warps there are.
        warps: usize,
        /// Inputs of the data.
        inputs: usize,
    },
    /// A reading is outside of the domain of the warp of its input.
    #[error(
        "the warp {warp} of the input {name:?} takes readings {domain}, but a row has {reading}; choose another warp \
         for it"
    )]
    Domain {
        /// Name of the input.
        name: String,
        /// Name of the warp.
        warp: &'static str,
        /// What readings must be.
        domain: &'static str,
        /// The first reading that is not.
        reading: f64,
    },
}

message_by_display!(WarpError);

/// Checks that there is a warp for every input, or none at all, and that the rows are in their domains.
///
/// # Errors
/// [`WarpError`].
pub(crate) fn check(data: &Dataset, warps: &[Warp]) -> Result<(), WarpError> {
    if !warps.is_empty() && warps.len() != data.inputs() {
        return Err(WarpError::Count { warps: warps.len(), inputs: data.inputs() });
    }
    for ((&warp, name), column) in warps.iter().zip(&data.input_names).zip(data.x.column_iter()) {
        if let Some(&reading) = column.iter().find(|&&reading| !warp.takes(reading)) {
            return Err(WarpError::Domain { name: name.clone(), warp: warp.name(), domain: warp.domain(), reading });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warps_are_monotone_and_defined_below_their_domain() {
        let readings = [-1e30, -1.0, -0.0, 0.0, 1e-45, 1e-38, 2e-38, 0.25, 1.0, 9.0, 3e38];
        for warp in Warp::ALL {
            let warped = readings.map(|reading| warp.apply(reading));
            assert!(warped.is_sorted() && warped.iter().all(|v| v.is_finite()), "{warp:?} {warped:?}");
        }
        assert_eq!([0.25, 1.0, 0.0, -3.0].map(|v| Warp::Log.apply(v)), [-2.0, 0.0, -126.0, -126.0]);
        assert_eq!([9.0, 0.25, 0.0, -3.0].map(|v| Warp::Sqrt.apply(v)), [3.0, 0.5, 0.0, 0.0]);
    }

    #[test]
    fn a_column_admits_the_warps_whose_domain_holds_it() {
        assert_eq!(Warp::possible(&[0.1, 3.0]), Warp::ALL);
        assert_eq!(Warp::possible(&[0.0, 3.0]), [Warp::Identity, Warp::Sqrt]);
        assert_eq!(Warp::possible(&[1e-40, 3.0]), [Warp::Identity, Warp::Sqrt]);
        assert_eq!(Warp::possible(&[-0.1, 3.0]), [Warp::Identity]);
        assert!(Warp::ALL.into_iter().all(|warp| Warp::named(warp.name()) == Some(warp)));
    }
}
