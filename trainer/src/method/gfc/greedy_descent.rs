//! One greedy descent: GFC's Algorithm 1.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::features::{Feature, pair_matrix};
use crate::linalg::product;
use crate::method::common::folded_rows::FoldedRows;
use crate::method::common::linear_fit::{Basis, Points, normal_equations};
use crate::method::error::MethodError;
use crate::method::gfc::settings::Gfc;
use crate::method::gfc::wave::{GreedyStep, extend};
use crate::method::terms::Terms;
use crate::run::Run;
use crate::sampling::Sampler;
use crate::solve::SolveError;
use crate::solve::optimise::lbfgs::Lbfgs;

/// Name under which the state of a descent is kept.
const COURSE: &str = "course";

/// Rows on which first weights are compared.
const SCREENED: usize = 1000;

/// Share of the targets' mean square at which nothing is left to fit.
const NOTHING: f64 = 1e-24;

/// A descent: its rows and its start.
pub(crate) struct Descent<'a> {
    gfc: &'a Gfc,
    inputs: &'a [usize],
    /// Spread of each input, by which weights are compared.
    spreads: Vec<f64>,
    rows: FoldedRows,
    /// Estimates of the targets at the start, m×k.
    start: DMatrix<f64>,
    steps: usize,
    sampler: Sampler,
}

/// A wave that a step has added: its frequency and the amplitudes (4×k, by columns) of `[1, f, sin, cos]`.
#[derive(Clone, Serialize, Deserialize)]
struct Wave {
    frequency: Feature,
    amplitudes: Vec<f64>,
    lambda: f64,
}

/// The state of a descent.
#[derive(Clone, Serialize, Deserialize)]
struct Course {
    waves: Vec<Wave>,
    /// Consecutive steps that reduced the error too little.
    idle: usize,
    sampler: Sampler,
}

