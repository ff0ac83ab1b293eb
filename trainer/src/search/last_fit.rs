//! The fit of the chosen candidate to all rows.

use crate::data::Dataset;
use crate::error::FitError;
use crate::export;
use crate::fit::Fit;
use crate::run::{Parts, Run};
use crate::search::evaluator::Evaluator;
use crate::search::policy::MORE_STEPS;
use crate::search::trials::Trial;
use crate::validate::Metrics;

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
/// more steps. The model with the less error on the fitted rows counts.
fn last_fit(
    evaluator: &Evaluator<'_>,
    data: &Dataset,
    chosen: Trial,
    run: &Run<'_>,
    limited: &Run<'_>,
) -> Result<(Fit, Trial), FitError> {
    let descends = matches!(chosen.candidate.method.name(), "path" | "mixed") && data.classes.is_empty();
    let (fit, fitted) = evaluator.fit_finalist(data, chosen, run)?;
    let steps = fitted.candidate.method.setting::<usize>("refine").filter(|_| descends && !limited.interrupted());
    let longer = steps.and_then(|steps| fitted.candidate.with_setting("refine", MORE_STEPS * steps));
    let Some(candidate) = longer else { return Ok((fit, fitted)) };
    let longer = Trial { candidate: candidate.clone(), ..fitted.clone() };
    match evaluator.fit_finalist(data, longer, &limited.quiet()) {
        Ok((other, trial)) if error(&other, data) < error(&fit, data) => {
            // The score is that of the settings that were validated.
            Ok((other, if trial.candidate == candidate { fitted } else { trial }))
        }
        Err(FitError::Interrupted) if run.interrupted() => Err(FitError::Interrupted),
        _ => Ok((fit, fitted)),
    }
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

    #[test]
    fn the_last_descent_is_longer_if_it_helps_and_there_is_time() {
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
        for seed in 0..4 {
            let run = Run::new(seed);
            let own = evaluator.fit_finalist(&data, refined.clone(), &run).unwrap().0;
            let other = evaluator.fit_finalist(&data, longer.clone(), &run).unwrap().0;
            assert!(error(&other, &data) < error(&own, &data), "{seed}");
            let fitted = |limited: &Run| last_fit(&evaluator, &data, refined.clone(), &run, limited).unwrap();
            let (fit, trial) = fitted(&run);
            assert_eq!((&fit.blob, &trial.candidate), (&other.blob, &refined.candidate), "{seed}");
            let over = run.with_time(std::time::Duration::ZERO);
            std::thread::sleep(std::time::Duration::from_millis(1));
            assert_eq!(fitted(&over).0.blob, own.blob, "{seed}");
        }
    }
}
