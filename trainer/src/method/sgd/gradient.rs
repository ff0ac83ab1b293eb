//! Rows in single precision and random order, the squared error of a mini-batch and its gradient.
//!
//! Every sum is taken in the order of the inputs or of the rows, for each frequency by itself. So vector instructions,
//! which work on several frequencies at a time, change the speed alone.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::data::Dataset;
use crate::linalg::vectorised;
use crate::method::sgd::parameters::{Lane, Shape, ZERO};
use crate::trig::single::{LANES, cos_sin};

/// Rows of a mini-batch that are worked on together. Threads share the tiles of a mini-batch, whose gradients are added
/// in the order of the rows.
const TILE: usize = 128;

/// Successive rows of inputs and targets.
#[derive(Clone, Copy)]
pub(super) struct Batch<'a> {
    /// The lanes of the inputs of each row.
    pub x: &'a [Lane],
    /// The targets of each row.
    pub y: &'a [f32],
}

/// The gradient of a mini-batch, and the memory for it.
pub(super) struct Gradient {
    shape: Shape,
    tiles: Vec<Tile>,
}

/// The gradient of a tile, and the values that lead to it.
struct Tile {
    gradient: Vec<Lane>,
    squared_error: f64,
    /// Cosines, and sines, of the angles: for each panel a lane for each row.
    cosines: Vec<Lane>,
    sines: Vec<Lane>,
    /// The gradient by the angles; before that, the angles.
    slopes: Vec<Lane>,
    /// For each output the residual of each row.
    residuals: Vec<f32>,
}

impl Gradient {
    /// Returns the memory for mini-batches of at most `rows` rows.
    pub fn new(shape: Shape, rows: usize) -> Gradient {
        let values = vec![ZERO; shape.panels() * TILE];
        let tile = || Tile {
            gradient: vec![ZERO; shape.lanes()],
            squared_error: 0.0,
            cosines: values.clone(),
            sines: values.clone(),
            slopes: values.clone(),
            residuals: vec![0.0; shape.outputs * TILE],
        };
        Gradient { shape, tiles: (0..rows.div_ceil(TILE)).map(|_| tile()).collect() }
    }

    /// Returns the sum of the squared errors over the rows of a mini-batch, and half its gradient.
    pub fn of(&mut self, parameters: &[Lane], batch: Batch<'_>) -> (f64, &[Lane]) {
        let shape = self.shape;
        let rows = batch.x.chunks(TILE * shape.input_lanes()).zip(batch.y.chunks(TILE * shape.outputs));
        let count = rows.len();
        let tiles: Vec<(&mut Tile, Batch<'_>)> =
            self.tiles.iter_mut().zip(rows).map(|(tile, (x, y))| (tile, Batch { x, y })).collect();
        tiles.into_par_iter().for_each(|(tile, batch)| vectorised!(tile.compute(shape, parameters, batch)));
        let Some((first, others)) = self.tiles[..count].split_first_mut() else { return (0.0, &[]) };
        for other in others {
            first.squared_error += other.squared_error;
            vectorised!({
                for (sum, part) in first.gradient.iter_mut().zip(&other.gradient) {
                    add_scaled(sum, 1.0, part);
                }
            });
        }
        (first.squared_error, &first.gradient)
    }
}

impl Tile {
    #[inline(always)]
    fn compute(&mut self, shape: Shape, parameters: &[Lane], batch: Batch<'_>) {
        let (width, rows) = (shape.width(), batch.x.len() / shape.input_lanes());
        let x = batch.x.as_flattened();
        let values = shape.panels() * rows;
        let (cosines, sines, slopes) =
            (&mut self.cosines[..values], &mut self.sines[..values], &mut self.slopes[..values]);
        angles(x, width, &parameters[shape.weights()], slopes);
        for ((cosine, sine), angle) in cosines.iter_mut().zip(sines.iter_mut()).zip(slopes.iter()) {
            (*cosine, *sine) = cos_sin(angle);
        }
        slopes.fill(ZERO);
        self.squared_error = 0.0;
        for output in 0..shape.outputs {
            self.output(shape, parameters, batch, output);
        }
        weight_gradient(x, width, &self.slopes[..values], &mut self.gradient[shape.weights()]);
    }

