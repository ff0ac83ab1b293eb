//! Products of rows with weights in single precision.
//!
//! Every sum is taken in the order of the inputs or of the rows, for each frequency by itself. So vector instructions,
//! which work on several frequencies at a time, change the speed alone.

use crate::method::sgd::parameters::{Lane, ZERO};
use crate::trig::single::LANES;

/// Rows or inputs whose sums are in registers at a time.
const BLOCK: usize = 4;

/// Panels whose sums are in registers at a time.
const PAIR: usize = 2;

/// Computes the angles of rows: for each panel a lane for each row. `x` holds rows of `width` numbers, and `weights` a
/// lane for each number of a row for each panel.
#[inline(always)]
pub(super) fn angles(x: &[f32], width: usize, weights: &[Lane], angles: &mut [Lane]) {
    let rows = x.len() / width;
    let pairs = weights.chunks(PAIR * width).zip(angles.chunks_mut(PAIR * rows));
    for (weights, angles) in pairs {
        if weights.len() == PAIR * width {
            angles_of::<PAIR>(x, width, weights, angles);
        } else {
            angles_of::<1>(x, width, weights, angles);
        }
    }
}

#[inline(always)]
fn angles_of<const P: usize>(x: &[f32], width: usize, weights: &[Lane], angles: &mut [Lane]) {
    let rows = x.len() / width;
    let panels: [&[Lane]; P] = std::array::from_fn(|panel| &weights[panel * width..(panel + 1) * width]);
    for first in (0..rows).step_by(BLOCK) {
        let last = rows - 1;
        // The last block may repeat the last row.
        let row: [&[f32]; BLOCK] = std::array::from_fn(|row| &x[(first + row).min(last) * width..][..width]);
        let mut sums = [[ZERO; P]; BLOCK];
        for input in 0..width {
            for row_of in 0..BLOCK {
                let value = row[row_of][input];
                for panel in 0..P {
                    let weights = &panels[panel][input];
                    for lane in 0..LANES {
                        sums[row_of][panel][lane] += value * weights[lane];
                    }
                }
            }
        }
        for (row, sums) in sums.iter().enumerate().take(rows - first) {
            for (panel, sums) in sums.iter().enumerate() {
                angles[panel * rows + first + row] = *sums;
            }
        }
    }
}

/// Computes the gradient by the weights, given the gradient by the angles. The arguments have the shapes of [`angles`].
#[inline(always)]
pub(super) fn weight_gradient(x: &[f32], width: usize, by_angles: &[Lane], gradient: &mut [Lane]) {
    let rows = x.len() / width;
    for (by_angles, gradient) in by_angles.chunks(PAIR * rows).zip(gradient.chunks_mut(PAIR * width)) {
        if by_angles.len() == PAIR * rows {
            weight_gradient_of::<PAIR>(x, width, by_angles, gradient);
        } else {
            weight_gradient_of::<1>(x, width, by_angles, gradient);
        }
    }
}

#[inline(always)]
fn weight_gradient_of<const P: usize>(x: &[f32], width: usize, by_angles: &[Lane], gradient: &mut [Lane]) {
    let rows = x.len() / width;
    let panels: [&[Lane]; P] = std::array::from_fn(|panel| &by_angles[panel * rows..(panel + 1) * rows]);
    for first in (0..width).step_by(BLOCK) {
        let mut sums = [[ZERO; P]; BLOCK];
        for (row, x) in x.chunks_exact(width).enumerate() {
            let x = &x[first..first + BLOCK];
            for input in 0..BLOCK {
                for panel in 0..P {
                    let slopes = &panels[panel][row];
                    for lane in 0..LANES {
                        sums[input][panel][lane] += x[input] * slopes[lane];
                    }
                }
            }
        }
        for (input, sums) in sums.iter().enumerate() {
            for (panel, sums) in sums.iter().enumerate() {
                gradient[panel * width + first + input] = *sums;
            }
        }
    }
}

/// Adds `factor · from` to `to`.
#[inline(always)]
pub(super) fn add_scaled(to: &mut Lane, factor: f32, from: &Lane) {
    for lane in 0..LANES {
        to[lane] += factor * from[lane];
    }
}

/// Returns the sum of the products of two rows of lanes.
#[inline(always)]
pub(super) fn dot(a: &[Lane], b: &[Lane]) -> f32 {
    let mut sums = ZERO;
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sum(&sums)
}

/// Returns the sum of the numbers of a lane.
#[inline(always)]
pub(super) fn sum(lane: &Lane) -> f32 {
    let four: [f32; 4] = std::array::from_fn(|i| lane[i] + lane[i + 4]);
    (four[0] + four[2]) + (four[1] + four[3])
}
