//! Candidates that one fold rules out.
//!
//! Most candidates of a search are worse than the best one so far, and one fold often shows it. Where another candidate
//! is clearly better on the rows of that fold, the other folds are left out. The fold is the last one: of folds forward
//! in time, it has the most rows to fit.

use std::ops::Range;

use crate::data::Dataset;
use crate::error::FitError;
use crate::method::MethodConfig;
use crate::run::Run;
use crate::search::trials::Trial;
use crate::validate::cross_validation::{Division, Folds, mean_over_divisions, validate};
use crate::validate::score::FoldError;
use crate::validate::{Score, Validated, is_better};

/// The number of standard errors of the mean difference of the rows' squared errors by which the other candidate must
/// be better. A candidate that only seems worse is lost, so the number is a matter of time: with 1 instead of 2,
/// searches of two seconds on 57 sets found models of 0.6 % less error. Searches of twelve seconds on ten sets found
/// models of 3 % more.
const CLEARLY: f64 = 2.0;

/// The least number of rows of the fold. Fewer rows tell little, and their fits take little time.
const LEAST_ROWS: usize = 30;

/// What the folds say of a candidate.
pub(crate) struct Judged {
    /// The score and the intervals; of a candidate that is ruled out, an estimate of the score alone.
    pub validated: Validated,
    /// The squared errors of the rows of the last fold, as in [`Validated`]; empty where it rules no candidate out.
    pub last_fold: Vec<f64>,
    /// Whether the last fold ruled the candidate out.
    pub ruled_out: bool,
}

/// Cross-validates methods on some divisions of rows into folds.
pub(crate) struct Judge<'a> {
    pub data: &'a Dataset,
    pub folds: &'a Folds,
    /// The number of divisions.
    pub divisions: u64,
    /// Whether the last fold may rule a method out. Classes have no squared errors, and rule none out.
    pub rules_out: bool,
    pub run: &'a Run<'a>,
}

impl Judge<'_> {
    /// Cross-validates methods, and leaves all but the last fold out for those that are clearly worse there than `bar`
    /// or than the best of the others. `beside` is done at the same time as the other folds, unless there are none.
    ///
    /// # Errors
    /// Those of [`validate`].
    pub fn judged<T: Send>(
        &self,
        methods: &[MethodConfig],
        bar: Option<&Trial>,
        beside: impl FnOnce() -> T + Send,
    ) -> Result<(Vec<Judged>, Option<T>), FitError> {
        let division = Division::new(self.data, self.folds, self.run.seed())?;
        let race = self.race(&division, methods, bar)?;
        let Standing { open, mut behind, infinite, leader } = race.standing();
        let mut validated: Vec<Option<Validated>> = methods.iter().map(|_| None).collect();
        for place in infinite {
            validated[place] = Some(division.validated(&vec![FoldError::INFINITE; division.folds()]));
        }
        let mut done = None;
        if !open.is_empty() {
            let (judged, beside) = self.run.join(|| self.validated(&race, &open), beside);
            done = Some(beside);
            open.iter().zip(judged?).for_each(|(&place, judged)| validated[place] = Some(judged));
        }
        let of_leader = leader.and_then(|leader| validated[leader].as_ref()).map(|leader| leader.score);
        if of_leader.is_some_and(|score| score.mse.is_infinite()) && !behind.is_empty() {
            // The device cannot hold the leader of another fold, so that it rules no method out.
            let judged = self.validated(&race, &behind)?;
            behind.drain(..).zip(judged).for_each(|(place, judged)| validated[place] = Some(judged));
        }
        let estimate = |place: usize| -> Option<Score> {
            let (score, other) = match leader.filter(|_| behind.contains(&place)) {
                Some(leader) => (of_leader?, &race.squares[leader]),
                None => bar.map(|bar| (bar.score, &bar.last_fold))?,
            };
            Some(score.times(sum(&race.squares[place]) / sum(other)))
        };
        let of_method = |(place, validated): (usize, Option<Validated>)| {
            let (ruled_out, last_fold) = (validated.is_none(), race.squares[place].clone());
            let estimated =
                || Some(Validated { score: estimate(place)?, half_widths: Vec::new(), squares: Vec::new() });
            let validated = validated.or_else(estimated).expect("what is ruled out is worse than something");
            Judged { validated, last_fold, ruled_out }
        };
        Ok((validated.into_iter().enumerate().map(of_method).collect(), done))
    }

    /// Fits methods in the last fold, where it may rule some of them out.
    fn race<'a>(
        &self,
        division: &'a Division<'a>,
        methods: &'a [MethodConfig],
        bar: Option<&'a Trial>,
    ) -> Result<Race<'a>, FitError> {
        let all = division.folds();
        let last = all.saturating_sub(1);
        let quantities = self.data.classes.is_empty();
        let rules_out = self.rules_out && quantities && last > 0 && division.tested(last) >= LEAST_ROWS;
        let raced = if rules_out { last..all } else { all..all };
        let errors = division.errors(methods, raced.clone(), self.run)?;
        let squares = |errors: &Vec<FoldError>| errors.first().map_or_else(Vec::new, |e| division.squares(last, e));
        let squares = errors.iter().map(squares).collect();
        Ok(Race { division, methods, bar, others: 0..raced.start, errors, squares })
    }

    /// Cross-validates some of the methods in all folds but the last.
    fn validated(&self, race: &Race<'_>, places: &[usize]) -> Result<Vec<Validated>, FitError> {
        let Race { division, others, errors, .. } = race;
        let methods: Vec<MethodConfig> = places.iter().map(|&place| race.methods[place].clone()).collect();
        mean_over_divisions(self.divisions, self.run, |number, run| {
            if number > 0 {
                return validate(&methods, self.data, self.folds, run);
            }
            let others = division.errors(&methods, others.clone(), run)?;
            let whole = |(&place, others): (&usize, Vec<FoldError>)| [others, errors[place].clone()].concat();
            Ok(places.iter().zip(others).map(|pair| division.validated(&whole(pair))).collect())
        })
    }
}

