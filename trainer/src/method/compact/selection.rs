//! Selection of frequencies from many.

use serde::{Deserialize, Serialize};

use crate::features::Feature;
use crate::method::compact::elimination::eliminate_pairs;
use crate::method::compact::forward_selection::select_pairs;
use crate::method::compact::memory;
use crate::method::compact::problem::Problem;
use crate::method::error::MethodError;
use crate::run::Run;

/// How frequencies are chosen from many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Selection {
    /// The frequency that lowers the objective most is added, one after the other.
    Forward,
    /// The frequency whose loss costs least is removed, one after the other.
    Backward,
}

impl Selection {
    /// Returns the `count` frequencies that are kept.
    pub(crate) fn choose(
        self,
        problem: &Problem<'_>,
        frequencies: Vec<Feature>,
        count: usize,
        run: &Run<'_>,
    ) -> Result<Vec<Feature>, MethodError> {
        let values = problem.values_in(memory::matrix(problem.x.nrows(), 2 * frequencies.len()), &frequencies);
        let (y, penalty) = (&problem.y, problem.penalty);
        let chosen = match self {
            Selection::Forward => select_pairs(&values, y, penalty, count, || run.interruption()),
            Selection::Backward => eliminate_pairs(&values, y, penalty, count, || run.interruption())?,
        };
        memory::keep(values);
        let chosen = chosen.into_iter().map(|j| frequencies[j].clone()).collect();
        if run.interrupted() { Err(MethodError::Interrupted) } else { Ok(chosen) }
    }
}
