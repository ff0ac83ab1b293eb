//! The fit of the chosen candidate to all rows.

use crate::data::Dataset;
use crate::error::FitError;
use crate::export;
use crate::fit::Fit;
use crate::run::{Parts, Run};
use crate::search::evaluator::Evaluator;
use crate::search::policy::{MORE_STEPS, MOST_STARTS};
use crate::search::trials::Trial;
use crate::validate::Metrics;

/// The distance of the seeds of descents that start elsewhere.
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

/// Fits a finalist to all rows.
///
/// One fit may take more time than each of those to the folds, which chose the settings: the same descent goes on for
/// more steps. It may end in a worse minimum than those of the folds, whose errors are of rows that they were not
/// fitted to: then others start elsewhere, until one is as good or there were enough. The model with the least error on
/// the fitted rows counts.
fn last_fit(
    evaluator: &Evaluator<'_>,
    data: &Dataset,
    chosen: Trial,
    run: &Run<'_>,
    limited: &Run<'_>,
) -> Result<(Fit, Trial), FitError> {
    let descends = matches!(chosen.candidate.method.name(), "path" | "mixed" | "sgd") && data.classes.is_empty();
    let (mut fit, fitted) = evaluator.fit_finalist(data, chosen, run)?;
    if !descends {
        return Ok((fit, fitted));
    }
    let steps = fitted.candidate.method.setting::<usize>("refine");
    let longer = steps.and_then(|steps| fitted.candidate.with_setting("refine", MORE_STEPS * steps));
    let first = if longer.is_some() { 0 } else { 1 };
    let longest = Trial { candidate: longer.unwrap_or_else(|| fitted.candidate.clone()), ..fitted.clone() };
    let mut least = error(&fit, data);
    let mut best = fitted.clone();
    for start in first..=MOST_STARTS {
        if start > 0 && least <= best.score.rmse || limited.interrupted() {
            break;
        }
        let elsewhere = limited.quiet().with_seed(run.seed().wrapping_add(start * OTHER_START));
        match evaluator.fit_finalist(data, longest.clone(), &elsewhere) {
            Ok((other, trial)) if error(&other, data) < least => {
                least = error(&other, data);
                fit = other;
                // The score is that of the settings that were validated.
                best = if trial.candidate == longest.candidate { fitted.clone() } else { trial };
            }
            Err(FitError::Interrupted) if run.interrupted() => return Err(FitError::Interrupted),
            _ => {}
        }
    }
    Ok((fit, best))
}

/// Returns the root mean squared error of a model on the rows that it was fitted to.
fn error(fit: &Fit, data: &Dataset) -> f64 {
    Metrics::weighted(&export::predict(&fit.blob, &data.x).cast(), &data.y, &data.row_weights()).rmse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Budget;
    use crate::data::Task;
    use crate::fit::Conditions;
    use crate::search::sample::Sample;
    use crate::search::{SearchConfig, search};
    use crate::validate::Score;

    #[test]
    fn after_failed_descents_the_best_of_all_counts() {
        let data = Task::Friedman1.generate(100, 1.0, 1);
        let config = SearchConfig { effort: Some(0.2), ..SearchConfig::new(Conditions::default(), Budget::default()) };
        let trials = search(&data, &config, &Run::new(1)).unwrap().trials;
        let few = trials.into_iter().find(|trial| trial.candidate.method.name() == "path").unwrap();
        // Descents of few waves end before their steps do.
        let many = few.candidate.with(few.candidate.method.clone().tuned(|t| t.features = 50));
        let refined = Trial { candidate: many, ..few };
        let steps: usize = refined.candidate.method.setting("refine").unwrap();
        let longer = refined.candidate.with_setting("refine", 5 * steps).unwrap();
        let longer = Trial { candidate: longer, ..refined.clone() };
        let evaluator = Evaluator::new(Sample { compared: &data, all: &data }, &config);
        let mut bests = Vec::new();
        for seed in 0..4 {
            let run = Run::new(seed);
            let own = evaluator.fit_finalist(&data, refined.clone(), &run).unwrap().0;
            let from = |start: u64| {
                let run = Run::new(seed + start * OTHER_START);
                evaluator.fit_finalist(&data, longer.clone(), &run).unwrap().0
            };
            let starts: Vec<Fit> = (0..=MOST_STARTS).map(from).collect();
            let errors: Vec<f64> = starts.iter().map(|fit| error(fit, &data)).collect();
            assert!(errors[0] < error(&own, &data), "{seed}");
            let stating = |rmse: f64| Trial { score: Score { rmse, ..refined.score }, ..refined.clone() };
            let fitted =
                |rmse: f64, limited: &Run| last_fit(&evaluator, &data, stating(rmse), &run, limited).unwrap().0.blob;
            // More steps are taken anyway, and other starts where the model is worse than was stated.
            assert_eq!(fitted(errors[0], &run), starts[0].blob, "{seed}");
            let best = (0..errors.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap();
            assert_eq!(fitted(errors[best] / 2.0, &run), starts[best].blob, "{seed}");
            // The first of those that are as good as the folds were ends it.
            let second = if errors[1] < errors[0] { 1 } else { 0 };
            assert_eq!(fitted(errors[second], &run), starts[second].blob, "{seed}");
            let over = run.with_time(std::time::Duration::ZERO);
            std::thread::sleep(std::time::Duration::from_millis(1));
            assert_eq!(fitted(errors[best] / 2.0, &over), own.blob, "{seed}");
            bests.push(best);
        }
        assert!(bests.iter().any(|&best| best > 1), "{bests:?}");
    }
}
