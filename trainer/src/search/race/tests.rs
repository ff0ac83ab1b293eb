use super::*;
use crate::data::{Split, Splitter, Task};
use crate::export::{Encoding, NumberFormat};
use crate::method::{Compact, Terms};
use crate::scaling::Preprocessing;
use crate::search::Candidate;
use crate::search::remote::tests::Local;
use crate::validate::Metric;

fn folds() -> Folds {
    let (preprocessing, encoding) = (Preprocessing::default(), Encoding::default());
    Folds {
        count: 5,
        fitted: 5,
        split: Splitter::Random,
        given: None,
        preprocessing,
        encoding,
        metric: Metric::default(),
    }
}

fn judge<'a>(data: &'a Dataset, folds: &'a Folds, divisions: u64, run: &'a Run<'a>) -> Judge<'a> {
    Judge { data, folds, divisions, rules_out: true, run }
}

/// Compaction of eight waves of two inputs.
fn few_waves() -> MethodConfig {
    MethodConfig::from(Compact { features: 8, order: Some(2), terms: Terms::Intercept, ..Compact::default() })
}

/// Compaction with each of three penalties, one of which leaves the mean.
fn penalised() -> Vec<MethodConfig> {
    let start = few_waves();
    [1e-5, 1e-3, 1e6].map(|lambda| start.clone().tuned(|t| t.lambda = Some(lambda))).to_vec()
}

#[test]
fn candidates_that_stay_have_the_score_of_all_folds() {
    for (seed, divisions) in [(0, 1), (1, 1), (2, 3)] {
        let data = Task::Friedman1.generate(200, 1.0, seed);
        let (run, folds, methods) = (Run::new(seed), folds(), penalised());
        let judge = judge(&data, &folds, divisions, &run);
        let judged = judge.judged(&methods, None).unwrap();
        let whole = mean_over_divisions(divisions, &run, |_, run| validate(&methods, &data, &folds, run)).unwrap();
        assert_eq!(judged.len(), 3);
        // A penalty of a million leaves the mean, and nothing rules the best one out.
        assert!(judged[2].ruled_out && judged.iter().any(|judged| !judged.ruled_out));
        for (judged, whole) in judged.iter().zip(&whole) {
            if judged.ruled_out {
                // A fifth of the rows tells the ratio of such errors within a third.
                let ratio = judged.validated.score.standardised_mse / whole.score.standardised_mse;
                assert!((0.67..1.5).contains(&ratio), "{seed}: {ratio}");
            } else {
                assert_eq!(&judged.validated, whole);
            }
        }
        let all = Judge { rules_out: false, ..judge }.judged(&methods, None).unwrap();
        assert!(all.iter().zip(&whole).all(|(judged, whole)| !judged.ruled_out && judged.validated == *whole));
    }
}

#[test]
fn the_fold_with_the_most_rows_to_fit_rules_out() {
    let data = Task::Friedman1.generate(240, 1.0, 1);
    let (run, folds) = (Run::new(1), Folds { split: Splitter::Forward, ..folds() });
    let judged = judge(&data, &folds, 1, &run).judged(&penalised(), None).unwrap();
    let last = folds.splits(&data, 1).unwrap().pop().unwrap();
    let (train, test) = (data.select(&last.train), data.select(&last.test));
    assert_eq!((train.rows(), test.rows(), judged[2].last_fold.len()), (200, 40, 40));
    // The mean of the rows before, in units of the variance of all rows.
    let errors = test.y.add_scalar(-train.y.mean());
    let mse = errors.norm_squared() / 40.0 / data.y.column(0).variance();
    let found = sum(&judged[2].last_fold) / 40.0;
    assert!(judged[2].ruled_out && (found / mse - 1.0).abs() < 1e-3, "{found} {mse}");
}

