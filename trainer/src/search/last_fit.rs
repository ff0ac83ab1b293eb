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

/// The largest number of descents, and the distance of their seeds.
const MOST_STARTS: u64 = 5;
const OTHER_START: u64 = 1 << 33;

/// Fits the finalists to all rows, best first, until a model keeps the budget. Further descents begin only while the
/// run `limited`, which ends with the time of the search, goes on. Returns the model and its trial.
pub(crate) fn fitted(
    evaluator: &Evaluator<'_>,
    data: &Dataset,
    finalists: Vec<Trial>,
    run: &Run<'_>,
    limited: &Run<'_>,
) -> Result<(Fit, Trial), FitError> {
    let mut refused = None;
    let parts = Parts::new(run, vec![1; finalists.len()]);
    for (place, chosen) in finalists.into_iter().enumerate() {
        // An earlier run may have reached another finalist at this place, whose state belongs to another model.
        let name = place.to_string();
        if run.resume(&name).is_none_or(|kept: Trial| kept.candidate != chosen.candidate) {
            run.store(&name, &chosen);
        }
        match last_fit(evaluator, data, chosen, &parts.part(place), limited) {
            Ok(fitted) => return Ok(fitted),
            Err(FitError::Interrupted) => return Err(FitError::Interrupted),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.expect("there is a finalist"))
}

/// Fits a finalist to all rows. A descent may end in a worse minimum than those of the folds: then others start
/// elsewhere, until one is as good or there were enough, and the best of them counts.
fn last_fit(
    evaluator: &Evaluator<'_>,
    data: &Dataset,
    chosen: Trial,
    run: &Run<'_>,
    limited: &Run<'_>,
) -> Result<(Fit, Trial), FitError> {
    let descends = matches!(chosen.candidate.method.name(), "path" | "mixed" | "sgd") && data.classes.is_empty();
    let mut best = evaluator.fit_finalist(data, chosen.clone(), run)?;
    if !descends {
        return Ok(best);
    }
    let mut least = error(&best.0, data);
    for start in 1..MOST_STARTS {
        if !has_failed(least, &best.1.score) || limited.interrupted() {
            break;
        }
        let elsewhere = run.quiet().with_seed(run.seed().wrapping_add(start * OTHER_START));
        match evaluator.fit_finalist(data, chosen.clone(), &elsewhere) {
            Ok(other) if error(&other.0, data) < least => {
                least = error(&other.0, data);
                best = other;
            }
            Err(FitError::Interrupted) => return Err(FitError::Interrupted),
            _ => {}
        }
    }
    Ok(best)
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
    fn after_failed_descents_the_best_of_five_counts() {
        let data = Task::Friedman1.generate(100, 1.0, 1);
        let config = SearchConfig { effort: Some(0.2), ..SearchConfig::new(Conditions::default(), Budget::default()) };
        let trials = search(&data, &config, &Run::new(1)).unwrap().trials;
        let refined = trials.into_iter().find(|trial| trial.candidate.method.name() == "path").unwrap();
        let evaluator = Evaluator::new(Sample { compared: &data, all: &data }, &config);
        let mut bests = Vec::new();
        for seed in 0..4 {
            let run = Run::new(seed);
            let from = |start: u64| {
                let run = Run::new(seed + start * OTHER_START);
                evaluator.fit_finalist(&data, refined.clone(), &run).unwrap().0
            };
            let starts: Vec<Fit> = (0..5).map(from).collect();
            let errors: Vec<f64> = starts.iter().map(|fit| error(fit, &data)).collect();
            let stating = |rmse: f64| Trial { score: Score { rmse, ..refined.score }, ..refined.clone() };
            let fitted = |rmse: f64| last_fit(&evaluator, &data, stating(rmse), &run, &run).unwrap().0.blob;
            assert_eq!(fitted(errors[0]), starts[0].blob, "{seed}");
            let best = (0..5).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap();
            assert_eq!(fitted(errors[best] / 2.0), starts[best].blob, "{seed}");
            // The first of those that are as good as the folds were ends it.
            let second = if errors[1] < errors[0] / 1.2 { 1 } else { 0 };
            assert_eq!(fitted(errors[second] / 1.05), starts[second].blob, "{seed}");
            let over = run.with_time(std::time::Duration::ZERO);
            std::thread::sleep(std::time::Duration::from_millis(1));
            let hurried = last_fit(&evaluator, &data, stating(errors[best] / 2.0), &run, &over).unwrap().0.blob;
            assert_eq!(hurried, starts[0].blob, "{seed}");
            bests.push(best);
        }
        assert!(bests.iter().any(|&best| best > 1), "{bests:?}");
    }
}
