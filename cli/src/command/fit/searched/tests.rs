//! Tests of the report of a search.

use srfm_trainer::data::Task;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::search::{SearchConfig, search};
use srfm_trainer::{Conditions, Run};

use super::*;

#[test]
fn baselines_are_compared_with_the_model_on_the_folds_of_the_trials() {
    let (mut data, mut sampler) = (Task::Friedman1.generate(100, 0.0, 1), Sampler::new(1));
    let noisy = data.x.column(0).map(|x| x + sampler.uniform(-0.5, 0.5));
    data.y.column_mut(0).copy_from(&noisy);
    let budget = Budget::default();
    let config = SearchConfig { effort: Some(0.1), ..SearchConfig::new(Conditions::default(), budget) };
    let mut found = search(&data, &config, &Run::new(1)).unwrap();
    let better = |found: &Found| Report::of(found.clone(), &config.budget, false).1.unwrap().better_baseline;
    assert_eq!(better(&found), None);
    // The error on the folds of the finals has no part.
    found.chosen.score.standardised_mse *= 1e6;
    assert_eq!(better(&found), None);
    let chosen = found.chosen.candidate.clone();
    let trial = found.trials.iter_mut().find(|trial| trial.candidate == chosen).unwrap();
    trial.score.standardised_mse *= 1e6;
    assert!(better(&found).is_some());
}

#[test]
fn another_number_format_is_named() {
    let said = |candidate: &str, number, other_number| {
        Chosen { candidate: candidate.to_owned(), number, flash_bytes: 96, other_number, smallest: false }.to_string()
    };
    assert!(said("linear", "f32", true).starts_with("chosen        linear, f32, 96 bytes: "));
    assert!(said("linear, int16", "int16", true).starts_with("chosen        linear, int16, 96 bytes: "));
    assert!(said("linear", "f32", false).starts_with("chosen        linear, 96 bytes: "));
}
