//! Candidates that the first fold rules out.
//!
//! Most candidates of a search are worse than the best one so far, and one fold often shows it. Where another candidate
//! is clearly better on the rows of that fold, the other folds are left out.

use crate::data::Dataset;
use crate::error::FitError;
use crate::method::MethodConfig;
use crate::run::Run;
use crate::search::trials::Trial;
use crate::validate::cross_validation::{Division, Folds, mean_over_divisions, validate};
use crate::validate::score::FoldError;
use crate::validate::{Score, Validated, is_better};

/// The number of standard errors of the mean difference of the rows' squared errors by which the other candidate must
/// be better. A candidate that only seems worse is lost, so the number is a matter of time: with 1 in place of 2,
/// searches of two seconds on 57 sets found models of 0.6 % less error. Searches of twelve seconds on ten sets found
/// models of 3 % more.
const CLEARLY: f64 = 2.0;

/// The least number of rows of the first fold. Fewer rows tell little, and their fits take little time.
const LEAST_ROWS: usize = 30;

/// What the folds say of a candidate.
pub(crate) struct Judged {
    /// The score and the intervals; of a candidate that is ruled out, an estimate of the score alone.
    pub validated: Validated,
    /// The squared errors of the rows of the first fold, as in [`Validated`].
    pub first_fold: Vec<f64>,
    /// Whether the first fold ruled the candidate out.
    pub ruled_out: bool,
}

/// Cross-validates methods on some divisions of the rows into folds, and leaves all but the first fold out for those
/// that are clearly worse there than `bar` or than the best of the others. `beside` is done at the same time as the
/// other folds, unless all methods are ruled out.
///
/// # Errors
/// Those of [`validate`].
pub(crate) fn judged<T: Send>(
    methods: &[MethodConfig],
    (data, folds, divisions): (&Dataset, &Folds, u64),
    bar: Option<&Trial>,
    beside: impl FnOnce() -> T + Send,
    run: &Run<'_>,
) -> Result<(Vec<Judged>, Option<T>), FitError> {
    let division = Division::new(data, folds, run.seed())?;
    let errors = division.errors(methods, 0..1, run)?;
    let race = Race { methods, data, folds, divisions, division: &division, errors: &errors, run };
    let first: Vec<Vec<f64>> = errors.iter().map(|errors| division.validated(errors).squares).collect();

    let below = |place: &usize| bar.is_some_and(|bar| is_clearly_worse(&first[*place], &bar.first_fold));
    let (_, above): (Vec<usize>, Vec<usize>) = (0..methods.len()).partition(below);
    let measured = above.iter().copied().filter(|&place| !first[place].is_empty());
    let leader = measured.min_by(|&a, &b| sum(&first[a]).total_cmp(&sum(&first[b])));
    let behind = |place: &usize| leader.is_some_and(|leader| is_clearly_worse(&first[*place], &first[leader]));
    let (mut behind, open): (Vec<usize>, Vec<usize>) = above.into_iter().partition(behind);

    let mut validated: Vec<Option<Validated>> = methods.iter().map(|_| None).collect();
    let mut done = None;
    if !open.is_empty() {
        let (judged, beside) = run.join(|| race.validated(&open), beside);
        done = Some(beside);
        open.iter().zip(judged?).for_each(|(&place, judged)| validated[place] = Some(judged));
    }
    let of_leader = leader.and_then(|leader| validated[leader].as_ref()).map(|leader| leader.score);
    if of_leader.is_some_and(|score| score.mse.is_infinite()) && !behind.is_empty() {
        // The device cannot hold the leader of another fold, so that it rules no method out.
        let judged = race.validated(&behind)?;
        behind.drain(..).zip(judged).for_each(|(place, judged)| validated[place] = Some(judged));
    }

    let estimate = |place: usize| -> Option<Score> {
        let (score, other) = match leader.filter(|_| behind.contains(&place)) {
            Some(leader) => (of_leader?, &first[leader]),
            None => bar.map(|bar| (bar.score, &bar.first_fold))?,
        };
        Some(score.times(sum(&first[place]) / sum(other)))
    };
    let of_method = |(place, validated): (usize, Option<Validated>)| {
        let (ruled_out, first_fold) = (validated.is_none(), first[place].clone());
        let estimated = || Some(Validated { score: estimate(place)?, half_widths: Vec::new(), squares: Vec::new() });
        let validated = validated.or_else(estimated).expect("what is ruled out is worse than something");
        Judged { validated, first_fold, ruled_out }
    };
    Ok((validated.into_iter().enumerate().map(of_method).collect(), done))
}

/// Methods after the first fold.
struct Race<'a> {
    methods: &'a [MethodConfig],
    data: &'a Dataset,
    folds: &'a Folds,
    divisions: u64,
    division: &'a Division<'a>,
    /// The errors of every method in the first fold.
    errors: &'a [Vec<FoldError>],
    run: &'a Run<'a>,
}