impl<'a> Descent<'a> {
    /// A descent of so many steps from estimates (n×k) at all rows of `data`.
    pub fn new(
        gfc: &'a Gfc,
        data: &Dataset,
        estimate: &DMatrix<f64>,
        inputs: &'a [usize],
        steps: usize,
        mut sampler: Sampler,
    ) -> Descent<'a> {
        let mut order = sampler.permutation(data.rows());
        order.truncate(gfc.batch.unwrap_or(usize::MAX));
        let rows = FoldedRows {
            x: data.x.select_rows(&order),
            y: data.y.select_rows(&order),
            bounds: (0..=gfc.folds).map(|fold| fold * order.len() / gfc.folds).collect(),
            training: gfc.training_folds,
            constant: if gfc.terms == Terms::None { 0.0 } else { 1.0 },
        };
        let spreads = inputs.iter().map(|&input| rows.x.column(input).variance().sqrt()).collect();
        Descent { gfc, inputs, spreads, start: estimate.select_rows(&order), rows, steps, sampler }
    }

    /// Returns the frequencies that the descent finds.
    pub fn run(&self, run: &Run<'_>) -> Result<Vec<Feature>, MethodError> {
        let course = run.resume(COURSE);
        let mut course = course.unwrap_or_else(|| Course { waves: Vec::new(), idle: 0, sampler: self.sampler.clone() });
        let mut estimate = self.estimate(&course.waves)?;
        let error = |estimate: &DMatrix<f64>| (estimate - &self.rows.y).norm_squared();
        let least = NOTHING * self.rows.y.norm_squared();
        while course.waves.len() < self.steps && course.idle < self.gfc.patience {
            run.keep(COURSE, &course);
            if run.interrupted() {
                return Err(MethodError::Interrupted);
            }
            let before = error(&estimate);
            if before <= least {
                break;
            }
            let mut sampler = course.sampler.clone();
            // The resumed run repeats an interrupted step.
            let wave = self.step(&estimate, &mut sampler, run).inspect_err(|_| run.keep(COURSE, &course))?;
            course.waves.push(wave);
            course.sampler = sampler;
            estimate = match self.gfc.refit {
                true => self.refitted(&course.waves)?,
                false => self.extended(estimate, course.waves.last()),
            };
            let after = error(&estimate);
            let change = (before - after).abs() / before.max(after);
            course.idle = if change < self.gfc.precision { course.idle + 1 } else { 0 };
            run.progress(course.waves.len(), self.steps);
        }
        Ok(course.waves.into_iter().map(|wave| wave.frequency).collect())
    }

    /// The estimate (m×k) with all waves.
    fn estimate(&self, waves: &[Wave]) -> Result<DMatrix<f64>, MethodError> {
        if self.gfc.refit { self.refitted(waves) } else { Ok(self.extended(self.start.clone(), waves)) }
    }

    /// The estimate with further waves, each of which re-scales those before it.
    fn extended<'w>(&self, mut estimate: DMatrix<f64>, waves: impl IntoIterator<Item = &'w Wave>) -> DMatrix<f64> {
        for Wave { frequency, amplitudes, .. } in waves {
            let amplitudes = DMatrix::from_column_slice(4, self.rows.y.ncols(), amplitudes);
            extend(&mut estimate, &self.rows, &frequency.support, &frequency.weights, &amplitudes);
        }
        estimate
    }

    /// The estimate with all waves and their amplitudes fitted together, with the last λ.
    fn refitted(&self, waves: &[Wave]) -> Result<DMatrix<f64>, MethodError> {
        let Some(last) = waves.last() else { return Ok(self.start.clone()) };
        let frequencies: Vec<Feature> = waves.iter().map(|wave| wave.frequency.clone()).collect();
        let rest = &self.rows.y - &self.start;
        let constant = if self.gfc.terms == Terms::None { Terms::None } else { Terms::Intercept };
        let x = &self.rows.x;
        let points = Points { x, y: &rest, roots: &[] };
        let equations = normal_equations(points, constant, Basis::Pair, &frequencies).reduce()?;
        let (of_constant, amplitudes) = equations.solve(last.lambda * x.nrows() as f64)?;
        let waves = product(&pair_matrix(x, &frequencies), &amplitudes);
        Ok(&self.start + waves + product(&constant.columns(x), &of_constant))
    }

    /// The wave that fits best beside `estimate`.
    fn step(&self, estimate: &DMatrix<f64>, sampler: &mut Sampler, run: &Run<'_>) -> Result<Wave, MethodError> {
        let mut variables = self.descend(estimate, self.inputs, None, sampler, run)?;
        let mut support = self.inputs.to_vec();
        if self.gfc.order < support.len() {
            // The inputs that move the angle most.
            let weight = |&i: &usize| (variables[i] * self.spreads[i]).abs();
            let mut largest: Vec<usize> = (0..support.len()).collect();
            largest.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
            largest.truncate(self.gfc.order);
            largest.sort_unstable();
            let weights = largest.iter().map(|&i| variables[i]).collect();
            support = largest.iter().map(|&i| self.inputs[i]).collect();
            variables = self.descend(estimate, &support, Some(weights), sampler, run)?;
        }
        let amplitudes = GreedyStep::new(&self.rows, estimate, &support).amplitudes(&variables);
        let amplitudes = amplitudes.ok_or(SolveError::NotFinite)?;
        let lambda = libm::exp(variables.pop().unwrap_or_default());
        Ok(Wave {
            frequency: Feature { support, weights: variables, bias: 0.0 },
            amplitudes: amplitudes.as_slice().to_vec(),
            lambda,
        })
    }

    /// Weights and ln λ at a local minimum over frequencies on `inputs`; from the best of some first weights, one of
    /// which may be given.
    fn descend(
        &self,
        estimate: &DMatrix<f64>,
        inputs: &[usize],
        given: Option<Vec<f64>>,
        sampler: &mut Sampler,
        run: &Run<'_>,
    ) -> Result<Vec<f64>, MethodError> {
        let root = (inputs.len() as f64).sqrt();
        let mut draw = || -> Vec<f64> { inputs.iter().map(|_| self.gfc.law.weight(sampler) / root).collect() };
        let mut starts: Vec<Vec<f64>> = given.into_iter().collect();
        starts.resize_with(self.gfc.candidates, &mut draw);
        let start = if starts.len() == 1 { starts.remove(0) } else { self.best_of(starts, estimate, inputs) };
        let mut variables = GreedyStep::start(start);
        let mut step = GreedyStep::new(&self.rows, estimate, inputs);
        let bounds = step.bounds();
        let lbfgs = Lbfgs { iterations: self.gfc.iterations, ..Lbfgs::default() };
        let mut interrupted = false;
        let interrupt = || {
            let flow = run.interruption();
            interrupted |= flow.is_break();
            flow
        };
        lbfgs.minimise(&mut variables, &bounds, |at, gradient| step.value(at, gradient), interrupt);
        if interrupted { Err(MethodError::Interrupted) } else { Ok(variables) }
    }

    /// The start with the least error on a part of the rows.
    fn best_of(&self, starts: Vec<Vec<f64>>, estimate: &DMatrix<f64>, inputs: &[usize]) -> Vec<f64> {
        let most = SCREENED.div_ceil(self.gfc.folds);
        let (rows, estimate) = (self.rows.shortened(most), estimate.select_rows(&self.rows.first_rows(most)));
        let mut step = GreedyStep::new(&rows, &estimate, inputs);
        let mut gradient = vec![0.0; inputs.len() + 1];
        let mut error = |weights: Vec<f64>| {
            let value = step.value(&GreedyStep::start(weights.clone()), &mut gradient);
            (value, weights)
        };
        let scored = starts.into_iter().map(&mut error);
        scored.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, weights)| weights).unwrap_or_default()
    }
}
