//! HARFE, Table 2: mean squared test error on the Friedman functions.
//!
//! 200 rows with noise, 1000 noise-free test rows, weights and bias uniform on [−1, 1), s = 200, no intercept. The
//! paper's figures come out when the largest positive entries are kept; keeping the largest magnitudes, as the paper
//! writes, is shown beside it. Its formula of f₂ has a slip (520πx₂ + π); the standard function gives the same errors.

use super::{Row, Run, mean};
use crate::data::generate::Task;
use crate::method::{FitError, Harfe, Method, Terms};
use crate::metrics::Metrics;
use crate::observer::Observer;
use crate::sampling::SpectralLaw;

/// One line of the table.
struct Case {
    task: Task,
    name: &'static str,
    candidates: usize,
    order: usize,
    lambda: f64,
    paper: f64,
    unit: &'static str,
    scale: f64,
    /// What the mean must not exceed when positive entries are kept.
    threshold: Option<f64>,
}

#[rustfmt::skip]
const CASES: [Case; 6] = [
    Case { task: Task::Friedman1, name: "f1", candidates: 10_000, order: 2, lambda: 1e-3, paper: 1.52, unit: "1", scale: 1.0, threshold: Some(1.9) },
    Case { task: Task::Friedman1, name: "f1", candidates: 10_000, order: 5, lambda: 1e-3, paper: 3.01, unit: "1", scale: 1.0, threshold: None },
    Case { task: Task::Friedman2, name: "f2", candidates: 2_000, order: 2, lambda: 5e-3, paper: 1.31, unit: "10^3", scale: 1e3, threshold: Some(1.7) },
    Case { task: Task::Friedman2, name: "f2", candidates: 2_000, order: 4, lambda: 5e-3, paper: 1.90, unit: "10^3", scale: 1e3, threshold: None },
    Case { task: Task::Friedman3, name: "f3", candidates: 2_000, order: 2, lambda: 1e-5, paper: 10.90, unit: "10^-3", scale: 1e-3, threshold: Some(14.0) },
    Case { task: Task::Friedman3, name: "f3", candidates: 2_000, order: 4, lambda: 1e-5, paper: 13.28, unit: "10^-3", scale: 1e-3, threshold: None },
];

pub fn rows(run: &Run<'_>) -> Result<Vec<Row>, FitError> {
    let selections = [(true, "positive entries"), (false, "largest magnitudes")];
    let lines: Vec<_> = CASES.iter().flat_map(|case| selections.map(|selection| (case, selection))).collect();
    let errors =
        run.over_seeds(&lines, 20, |(case, (positive_only, _)), seed| case.error(*positive_only, seed, run.observer))?;
    let row = |((case, (positive_only, selection)), errors): (&(&Case, (bool, &str)), &Vec<f64>)| {
        let name = format!("{} q = {}, {selection}, mean MSE", case.name, case.order);
        let threshold = case.threshold.filter(|_| *positive_only);
        Row::new("harfe-table2", name, Some(case.paper), mean(errors), case.unit, errors.len()).at_most(threshold)
    };
    Ok(lines.iter().zip(&errors).map(row).collect())
}

impl Case {
    /// Test error for one seed, in units of the table.
    fn error(&self, positive_only: bool, seed: u64, observer: &dyn Observer) -> Result<f64, FitError> {
        let train = self.task.generate(200, self.task.usual_noise(), 2 * seed);
        let test = self.task.generate(1000, 0.0, 2 * seed + 1);
        let harfe = Harfe {
            features: 200,
            candidates: self.candidates,
            order: self.order,
            lambda: self.lambda,
            law: SpectralLaw::Uniform { scale: 1.0 },
            terms: Terms::None,
            positive_only,
            ..Harfe::default()
        };
        let expansion = harfe.fit(&train, seed, observer)?;
        Ok(Metrics::of(&expansion.predict(&test.x), &test.y).mse / self.scale)
    }
}