/// Methods with their errors in the last fold, if it may rule some of them out.
struct Race<'a> {
    division: &'a Division<'a>,
    methods: &'a [MethodConfig],
    /// What all methods are measured by.
    bar: Option<&'a Trial>,
    /// The folds that are left.
    others: Range<usize>,
    /// The errors of every method in the last fold, and the squared errors of its rows; empty if it rules none out.
    errors: Vec<Vec<FoldError>>,
    squares: Vec<Vec<f64>>,
}

/// The places of methods in a list, by what the last fold says of them.
struct Standing {
    open: Vec<usize>,
    /// Those that are clearly worse than the leader.
    behind: Vec<usize>,
    /// Those that the device cannot hold in this fold, whose error is infinite whatever the other folds say.
    infinite: Vec<usize>,
    leader: Option<usize>,
}

impl Race<'_> {
    /// Compares the methods. Those that are clearly worse than the bar have no place.
    fn standing(&self) -> Standing {
        let Race { squares, errors, .. } = self;
        let below = |place: &usize| self.bar.is_some_and(|bar| is_clearly_worse(&squares[*place], &bar.last_fold));
        let (_, above): (Vec<usize>, Vec<usize>) = (0..squares.len()).partition(below);
        let measured = above.iter().copied().filter(|&place| !squares[place].is_empty());
        let leader = measured.min_by(|&a, &b| sum(&squares[a]).total_cmp(&sum(&squares[b])));
        let is_behind = |place: &usize| leader.is_some_and(|best| is_clearly_worse(&squares[*place], &squares[best]));
        let (behind, open): (Vec<usize>, Vec<usize>) = above.into_iter().partition(is_behind);
        let is_infinite = |place: &usize| errors[*place].iter().any(|error| error.standardised_mse.is_infinite());
        let (infinite, open) = open.into_iter().partition(is_infinite);
        Standing { open, behind, infinite, leader }
    }
}