    /// Computes the residuals of one output and the gradient by its coefficients. Adds to the gradient by the angles.
    #[inline(always)]
    fn output(&mut self, shape: Shape, parameters: &[Lane], batch: Batch<'_>, output: usize) {
        let (lanes, panels) = (shape.input_lanes(), shape.panels());
        let rows = batch.x.len() / lanes;
        let place = |places: std::ops::Range<usize>, size: usize| {
            let first = places.start + output * size;
            first..first + size
        };
        let of_cosines = &parameters[place(shape.cosines(), panels)];
        let of_sines = &parameters[place(shape.sines(), panels)];
        let linear = &parameters[place(shape.linear(), lanes)];
        let intercept = parameters[shape.intercepts().start + output][0];

        let residuals = &mut self.residuals[..rows];
        for (row, residual) in residuals.iter_mut().enumerate() {
            let mut waves = ZERO;
            for panel in 0..panels {
                let (cosine, sine) = (&self.cosines[panel * rows + row], &self.sines[panel * rows + row]);
                for lane in 0..LANES {
                    waves[lane] += of_cosines[panel][lane] * cosine[lane] + of_sines[panel][lane] * sine[lane];
                }
            }
            let terms = intercept + dot(linear, &batch.x[row * lanes..(row + 1) * lanes]);
            *residual = sum(&waves) + terms - batch.y[row * shape.outputs + output];
        }
        self.squared_error += residuals.iter().map(|&r| f64::from(r) * f64::from(r)).sum::<f64>();

        let gradient = &mut self.gradient;
        for panel in 0..panels {
            let (mut by_cosine, mut by_sine) = (ZERO, ZERO);
            let part = panel * rows..(panel + 1) * rows;
            let waves = self.cosines[part.clone()].iter().zip(&self.sines[part.clone()]);
            for ((residual, (cosine, sine)), slope) in residuals.iter().zip(waves).zip(&mut self.slopes[part]) {
                let mut by_angle = ZERO;
                for lane in 0..LANES {
                    by_angle[lane] = of_sines[panel][lane] * cosine[lane] - of_cosines[panel][lane] * sine[lane];
                }
                add_scaled(&mut by_cosine, *residual, cosine);
                add_scaled(&mut by_sine, *residual, sine);
                add_scaled(slope, *residual, &by_angle);
            }
            gradient[shape.cosines().start + output * panels + panel] = by_cosine;
            gradient[shape.sines().start + output * panels + panel] = by_sine;
        }
        let by_linear = &mut gradient[place(shape.linear(), lanes)];
        by_linear.fill(ZERO);
        for (residual, x) in residuals.iter().zip(batch.x.chunks_exact(lanes)) {
            by_linear.iter_mut().zip(x).for_each(|(sum, x)| add_scaled(sum, *residual, x));
        }
        let mut by_intercept = ZERO;
        by_intercept[0] = residuals.iter().sum();
        gradient[shape.intercepts().start + output] = by_intercept;
    }
}

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

/// Rows that are copied together.
const COPIED_ROWS: usize = 1024;

/// All rows of a dataset in random order. Successive rows lie together in memory, so that a mini-batch is read without
/// jumps.
pub(super) struct ShuffledRows {
    /// The lanes of the inputs of each row.
    x: Vec<Lane>,
    /// The targets of each row.
    y: Vec<f32>,
    lanes: usize,
    outputs: usize,
}

impl ShuffledRows {
    /// Copies the rows in the order of `order`, with the given inputs.
    pub fn new(data: &Dataset, order: &[usize], inputs: &[usize]) -> ShuffledRows {
        let (lanes, outputs) = (inputs.len().div_ceil(LANES), data.outputs());
        let mut x = vec![ZERO; order.len() * lanes];
        let mut y = vec![0.0; order.len() * outputs];
        let blocks = x.par_chunks_mut(COPIED_ROWS * lanes).zip(y.par_chunks_mut(COPIED_ROWS * outputs));
        blocks.zip(order.par_chunks(COPIED_ROWS)).for_each(|((x, y), rows)| {
            copy(&data.x, inputs.iter().copied(), rows, x.as_flattened_mut(), lanes * LANES);
            copy(&data.y, 0..outputs, rows, y, outputs);
        });
        ShuffledRows { x, y, lanes, outputs }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.y.len() / self.outputs
    }

    /// Returns the number of mini-batches of `size` rows; the last may have fewer.
    pub fn batches(&self, size: usize) -> usize {
        self.rows().div_ceil(size)
    }

    /// Returns a mini-batch.
    pub fn batch(&self, index: usize, size: usize) -> Batch<'_> {
        let part = |unit: usize, length: usize| index * size * unit..length.min((index + 1) * size * unit);
        let (x, y) = (part(self.lanes, self.x.len()), part(self.outputs, self.y.len()));
        Batch { x: &self.x[x], y: &self.y[y] }
    }
}

/// Copies some columns of rows to rows of `width` numbers.
fn copy(from: &DMatrix<f64>, columns: impl Iterator<Item = usize>, rows: &[usize], to: &mut [f32], width: usize) {
    for (place, column) in columns.enumerate() {
        let column = &from.as_slice()[column * from.nrows()..][..from.nrows()];
        for (to, &row) in to.chunks_exact_mut(width).zip(rows) {
            to[place] = column[row] as f32;
        }
    }
}
