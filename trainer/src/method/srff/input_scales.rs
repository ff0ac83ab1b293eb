//! Ridge regression on cosines whose inputs are scaled, and what it gains from other scales.
//!
//! The values are `√2 cos(⟨ε_j, γ ⊙ x⟩ + b_j)` with directions ε, biases b and scales γ ≥ 0 that all of them share. For
//! n rows, amplitudes a and unpenalised terms T with coefficients c the objective is
//!
//! ```text
//! J(γ, a, c) = ‖y − T c − Z(γ) a‖² / 2n + λ‖a‖² / 2
//! ∂J/∂γ_s    = −(√2 / n) Σ_i r_i x_is Σ_j a_j sin(⟨ε_j, γ ⊙ x_i⟩ + b_j) ε_js,   r = T c + Z a − y
//! ```
//!
//! which is equation 11 of M. Gregorová et al. (2018) with the factor 2 that it lacks, over n. Directions are kept, not
//! frequencies divided by scales, which zeros have none of. Where a and c are the best for γ, their change adds nothing
//! to the gradient: the same formula is that of the least J over a and c (variable projection, G. Golub and V. Pereyra,
//! 1973). Rows are worked on in blocks, so that memory does not grow with their number.
//!
//! Two searches find scales on the simplex that lower the objective: the published one and a quicker one.

#[cfg(test)]
mod tests;

use std::f64::consts::SQRT_2;
use std::ops::ControlFlow;

use nalgebra::DMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::linalg::{product, scale_rows, subtract_product};
use crate::method::common::linear_fit::Points;
use crate::solve::SolveError;
use crate::solve::least_squares::normal_equations::{NormalEquations, Reduced};
use crate::solve::optimise::spectral_gradient::project_on_simplex;
use crate::solve::optimise::spectral_gradient::{Minimum, Objective, Stop};
use crate::solve::optimise::{fista, spectral_gradient};
use crate::sums::row_tiles;
use crate::trig;

/// Blocks of rows that are in memory at a time.
const GROUP: usize = 4;

/// Rows, targets and directions.
pub struct ScaledCosines {
    blocks: Vec<Block>,
    rows: f64,
    /// Coefficients of the unpenalised terms alone, p×k.
    constant: DMatrix<f64>,
    /// Sum of the squares that they leave.
    rest: f64,
    /// d×D.
    directions: DMatrix<f64>,
    biases: Vec<f64>,
}

/// Some rows.
#[derive(Clone)]
struct Block {
    x: DMatrix<f64>,
    terms: DMatrix<f64>,
    /// Targets without what the unpenalised terms alone explain.
    y: DMatrix<f64>,
    /// What the rows of terms and targets are multiplied by; empty where all count alike.
    roots: Vec<f64>,
}

/// A fit of the amplitudes.
#[derive(Clone, Debug, PartialEq)]
pub struct Amplitudes {
    /// Coefficients c of the unpenalised terms, p×k.
    pub terms: DMatrix<f64>,
    /// Coefficients a of the values √2 cos, D×k.
    pub cosines: DMatrix<f64>,
}

