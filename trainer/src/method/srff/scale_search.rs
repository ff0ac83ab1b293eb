//! Scales on the simplex that lower the objective of [`ScaledCosines`]: the published way and a quicker one.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::method::srff::input_scales::{Fixed, Projected, ScaledCosines};
use crate::solve::SolveError;
use crate::solve::optimise::fista;
use crate::solve::optimise::spectral_gradient::{self, Minimum, Stop, project_on_simplex};

/// How the scales are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ScaleSolver {
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
