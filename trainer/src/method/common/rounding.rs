//! The device's rounding error that methods without λ assume.

/// Error of one feature on the device: the polynomial of the cosine (7e-7), the rounding of an angle of many turns, and
/// some room, since the worst row is several times worse than the mean.
///
/// A fit without penalty can have coefficients so large that this error, times their norm, exceeds their benefit. The
/// penalty `n · DEVICE_ROUNDING²` minimises the two together.
pub(crate) const DEVICE_ROUNDING: f64 = 1e-5;
