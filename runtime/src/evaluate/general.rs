//! Any number of inputs, outputs and inputs per feature. The order of the sums is the same as for small models.

use bytemuck::must_cast_slice;

use super::block_f32::Index;
use super::features::Features;
use super::inputs::{Inputs, fill};
use super::limits::{integer_limits, limited, limited_integer, limits};
use super::loops::rolled;
use crate::format::{BUFFERED, Contents, Shifts, wide};

/// Evaluates a model in floating point.
#[inline(always)]
pub(super) fn evaluate<F: Features>(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    if !model.preparation.inputs.is_empty() {
        evaluate_prepared::<F>(model, x, y);
    } else if wide(x.len()) {
        evaluate_readings::<F, u16>(model, x, y);
    } else {
        evaluate_readings::<F, u8>(model, x, y);
    }
}

/// Evaluates a model that prepares its inputs, of which there are at most [`BUFFERED`].
#[inline(never)]
fn evaluate_prepared<F: Features>(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    let mut z = [0.0; BUFFERED];
    fill::<F::Warps>(&mut z, model, x);
    add_all::<F, u8>(model, x, z.get(..model.view.into()).unwrap_or(&[]), y);
}

/// Evaluates a model that prepares no inputs.
#[inline(never)]
fn evaluate_readings<F: Features, I: Index>(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    add_all::<F, I>(model, x, x, y);
}

/// Adds intercepts, linear terms and features, in this order; `x` are the readings, `z` the inputs of features.
#[inline(never)]
fn add_all<F: Features, I: Index>(model: &Contents<'_>, x: &[f32], z: &[f32], y: &mut [f32]) {
    let Contents { intercepts, linear, .. } = model;
    for (y, &intercept) in y.iter_mut().zip(must_cast_slice::<u32, f32>(intercepts)) {
        rolled();
        *y = intercept;
    }
    // No length here is zero, but a check that could panic would stay.
    for (weights, &index) in
        must_cast_slice::<u32, f32>(linear.weights).chunks_exact(y.len().max(1)).zip(I::list(linear.inputs))
    {
        let Some(z) = z.get(index.into()) else { return };
        for (y, weight) in y.iter_mut().zip(weights) {
            rolled();
            *y += weight * z;
        }
    }
    F::add::<I>(model, x, z, y);
    for (y, &limits) in y.iter_mut().zip(limits(model)) {
        rolled();
        *y = limited(*y, limits, model, z);
    }
}

/// Evaluates an integer model. The order of the sums does not matter. Returns whether there is a prediction: no input
/// is missing that the outputs depend on.
#[inline(never)]
pub(super) fn evaluate_integers<F: Features>(model: &Contents<'_>, z: Inputs<'_>, y: &mut [i32]) -> bool {
    if z.lack(model) {
        return false;
    }
    y.fill(0);
    F::add_integers(model, z, y);
    let (outputs, weights): (_, &[i32]) = (y.len(), must_cast_slice(model.linear.weights));
    for (output, (y, &intercept)) in y.iter_mut().zip(model.intercepts).enumerate() {
        rolled();
        *y = y.wrapping_add(intercept as i32);
        let mut linear = 0_i64;
        for term in 0..usize::from(model.header.linear) {
            let index = model.linear.inputs.get(term).unwrap_or(0);
            let weight = weights.get(term * outputs + output).copied().unwrap_or(0);
            linear = linear.wrapping_add(i64::from(weight) * i64::from(z.get::<F::Warps>(index.into())));
        }
        *y = with_linear(*y, linear, model.shifts);
    }
    for (y, limits) in y.iter_mut().zip(integer_limits(model)) {
        rolled();
        *y = limited_integer(*y, limits);
    }
    true
}

/// Returns an output with its linear terms. Nothing bounds these: a total beyond 32 bits becomes the last number there.
#[inline(always)]
pub(super) fn with_linear(y: i32, linear: i64, shifts: Shifts) -> i32 {
    let total = linear.wrapping_shr(shifts.linear.into()) + i64::from(y);
    total.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}