#[test]
fn errors_of_classes_and_few_rows_rule_nothing_out() {
    let mut data = Task::Friedman1.generate(200, 1.0, 1);
    let (run, folds, methods) = (Run::new(1), folds(), penalised());
    let few = data.select(&(0..100).collect::<Vec<_>>());
    let judged = judge(&few, &folds, 1, &run).judged(&methods, None).unwrap();
    assert!(judged.iter().all(|judged| !judged.ruled_out && judged.last_fold.is_empty()));
    data.y.apply(|target| *target = f64::from(*target > 14.0));
    data.classes = vec!["low".into(), "high".into()];
    for metric in [Metric::Accuracy, Metric::Balanced] {
        let folds = Folds { metric, ..folds.clone() };
        let judged = judge(&data, &folds, 1, &run).judged(&methods, None).unwrap();
        assert!(judged.iter().all(|judged| !judged.ruled_out && judged.last_fold.is_empty()));
    }
    // The losses of probabilities are compared row by row.
    for metric in [Metric::LogLoss, Metric::Brier] {
        let folds = Folds { metric, ..folds.clone() };
        let judged = judge(&data, &folds, 1, &run).judged(&methods, None).unwrap();
        assert!(judged[2].ruled_out && judged.iter().any(|judged| !judged.ruled_out), "{metric:?}");
        let [best, poor] = [0, 2].map(|place: usize| judged[place].validated.score.class_loss.unwrap());
        assert!(best.metric == metric && poor.metric == metric && best.loss < poor.loss);
    }
}

#[test]
fn a_bar_rules_out_what_is_worse_and_one_to_beat_what_is_no_better() {
    let data = Task::Friedman1.generate(200, 1.0, 1);
    let (run, folds) = (Run::new(1), folds());
    let start = few_waves();
    let of = |lambda: f64, bar: Option<Bar<'_>>| {
        let methods = [start.clone().tuned(|t| t.lambda = Some(lambda))];
        judge(&data, &folds, 1, &run).judged(&methods, bar).unwrap().remove(0)
    };
    let trial = |judged: Judged| Trial {
        candidate: Candidate {
            method: start.clone(),
            warps: Vec::new(),
            without: Vec::new(),
            number: NumberFormat::F32,
        },
        features: 8,
        score: judged.validated.score,
        ruled_out: false,
        over_budget: false,
        certainty: Certainty::default(),
        heavy_tails: false,
        last_fold: judged.last_fold,
        flash_bytes: 0,
        work: None,
    };
    let alone = of(1e6, None);
    assert_eq!((alone.ruled_out, alone.last_fold.len()), (false, 40));
    let (mean, best) = (trial(alone), trial(of(1e-3, None)));
    let beside = |trial| Some(Bar { trial, is_to_beat: false });
    let instead = |trial| Some(Bar { trial, is_to_beat: true });
    let poor = of(1e6, beside(&best));
    assert!(poor.ruled_out);
    let ratio = sum(&poor.last_fold) / sum(&best.last_fold);
    assert_eq!(poor.validated.score.standardised_mse, ratio * best.score.standardised_mse);
    // The same candidate is neither worse nor better than itself.
    assert!(!of(1e-3, beside(&best)).ruled_out && of(1e-3, instead(&best)).ruled_out);
    assert!(!of(1e-3, instead(&mean)).ruled_out);
}

#[test]
fn one_fold_is_all_there_is() {
    let data = Task::Friedman1.generate(200, 1.0, 1);
    let split = Split { train: (0..140).collect(), test: (140..200).collect() };
    let (run, folds) = (Run::new(1), Folds { given: Some([split].into()), ..folds() });
    let methods = penalised();
    let judged = judge(&data, &folds, 1, &run).judged(&methods, None).unwrap();
    let whole = validate(&methods, &data, &folds, &run).unwrap();
    assert!(judged.iter().zip(&whole).all(|(judged, whole)| !judged.ruled_out && judged.validated == *whole));
}

#[test]
fn folds_that_have_a_worker_each_are_fitted_at_the_same_time() {
    let (data, folds, methods) = (Task::Friedman1.generate(200, 1.0, 1), folds(), penalised());
    let alone = judge(&data, &folds, 1, &Run::new(1)).judged(&methods, None).unwrap();
    for (count, expected) in [(4, vec![1, 4]), (5, vec![5])] {
        let workers = Local::new(count, 0);
        let run = Run::new(1).with_workers(&workers);
        let judged = judge(&data, &folds, 1, &run).judged(&methods, None).unwrap();
        assert_eq!(workers.calls.into_inner().unwrap(), expected);
        for (judged, alone) in judged.iter().zip(&alone) {
            assert_eq!((&judged.validated, judged.ruled_out), (&alone.validated, alone.ruled_out));
            assert_eq!(judged.last_fold, alone.last_fold);
        }
    }
}
