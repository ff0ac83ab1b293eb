//! The fit of the chosen candidate to all rows.

use crate::data::Dataset;
use crate::error::FitError;
use crate::export;
use crate::fit::Fit;
use crate::run::{Parts, Run};
use crate::search::evaluator::Evaluator;
use crate::search::trials::Trial;
use crate::validate::{Metrics, Score};

/// The ratio of the error of a last fit to the stated error from which on a descent counts as failed.
const FAILED: f64 = 1.1;

/// The distance of the seed of another descent.
const OTHER_START: u64 = 1 << 33;

/// Fits the finalists to all rows, best first, until a model keeps the budget. Returns the model and its trial.
pub(crate) fn fitted(
    evaluator: &Evaluator<'_>,
    data: &Dataset,
    finalists: Vec<Trial>,
    run: &Run<'_>,
) -> Result<(Fit, Trial), FitError> {
    let mut refused = None;
    let parts = Parts::new(run, vec![1; finalists.len()]);
    for (place, chosen) in finalists.into_iter().enumerate() {
        // An earlier run may have reached another finalist at this place, whose state belongs to another model.
        let name = place.to_string();
        if run.resume(&name).is_none_or(|kept: Trial| kept.candidate != chosen.candidate) {
            run.store(&name, &chosen);
        }
        match last_fit(evaluator, data, chosen, &parts.part(place)) {
            Ok(fitted) => return Ok(fitted),
            Err(FitError::Interrupted) => return Err(FitError::Interrupted),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.expect("there is a finalist"))
}

/// Fits a finalist to all rows. A descent may end in a worse minimum than those of the folds: then another one starts
/// elsewhere, and the better of the two counts.
fn last_fit(evaluator: &Evaluator<'_>, data: &Dataset, chosen: Trial, run: &Run<'_>) -> Result<(Fit, Trial), FitError> {
    let descends = matches!(chosen.candidate.method.name(), "path" | "mixed" | "sgd") && data.classes.is_empty();
    let first = evaluator.fit_finalist(data, chosen.clone(), run)?;
    if !descends || !has_failed(error(&first.0, data), &first.1.score) {
        return Ok(first);
    }
    let elsewhere = run.quiet().with_seed(run.seed().wrapping_add(OTHER_START));
    match evaluator.fit_finalist(data, chosen, &elsewhere) {
        Ok(second) if error(&second.0, data) < error(&first.0, data) => Ok(second),
        Err(FitError::Interrupted) => Err(FitError::Interrupted),
        _ => Ok(first),
    }
}

/// Returns the root mean squared error of a model on the rows that it was fitted to.
fn error(fit: &Fit, data: &Dataset) -> f64 {
    Metrics::from_predictions(&export::predict(&fit.blob, &data.x).cast(), &data.y).rmse
}

/// Returns whether the error on the fitted rows is much larger than the stated one, which is of rows that were not.
fn has_failed(error: f64, stated: &Score) -> bool {
    error > FAILED * stated.rmse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Budget;
    use crate::data::Task;
    use crate::fit::{Conditions, FitConfig, fit};
    use crate::search::sample::Sample;
    use crate::search::{SearchConfig, search};

    #[test]
    fn a_model_of_other_rows_has_failed() {
        let (data, other) = (Task::Friedman1.generate(300, 1.0, 1), Task::Friedman1.generate(300, 1.0, 2));
        let fit = fit(&data, &FitConfig::default(), &Run::new(1)).unwrap();
        let stated = fit
            .tried
            .iter()
            .map(|(_, score)| score)
            .min_by(|a, b| a.standardised_mse.total_cmp(&b.standardised_mse))
            .unwrap();
        assert!(!has_failed(error(&fit, &data), stated));
        // The targets of other inputs.
        assert!(has_failed(error(&fit, &Dataset { x: data.x, ..other }), stated));
    }

    #[test]
    fn after_a_failed_descent_the_better_of_two_counts() {
        let data = Task::Friedman1.generate(100, 1.0, 1);
        let config = SearchConfig { effort: Some(0.2), ..SearchConfig::new(Conditions::default(), Budget::default()) };
        let trials = search(&data, &config, &Run::new(1)).unwrap().trials;
        let refined = trials.into_iter().find(|trial| trial.candidate.method.name() == "path").unwrap();
        let evaluator = Evaluator::new(Sample { compared: &data, all: &data }, &config);
        let mut second_is_better = Vec::new();
        for seed in 0..8 {
            let run = Run::new(seed);
            let from = |seed: u64| evaluator.fit_finalist(&data, refined.clone(), &Run::new(seed)).unwrap().0;
            let (first, second) = (from(seed), from(seed + OTHER_START));
            let stating = |rmse: f64| Trial { score: Score { rmse, ..refined.score }, ..refined.clone() };
            let fitted = |rmse: f64| last_fit(&evaluator, &data, stating(rmse), &run).unwrap().0.blob;
            let reached = error(&first, &data);
            assert_eq!(fitted(reached), first.blob, "{seed}");
            let is_better = error(&second, &data) < reached;
            assert_eq!(fitted(reached / 2.0), if is_better { second.blob } else { first.blob }, "{seed}");
            second_is_better.push(is_better);
        }
        assert!(second_is_better.contains(&true) && second_is_better.contains(&false), "{second_is_better:?}");
    }
}
