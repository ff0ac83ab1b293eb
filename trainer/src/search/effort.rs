//! How much work a fit may take in a search.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::method::MethodConfig;
use crate::search::compaction;

/// The largest number of rows that candidates are compared on. The best candidates are compared again on all rows.
pub(crate) const MOST_COMPARED_ROWS: usize = 2000;

/// Operations of a fit for every unit of work of the stage so far: a tenth of the unit.
const OPERATIONS: f64 = 6e8;

/// The units that the limit starts with.
const LEAST_UNITS: f64 = 2.0;

/// The limits of the work of one fit. They grow with the work of the stage, so that a search with more work begins with
/// the candidates of a search with less.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Effort {
    rows: usize,
    inputs: usize,
    operations: f64,
}

impl Effort {
    /// The limits for fits to `data` after this work of the stage. They double when the work has doubled.
    pub fn new(data: &Dataset, done: f64) -> Effort {
        let mut units = LEAST_UNITS;
        while 2.0 * units <= done {
            units *= 2.0;
        }
        Effort { rows: data.rows(), inputs: data.inputs(), operations: OPERATIONS * units }
    }

    /// Returns the largest number of features that the rows can tell apart.
    pub fn distinguishable(&self) -> usize {
        (self.rows / 2).max(1)
    }

    /// Returns the largest number of features that a fit can refine `steps` times.
    pub fn refinable(&self, steps: f64) -> usize {
        (self.operations / (steps * 4.0 * self.rows as f64)).sqrt() as usize
    }

    /// Limits the features of a method to what the rows can tell apart, and the work of compaction.
    pub fn affordable(&self, method: MethodConfig) -> MethodConfig {
        let method = method.tuned(|t| t.features = t.features.min(self.distinguishable()));
        if self.rows > MOST_COMPARED_ROWS {
            return method; // A finalist keeps its settings.
        }
        compaction::edited(method, |compact| {
            let rows = self.rows.min(compact.batch) as f64;
            let features = compact.features as f64 * compact.excess;
            let order = compact.order.unwrap_or(self.inputs) as f64;
            let step = 4.0 * rows * features * (features + order);
            compact.refine = compact.refine.min((self.operations / step) as usize);
            let round = 4.0 * rows * features * compact.rounds as f64;
            let candidates = (self.operations / round) as usize;
            compact.candidates = compact.candidates.min(candidates).max(2 * compact.features);
        })
    }
}