impl ScaledCosines {
    /// Prepares rows (n×d, with n×k targets), unpenalised columns `terms` (n×p; p may be 0), the directions ε
    /// (d×D) and the biases b (D).
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] where targets or unpenalised columns are not finite.
    pub fn new(
        Points { x, y, roots }: Points<'_>,
        terms: &DMatrix<f64>,
        directions: DMatrix<f64>,
        biases: Vec<f64>,
    ) -> Result<ScaledCosines, SolveError> {
        let part = |m: &DMatrix<f64>, first, rows| m.rows(first, rows).into_owned();
        let block = |(first, x): (usize, DMatrix<f64>)| {
            let roots = roots.get(first..first + x.nrows()).unwrap_or_default().to_vec();
            let mut terms = part(terms, first, x.nrows());
            let mut y = part(y, first, x.nrows());
            [&mut terms, &mut y].into_iter().for_each(|m| scale_rows(m, &roots));
            Block { terms, y, x, roots }
        };
        let mut blocks: Vec<Block> = row_tiles(x).map(block).collect();
        let mut alone = NormalEquations::new(terms.ncols(), 0, y.ncols());
        blocks.iter().for_each(|block| alone.add(&block.terms, &block.y));
        let (constant, _) = alone.reduce()?.solve(0.0)?;
        blocks.iter_mut().for_each(|block| subtract_product(&mut block.y, &block.terms, &constant));
        let rest = blocks.iter().map(|block| block.y.norm_squared()).sum();
        Ok(ScaledCosines { blocks, rows: x.nrows() as f64, constant, rest, directions, biases })
    }

    /// The same problem with these inputs (ascending) alone.
    pub fn select(&self, inputs: &[usize]) -> ScaledCosines {
        let block = |block: &Block| Block { x: block.x.select_columns(inputs), ..block.clone() };
        ScaledCosines {
            blocks: self.blocks.iter().map(block).collect(),
            constant: self.constant.clone(),
            directions: self.directions.select_rows(inputs),
            biases: self.biases.clone(),
            ..*self
        }
    }

    /// The least of J over the amplitudes for λ at the scales γ, and the amplitudes there.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] where values are not finite.
    pub fn fit(&self, scales: &[f64], lambda: f64) -> Result<(f64, Amplitudes), SolveError> {
        self.value(&self.equations(scales)?, lambda)
    }

    /// The amplitudes of the least J for every λ at the scales γ, for the targets as they were given: elsewhere they
    /// are taken without what the unpenalised terms alone explain.
    ///
    /// # Errors
    /// As [`ScaledCosines::fit`].
    pub fn amplitudes(&self, scales: &[f64], lambdas: &[f64]) -> Result<Vec<Amplitudes>, SolveError> {
        let equations = self.equations(scales)?;
        let complete = |&lambda: &f64| {
            let (_, amplitudes) = self.value(&equations, lambda)?;
            Ok(Amplitudes { terms: amplitudes.terms + &self.constant, ..amplitudes })
        };
        lambdas.iter().map(complete).collect()
    }

    fn value(&self, equations: &Reduced, lambda: f64) -> Result<(f64, Amplitudes), SolveError> {
        let (terms, cosines) = equations.solve(lambda * self.rows)?;
        let value = (self.rest - equations.explained(&cosines)) / (2.0 * self.rows);
        Ok((value, Amplitudes { terms, cosines }))
    }

    /// The gradient of J in the scales, at these amplitudes.
    pub fn gradient(&self, scales: &[f64], amplitudes: &Amplitudes) -> Vec<f64> {
        let weights = Weights::of(&self.directions, scales);
        let of_block = |block: &Block| {
            let (cosines, sines) = self.values(block, &weights);
            let residual = self.residual(block, &cosines, amplitudes);
            let mut slopes = product(&residual, &amplitudes.cosines.transpose());
            slopes.component_mul_assign(&sines);
            let slopes = product(&slopes, &self.directions.transpose());
            block.x.column_iter().zip(slopes.column_iter()).map(|(x, slopes)| x.dot(&slopes)).collect::<Vec<f64>>()
        };
        let mut gradient = vec![0.0; scales.len()];
        self.for_blocks(of_block, |part| gradient.iter_mut().zip(part).for_each(|(sum, part)| *sum += part));
        gradient.iter_mut().for_each(|g| *g *= -SQRT_2 / self.rows);
        gradient
    }

    /// `‖y − T c − Z(γ) a‖² / 2n`.
    fn loss(&self, scales: &[f64], amplitudes: &Amplitudes) -> f64 {
        let weights = Weights::of(&self.directions, scales);
        let of_block = |block: &Block| {
            let (cosines, _) = self.values(block, &weights);
            self.residual(block, &cosines, amplitudes).norm_squared()
        };
        let mut sum = 0.0;
        self.for_blocks(of_block, |part| sum += part);
        sum / (2.0 * self.rows)
    }

    /// The normal equations of terms and values.
    fn equations(&self, scales: &[f64]) -> Result<Reduced, SolveError> {
        let weights = Weights::of(&self.directions, scales);
        let (unpenalised, outputs) = self.constant.shape();
        let count = self.biases.len();
        let of_block = |block: &Block| {
            let mut values = block.terms.clone().resize_horizontally(unpenalised + count, 0.0);
            values.columns_mut(unpenalised, count).copy_from(&(self.values(block, &weights).0 * SQRT_2));
            let mut equations = NormalEquations::new(unpenalised, count, outputs);
            equations.add(&values, &block.y);
            equations
        };
        let mut sum = NormalEquations::new(unpenalised, count, outputs);
        self.for_blocks(of_block, |part| sum.merge(&part));
        sum.reduce()
    }

    /// Computes something of every block, several at a time, and takes the results in the order of the rows.
    fn for_blocks<T: Send>(&self, work: impl Fn(&Block) -> T + Sync, mut take: impl FnMut(T)) {
        for group in self.blocks.chunks(GROUP) {
            let parts: Vec<T> = group.par_iter().map(&work).collect();
            parts.into_iter().for_each(&mut take);
        }
    }

    /// `T c + Z a − y`.
    fn residual(&self, block: &Block, cosines: &DMatrix<f64>, amplitudes: &Amplitudes) -> DMatrix<f64> {
        product(cosines, &(&amplitudes.cosines * SQRT_2)) + product(&block.terms, &amplitudes.terms) - &block.y
    }

    /// The cosines and sines of every angle, each n×D, as what its row counts multiplies them.
    fn values(&self, block: &Block, weights: &Weights) -> (DMatrix<f64>, DMatrix<f64>) {
        let mut cosines = product(&block.x.select_columns(&weights.active), &weights.values);
        let rows = block.x.nrows();
        let mut sines = DMatrix::zeros(rows, self.biases.len());
        let columns = cosines.as_mut_slice().par_chunks_mut(rows).zip(sines.as_mut_slice().par_chunks_mut(rows));
        columns.zip(&self.biases).for_each(|((angles, sines), bias)| {
            angles.iter_mut().for_each(|angle| *angle += bias);
            trig::cos_sin(angles, sines);
        });
        [&mut cosines, &mut sines].into_iter().for_each(|m| scale_rows(m, &block.roots));
        (cosines, sines)
    }
}

