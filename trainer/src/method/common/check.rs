//! Checks of settings that methods share, and the rounding error of the device that methods without λ assume.

use crate::data::Dataset;
use crate::method::error::MethodError;
use crate::method::terms::Terms;

/// Refuses a count of 0.
pub fn at_least_one(setting: &'static str, value: usize) -> Result<(), MethodError> {
    if value == 0 { Err(MethodError::Setting { setting, range: "at least 1", value: 0.0 }) } else { Ok(()) }
}

/// Refuses a share that is not between 0 and 1.
pub fn share(setting: &'static str, value: f64) -> Result<(), MethodError> {
    let inside = value > 0.0 && value < 1.0;
    if inside { Ok(()) } else { Err(MethodError::Setting { setting, range: "between 0 and 1", value }) }
}

/// Refuses a share outside of 0 to 1; both ends are allowed.
pub fn part(setting: &'static str, value: f64) -> Result<(), MethodError> {
    let inside = (0.0..=1.0).contains(&value);
    if inside { Ok(()) } else { Err(MethodError::Setting { setting, range: "from 0 to 1", value }) }
}

/// Refuses a number that is not positive and finite.
pub fn positive(setting: &'static str, value: f64) -> Result<(), MethodError> {
    let inside = value > 0.0 && value.is_finite();
    if inside { Ok(()) } else { Err(MethodError::Setting { setting, range: "more than 0", value }) }
}

/// Refuses a number that is neither 0 nor positive and finite.
pub fn not_negative(setting: &'static str, value: f64) -> Result<(), MethodError> {
    if value == 0.0 {
        Ok(())
    } else {
        positive(setting, value).map_err(|_| MethodError::Setting { setting, range: "0 or more", value })
    }
}

/// Refuses more inputs per feature than there are, rows that are too few for the terms beside the features, and inputs
/// of which none varies.
pub fn check_inputs(data: &Dataset, order: usize, terms: Terms) -> Result<(), MethodError> {
    if order > data.inputs() {
        return Err(MethodError::OrderBeyondInputs { order, inputs: data.inputs() });
    }
    terms.check(data)?;
    if data.varying_inputs().is_empty() { Err(MethodError::ConstantInputs) } else { Ok(()) }
}

/// Refuses numbers of features that the format cannot hold.
pub fn check_features(features: usize) -> Result<(), MethodError> {
    const MOST_FEATURES: usize = u16::MAX as usize;
    at_least_one("features", features)?;
    if features > MOST_FEATURES {
        return Err(MethodError::Setting { setting: "features", range: "at most 65535", value: features as f64 });
    }
    Ok(())
}

/// The largest size of the values of a fit, in bytes.
const MOST_BYTES: u128 = 8 << 30;

/// Refuses features whose normal equations of `columns` columns, with the copies for the solution, exceed the memory.
pub fn check_gram(features: usize, columns: usize) -> Result<(), MethodError> {
    const COPIES: u128 = 4;
    let bytes = COPIES * columns as u128 * columns as u128 * 8;
    if bytes > MOST_BYTES {
        return Err(MethodError::GramMemory { features, gib: bytes as f64 / (1 << 30) as f64 });
    }
    Ok(())
}

/// Refuses ridge parameters that are neither 0 nor positive.
pub fn check_lambdas(lambdas: &[f64]) -> Result<(), MethodError> {
    lambdas.iter().try_for_each(|&lambda| not_negative("lambda", lambda))
}

/// Refuses fewer candidates than features, and candidates whose matrix of `columns` values per candidate and row
/// exceeds the memory. `candidates` may be 0, which means ten times `features`.
pub fn check_counts(rows: usize, features: usize, candidates: usize, columns: usize) -> Result<(), MethodError> {
    if candidates != 0 && candidates < features {
        return Err(MethodError::FewCandidates { candidates, features });
    }
    let drawn = if candidates == 0 { features.saturating_mul(10) } else { candidates };
    let bytes = drawn as u128 * columns as u128 * rows as u128 * 8;
    if bytes > MOST_BYTES {
        return Err(MethodError::Memory { rows, candidates: drawn, gib: bytes as f64 / (1 << 30) as f64 });
    }
    Ok(())
}

/// Error of one feature on the device: the polynomial of the cosine (7e-7), the rounding of an angle of many turns, and
/// some room, since the worst row is several times worse than the mean.
///
/// A fit without penalty can have coefficients so large that this error, times their norm, exceeds their benefit. The
/// penalty `n · DEVICE_ROUNDING²` minimises the two together.
pub(crate) const DEVICE_ROUNDING: f64 = 1e-5;
