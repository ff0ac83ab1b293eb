//! À la carte: laws of a fit, fits that are stopped and go on, and the papers' claims at a small scale.

use crate::data::Dataset;
use crate::data::generate::Task;
use crate::method::a_la_carte::ALaCarte;
use crate::method::common::testing::{part, rows, scaled};
use crate::method::fourier::Fourier;
use crate::method::{Method, MethodError, Terms};
use crate::run::{Run, Stopping};
use crate::validate::score::Metrics;

fn quick_mixture() -> ALaCarte {
    ALaCarte { features: 20, components: 2, restarts: 3, restart_iterations: 10, iterations: 60, ..ALaCarte::default() }
}

#[test]
fn a_learned_mixture_beats_a_law_that_is_the_same_for_every_input() {
    // Steep in one input, flat in another, and three that do not matter.
    let target = |x: &[f64]| (3.0 * x[1]).sin() + 0.5 * x[3];
    for seed in 0..3 {
        let (train, test) = (rows(500, 5, seed, target), rows(500, 5, seed + 50, target));
        let mixture = ALaCarte { order: 5, terms: Terms::Intercept, ..quick_mixture() };
        let learned = mixture.fit_expansion(&train, &Run::new(seed)).unwrap();
        let error = |r2: f64| 1.0 - r2;
        let ours = error(Metrics::from_predictions(&learned.predict(&test.x), &test.y).r2);
        let fixed = Fourier { features: 20, order: 5, terms: Terms::Intercept, ..Fourier::default() };
        let plain = error(
            Metrics::from_predictions(&fixed.fit_expansion(&train, &Run::new(seed)).unwrap().predict(&test.x), &test.y)
                .r2,
        );
        assert!(ours < 0.05 * plain, "{seed}: {ours} learned, {plain} fixed");
    }
}

#[test]
fn a_mixture_goes_on_from_where_it_was_stopped() {
    let data = scaled(Task::Friedman2, 200, 4);
    let mixture = quick_mixture();
    let undisturbed = mixture.fit_expansion(&data, &Run::new(1)).unwrap();
    let mut states = Vec::new();
    for after in [1, 1] {
        let stopping = Stopping::from(states, after);
        assert_eq!(mixture.fit_expansion(&data, &stopping.run(1)), Err(MethodError::Interrupted));
        states = stopping.states.into_inner().unwrap();
    }
    let last = Stopping::from(states, usize::MAX);
    assert_eq!(mixture.fit_expansion(&data, &last.run(1)).unwrap(), undisturbed);
}

#[test]
fn mixtures_of_what_they_cannot_have_are_refused() {
    let data = scaled(Task::Friedman2, 50, 1);
    let refused = |mixture: ALaCarte| mixture.fit_expansion(&data, &Run::new(1)).unwrap_err().to_string();
    assert!(refused(ALaCarte { components: 0, ..quick_mixture() }).contains("components"));
    assert!(refused(ALaCarte { restarts: 0, ..quick_mixture() }).contains("restarts"));
    assert!(refused(ALaCarte { folds: 1, ..quick_mixture() }).contains("folds"));
    assert!(refused(ALaCarte { order: 5, ..quick_mixture() }).contains("order of 5"));
    let few = ALaCarte { terms: Terms::Intercept, ..quick_mixture() }.fit_expansion(&part(&data, 0..3), &Run::new(1));
    assert!(matches!(few, Err(MethodError::TooFewRows { rows: 3, needed: 5, .. })), "{few:?}");
    // More components than features, a constant column, as many rows as folds.
    let mixture = ALaCarte { features: 3, components: 7, terms: Terms::Intercept, ..quick_mixture() };
    let constant = Dataset { x: data.x.clone().insert_column(2, 0.0), ..data.clone() };
    assert!(mixture.fit_expansion(&constant, &Run::new(1)).unwrap().predict(&constant.x).iter().all(|y| y.is_finite()));
    assert!(mixture.fit_expansion(&part(&data, 0..5), &Run::new(1)).is_ok());
}
