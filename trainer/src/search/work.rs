//! The work of fits, in a unit that does not depend on the machine: about a second of one core of a desktop computer of
//! the 2020s.

use crate::method::MethodConfig;
use crate::method::sgd::Sgd;
use crate::search::compaction;

/// Operations of a unit.
const UNIT: f64 = 6e9;

/// Operations of a fit beside those that grow with rows and features.
const FIXED: f64 = 2e6;

/// Returns the units of `fits` fits of a method to `rows` rows of `inputs` inputs.
pub(crate) fn of_fits(method: &MethodConfig, fits: usize, rows: usize, inputs: usize) -> f64 {
    let (rows, inputs) = (rows as f64, inputs as f64);
    let settings = method.tunable();
    let features = settings.features as f64;
    let order = settings.order.map_or(inputs, |order| inputs.min(order as f64));
    let squares = |columns: f64| rows * columns * columns;
    let operations = if let Some(compact) = compaction::settings(method) {
        let considered = features * compact.excess;
        let chosen = 4.0 * rows * compact.candidates as f64 * (order + considered * compact.rounds as f64);
        let batch = rows.min(compact.batch as f64);
        let refined = 4.0 * batch * considered * (considered + order) * compact.refine as f64;
        chosen + refined + squares(considered)
    } else if let Some(descent) = method.downcast::<Sgd>() {
        let batch = rows.min(descent.batch as f64);
        6.0 * batch * features * order * descent.steps as f64 + squares(features)
    } else {
        4.0 * squares(features) + squares(inputs) + 4.0 * rows * features * order
    };
    fits as f64 * (FIXED + operations) / UNIT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Terms;

    #[test]
    fn work_grows_with_fits_rows_and_steps() {
        let compact = compaction::refined(12, Some(2), Terms::Intercept, 1.0);
        let of = |method: &MethodConfig, fits, rows| of_fits(method, fits, rows, 5);
        let one = of(&compact, 1, 1000);
        assert!((of(&compact, 10, 1000) - 10.0 * one).abs() < 1e-12);
        // All but the fixed part grows with the rows.
        assert!((of(&compact, 1, 2000) - 2.0 * one + FIXED / UNIT).abs() < 1e-12);
        let longer = compaction::edited(compact.clone(), |compact| compact.refine *= 2);
        assert!((1.1 * one..2.0 * one).contains(&of(&longer, 1, 1000)));
    }
}
