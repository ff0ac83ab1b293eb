//! The squared error of a mini-batch and its gradient.

use rayon::prelude::*;

use crate::linalg::vectorised;
use crate::method::sgd::parameters::{Lane, Shape, ZERO};
use crate::method::sgd::products::{add_scaled, angles, dot, sum, weight_gradient};
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
