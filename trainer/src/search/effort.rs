//! How much work a fit may take in the time of a search.

use std::time::Duration;

use crate::data::Dataset;
use crate::method::MethodConfig;
use crate::search::compaction;

/// The largest number of rows that candidates are compared on. The best candidates are compared again on all rows.
pub(crate) const MOST_ROWS: usize = 2000;

/// Operations of a fit for every second of a search: a hundredth of what a core does.
const OPERATIONS: f64 = 1.5e8;

/// The limits of the work of one fit.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    rows: usize,
    inputs: usize,
    operations: f64,
}

impl Effort {
    /// The limits for fits to `data` in a search of this duration.
    pub fn new(data: &Dataset, time: Duration) -> Effort {
        Effort { rows: data.rows(), inputs: data.inputs(), operations: OPERATIONS * time.as_secs_f64() }
    }

    /// Returns the largest number of features that the rows can tell apart.
    pub fn distinguishable(&self) -> usize {
        (self.rows / 2).max(1)
    }

    /// Returns the largest number of features that a fit can refine `steps` times.
    pub fn refinable(&self, steps: f64) -> usize {
        (self.operations / (steps * 4.0 * self.rows as f64)).sqrt() as usize
    }

    /// Limits the features of a method to what the rows can tell apart, and the work of compaction to the time.
    pub fn affordable(&self, method: MethodConfig) -> MethodConfig {
        let method = method.tuned(|t| t.features = t.features.min(self.distinguishable()));
        if self.rows > MOST_ROWS {
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
