//! Limits of outputs: the lowest and the highest value that a prediction gives.

use bytemuck::must_cast_slice;

use super::loops::rolled;
use crate::format::Contents;

/// Returns the limits of the outputs of a model in floating point; none of a classifier.
#[inline(always)]
pub(super) fn limits<'a>(model: &Contents<'a>) -> &'a [[f32; 2]] {
    must_cast_slice(model.limits)
}

/// Returns an output within its limits; `z` are the inputs of features.
#[inline(always)]
pub(super) fn limited(y: f32, limits: [f32; 2], model: &Contents<'_>, z: &[f32]) -> f32 {
    let [low, high] = limits;
    if (low..=high).contains(&y) { y } else { nearest(y, limits, model, z) }
}

/// Returns the limit that is nearest to an output beyond its limits. For NaN this is the lower one, or NaN where an
/// input of features is NaN.
#[cold]
#[inline(never)]
fn nearest(y: f32, [low, high]: [f32; 2], model: &Contents<'_>, z: &[f32]) -> f32 {
    let unknown = |z: &f32| {
        rolled();
        z.is_nan()
    };
    if y > high {
        high
    } else if y.is_nan() && z.iter().take(model.view.into()).any(unknown) {
        y
    } else {
        low
    }
}

/// Returns the limits of the outputs of an integer model; none of a classifier.
#[inline(always)]
pub(super) fn integer_limits<'a>(model: &Contents<'a>) -> &'a [[i32; 2]] {
    must_cast_slice(model.limits)
}

/// Returns an output of an integer model within its limits.
#[inline(always)]
pub(super) fn limited_integer(y: i32, limits: &[i32; 2]) -> i32 {
    let &[low, high] = limits;
    if (low..=high).contains(&y) { y } else { nearest_integer(y, limits) }
}

/// Returns the limit that is nearest to an output beyond its limits.
#[cold]
#[inline(never)]
fn nearest_integer(y: i32, &[low, high]: &[i32; 2]) -> i32 {
    if y > high { high } else { low }
}