/// The frequencies on the inputs that have a scale.
struct Weights {
    active: Vec<usize>,
    values: DMatrix<f64>,
}

impl Weights {
    fn of(directions: &DMatrix<f64>, scales: &[f64]) -> Weights {
        let active: Vec<usize> = (0..scales.len()).filter(|&s| scales[s] != 0.0).collect();
        let values =
            DMatrix::from_fn(active.len(), directions.ncols(), |s, j| scales[active[s]] * directions[(active[s], j)]);
        Weights { active, values }
    }
}

/// The least of J over the amplitudes, as a function of the scales.
pub struct Projected<'a> {
    /// The problem.
    pub problem: &'a ScaledCosines,
    /// Ridge parameter of a row.
    pub lambda: f64,
}

impl Objective for Projected<'_> {
    type State = Amplitudes;

    fn value(&self, scales: &[f64]) -> Result<(f64, Amplitudes), SolveError> {
        self.problem.fit(scales, self.lambda)
    }

    fn gradient(&self, scales: &[f64], amplitudes: &Amplitudes) -> Vec<f64> {
        self.problem.gradient(scales, amplitudes)
    }
}

/// The loss at given amplitudes, as a function of the scales.
pub struct Fixed<'a> {
    /// The problem.
    pub problem: &'a ScaledCosines,
    /// The amplitudes.
    pub amplitudes: &'a Amplitudes,
}

impl Objective for Fixed<'_> {
    type State = ();

    fn value(&self, scales: &[f64]) -> Result<(f64, ()), SolveError> {
        Ok((self.problem.loss(scales, self.amplitudes), ()))
    }

    fn gradient(&self, scales: &[f64], (): &()) -> Vec<f64> {
        self.problem.gradient(scales, self.amplitudes)
    }
}

/// How the scales are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScaleSolver {
    /// Spectral projected gradient on the least of the objective over the amplitudes.
    VariableProjection,
    /// Amplitudes and scales in turns: ridge regression for the ones, accelerated projected gradient for the others, as
    /// published.
    Alternating,
}

/// Most steps for the scales in one turn of [`ScaleSolver::Alternating`].
const STEPS_OF_A_TURN: usize = 100;

/// A search for scales.
pub(crate) struct Search<'a> {
    /// The objective.
    pub problem: &'a ScaledCosines,
    /// Ridge parameter of a row.
    pub lambda: f64,
    /// Sum of the scales.
    pub total: f64,
    /// How they are found.
    pub solver: ScaleSolver,
    /// When the search ends.
    pub stop: Stop,
}

impl Search<'_> {
    /// Searches from `start`, which lies on the simplex. `go_on` is asked after every step, and ends the search where
    /// it breaks.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] where values are not finite.
    pub fn run(&self, start: Vec<f64>, mut go_on: impl FnMut() -> ControlFlow<()>) -> Result<Minimum, SolveError> {
        let Search { problem, lambda, total, .. } = *self;
        let project = |point: &[f64]| project_on_simplex(point, total);
        if self.solver == ScaleSolver::VariableProjection {
            let first_step = total / start.len() as f64;
            let objective = Projected { problem, lambda };
            return spectral_gradient::descend(&objective, project, start, first_step, self.stop, go_on);
        }
        let (value, mut amplitudes) = problem.fit(&start, lambda)?;
        let mut best = Minimum { point: start, value };
        let of_a_turn = Stop { iterations: STEPS_OF_A_TURN, ..self.stop };
        let mut ended = false;
        for _ in 0..self.stop.iterations {
            let objective = Fixed { problem, amplitudes: &amplitudes };
            let turn = fista::descend(&objective, project, best.point.clone(), of_a_turn, || {
                let next = go_on();
                ended = next.is_break();
                next
            })?;
            if ended {
                break;
            }
            let (value, fitted) = problem.fit(&turn.point, lambda)?;
            let gain = best.value - value;
            if gain > 0.0 {
                (best, amplitudes) = (Minimum { value, ..turn }, fitted);
            }
            if gain <= self.stop.tolerance * value.abs() {
                break;
            }
        }
        Ok(best)
    }
}