/// Returns whether squared errors are clearly larger than others of the same rows.
fn is_clearly_worse(squares: &[f64], others: &[f64]) -> bool {
    let comparable = squares.len() == others.len() && !squares.is_empty() && sum(others) > 0.0;
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

    fn judge<'a>(data: &'a Dataset, folds: &'a Folds, divisions: u64, run: &'a Run<'a>) -> Judge<'a> {
        Judge { data, folds, divisions, rules_out: true, run }
    }

    /// Compaction with each of three penalties, one of which leaves the mean.
    fn penalised() -> Vec<MethodConfig> {
        let start = compaction::refined(8, Some(2), Terms::Intercept, 1.0);
        [1e-5, 1e-3, 1e6].map(|lambda| start.clone().tuned(|t| t.lambda = Some(lambda))).to_vec()
    }

    #[test]
    fn candidates_that_stay_have_the_score_of_all_folds() {
        for (seed, divisions) in [(0, 1), (1, 1), (2, 3)] {
            let data = Task::Friedman1.generate(200, 1.0, seed);
            let (run, folds, methods) = (Run::new(seed), folds(), penalised());
            let judge = judge(&data, &folds, divisions, &run);
            let (judged, beside) = judge.judged(&methods, None, || 7).unwrap();
            let whole = mean_over_divisions(divisions, &run, |_, run| validate(&methods, &data, &folds, run)).unwrap();
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
            let (all, _) = Judge { rules_out: false, ..judge }.judged(&methods, None, || ()).unwrap();
            assert!(all.iter().zip(&whole).all(|(judged, whole)| !judged.ruled_out && judged.validated == *whole));
        }
    }

    #[test]
    fn the_fold_with_the_most_rows_to_fit_rules_out() {
        let data = Task::Friedman1.generate(240, 1.0, 1);
        let (run, folds) = (Run::new(1), Folds { split: Splitter::Forward, ..folds() });
        let (judged, _) = judge(&data, &folds, 1, &run).judged(&penalised(), None, || ()).unwrap();
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
    fn classes_and_few_rows_rule_nothing_out() {
        let mut data = Task::Friedman1.generate(200, 1.0, 1);
        let (run, folds, methods) = (Run::new(1), folds(), penalised());
        let few = data.select(&(0..100).collect::<Vec<_>>());
        let (judged, _) = judge(&few, &folds, 1, &run).judged(&methods, None, || ()).unwrap();
        assert!(judged.iter().all(|judged| !judged.ruled_out && judged.last_fold.is_empty()));
        data.y.apply(|target| *target = f64::from(*target > 14.0));
        data.classes = vec!["low".into(), "high".into()];
        let (judged, _) = judge(&data, &folds, 1, &run).judged(&methods, None, || ()).unwrap();
        assert!(judged.iter().all(|judged| !judged.ruled_out));
    }

    #[test]
    fn nothing_is_done_beside_candidates_that_are_all_ruled_out() {
        let data = Task::Friedman1.generate(200, 1.0, 1);
        let (run, folds) = (Run::new(1), folds());
        let start = compaction::refined(8, Some(2), Terms::Intercept, 1.0);
        let of = |lambda: f64, bar: Option<&Trial>| {
            let methods = [start.clone().tuned(|t| t.lambda = Some(lambda))];
            let (mut judged, beside) = judge(&data, &folds, 1, &run).judged(&methods, bar, || ()).unwrap();
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
            last_fold: best.last_fold,
            flash_bytes: 0,
            instructions: None,
        };
        let (alone, beside) = of(1e6, None);
        assert_eq!((alone.ruled_out, alone.last_fold.len(), beside), (false, 40, Some(())));
        let (poor, beside) = of(1e6, Some(&bar));
        assert_eq!((poor.ruled_out, beside), (true, None));
        let ratio = sum(&poor.last_fold) / sum(&bar.last_fold);
        assert_eq!(poor.validated.score.mse, ratio * bar.score.mse);
        // The same candidate is not worse than itself.
        assert!(!of(1e-3, Some(&bar)).0.ruled_out);
    }

    #[test]
    fn one_fold_is_all_there_is() {
        let data = Task::Friedman1.generate(200, 1.0, 1);
        let split = Split { train: (0..140).collect(), test: (140..200).collect() };
        let (run, folds) = (Run::new(1), Folds { given: Some([split].into()), ..folds() });
        let methods = penalised();
        let (judged, _) = judge(&data, &folds, 1, &run).judged(&methods, None, || ()).unwrap();
        let whole = validate(&methods, &data, &folds, &run).unwrap();
        assert!(judged.iter().zip(&whole).all(|(judged, whole)| !judged.ruled_out && judged.validated == *whole));
    }
}