impl Race<'_> {
    /// Cross-validates some of the methods in all other folds.
    fn validated(&self, places: &[usize]) -> Result<Vec<Validated>, FitError> {
        let Race { data, folds, division, errors, run, .. } = *self;
        let methods: Vec<MethodConfig> = places.iter().map(|&place| self.methods[place].clone()).collect();
        mean_over_divisions(self.divisions, run, |number| {
            if number > 0 {
                return validate(&methods, data, folds, &run.with_seed(run.seed().wrapping_add(number)));
            }
            let others = division.errors(&methods, 1..division.folds(), run)?;
            let all = |(&place, others): (&usize, Vec<FoldError>)| [errors[place].clone(), others].concat();
            Ok(places.iter().zip(others).map(|pair| division.validated(&all(pair))).collect())
        })
    }
}

/// Returns whether squared errors are clearly larger than others of the same rows.
fn is_clearly_worse(squares: &[f64], others: &[f64]) -> bool {
    let comparable = squares.len() == others.len() && squares.len() >= LEAST_ROWS && sum(others) > 0.0;
    comparable && is_better(others, squares, CLEARLY)
}

fn sum(squares: &[f64]) -> f64 {
    squares.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Split, Splitter, Task};
    use crate::export::{Encoding, NumberFormat};
    use crate::method::Terms;
    use crate::scaling::Preprocessing;
    use crate::search::Candidate;
    use crate::search::compaction;

    fn folds() -> Folds {
        let (preprocessing, encoding) = (Preprocessing::default(), Encoding::default());
        Folds { count: 5, split: Splitter::Random, given: None, preprocessing, encoding }
    }

    #[test]
    fn candidates_that_stay_have_the_score_of_all_folds() {
        for seed in 0..3 {
            let data = Task::Friedman1.generate(200, 1.0, seed);
            let start = compaction::refined(8, Some(2), Terms::Intercept, 1.0);
            let methods: Vec<MethodConfig> =
                [1e-5, 1e-3, 1e6].map(|lambda| start.clone().tuned(|t| t.lambda = Some(lambda))).to_vec();
            let (run, folds) = (Run::new(seed), folds());
            let (judged, beside) = judged(&methods, (&data, &folds, 1), None, || 7, &run).unwrap();
            let whole = validate(&methods, &data, &folds, &run).unwrap();
            assert_eq!((beside, judged.len()), (Some(7), 3));
            // A penalty of a million leaves the mean, and nothing rules the best one out.
            assert!(judged[2].ruled_out && judged.iter().any(|judged| !judged.ruled_out));
            for (judged, whole) in judged.iter().zip(&whole) {
                if judged.ruled_out {
                    // A fifth of the rows tells the ratio of such errors within a third.
                    let ratio = judged.validated.score.mse / whole.score.mse;
                    assert!((0.67..1.5).contains(&ratio), "{seed}: {ratio}");
                } else {
                    assert_eq!(&judged.validated, whole);
                }
            }
        }
    }

    #[test]
    fn nothing_is_done_beside_candidates_that_are_all_ruled_out() {
        let data = Task::Friedman1.generate(200, 1.0, 1);
        let (run, folds) = (Run::new(1), folds());
        let start = compaction::refined(8, Some(2), Terms::Intercept, 1.0);
        let of = |lambda: f64, bar: Option<&Trial>| {
            let methods = [start.clone().tuned(|t| t.lambda = Some(lambda))];
            let (mut judged, beside) = judged(&methods, (&data, &folds, 1), bar, || (), &run).unwrap();
            (judged.remove(0), beside)
        };
        let (best, _) = of(1e-3, None);
        let candidate =
            Candidate { method: start.clone(), warps: Vec::new(), without: Vec::new(), number: NumberFormat::F32 };
        let bar = Trial {
            candidate,
            features: 8,
            score: best.validated.score,
            ruled_out: false,
            over_budget: false,
            half_widths: Vec::new(),
            first_fold: best.first_fold,
            flash_bytes: 0,
            instructions: None,
        };
        let (alone, beside) = of(1e6, None);
        assert_eq!((alone.ruled_out, alone.first_fold.len(), beside), (false, 40, Some(())));
        let (poor, beside) = of(1e6, Some(&bar));
        assert_eq!((poor.ruled_out, beside), (true, None));
        let ratio = sum(&poor.first_fold) / sum(&bar.first_fold);
        assert_eq!(poor.validated.score.mse, ratio * bar.score.mse);
        // The same candidate is not worse than itself.
        assert!(!of(1e-3, Some(&bar)).0.ruled_out);
    }

    #[test]
    fn one_fold_is_all_there_is() {
        let data = Task::Friedman1.generate(200, 1.0, 1);
        let split = Split { train: (0..140).collect(), test: (140..200).collect() };
        let (run, folds) = (Run::new(1), Folds { given: Some([split].into()), ..folds() });
        let methods = [compaction::refined(8, Some(2), Terms::Intercept, 1.0)];
        let (judged, _) = judged(&methods, (&data, &folds, 1), None, || (), &run).unwrap();
        assert_eq!(judged[0].validated, validate(&methods, &data, &folds, &run).unwrap()[0]);
    }
}
