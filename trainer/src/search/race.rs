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
use crate::search::policy::{BETTER, CLEARLY_WORSE, LEAST_ROWS_OF_FOLD};
use crate::search::trials::Trial;
use crate::validate::certainty::Certainty;
use crate::validate::cross_validation::{Division, Folds, mean_over_divisions, validate};
use crate::validate::score::FoldError;
use crate::validate::{Score, Validated, is_better};

/// What the folds say of a candidate.
pub(crate) struct Judged {
    /// The score and the intervals; of a candidate that is ruled out, an estimate of the score alone.
    pub validated: Validated,
    /// The losses of the rows of the last fold, as in [`Division::losses`]; empty where it rules no candidate out.
    pub last_fold: Vec<f64>,
    /// Whether the last fold ruled the candidate out.
    pub ruled_out: bool,
}

/// A trial that candidates are measured by.
#[derive(Clone, Copy)]
pub(crate) struct Bar<'a> {
    pub trial: &'a Trial,
    /// Whether a candidate must be better, or else no more than clearly worse.
    pub is_to_beat: bool,
}

impl Bar<'_> {
    /// Returns whether a candidate with these losses in the last fold is out.
    fn rules_out(&self, losses: &[f64]) -> bool {
        let own = &self.trial.last_fold;
        match self.is_to_beat {
            true => losses.len() == own.len() && !losses.is_empty() && !is_better(losses, own, BETTER),
            false => is_clearly_worse(losses, own),
        }
    }
}

/// Cross-validates methods on some divisions of rows into folds.
pub(crate) struct Judge<'a> {
    pub data: &'a Dataset,
    pub folds: &'a Folds,
    /// The number of divisions.
    pub divisions: u64,
    /// Whether the last fold may rule a method out. Classes that are chosen by shares of errors rule none out.
    pub rules_out: bool,
    pub run: &'a Run<'a>,
}

impl Judge<'_> {
    /// Cross-validates methods, and leaves all but the last fold out for those that are clearly worse there than `bar`
    /// or than the best of the others.
    ///
    /// # Errors
    /// Those of [`validate`].
    pub fn judged(&self, methods: &[MethodConfig], bar: Option<Bar<'_>>) -> Result<Vec<Judged>, FitError> {
        let division = Division::new(self.data, self.folds, self.run.seed())?;
        let race = self.race(&division, methods, bar)?;
        let Standing { open, mut behind, infinite, leader } = race.standing();
        let mut validated: Vec<Option<Validated>> = methods.iter().map(|_| None).collect();
        for place in infinite {
            validated[place] = Some(division.validated(&vec![FoldError::INFINITE; division.folds()]));
        }
        if !open.is_empty() {
            let judged = self.validated(&race, &open)?;
            open.iter().zip(judged).for_each(|(&place, judged)| validated[place] = Some(judged));
        }
        let of_leader = leader.and_then(|leader| validated[leader].as_ref()).map(|leader| leader.score);
        if of_leader.is_some_and(|score| score.standardised_mse.is_infinite()) && !behind.is_empty() {
            // The device cannot hold the leader of another fold, so that it rules no method out.
            let judged = self.validated(&race, &behind)?;
            behind.drain(..).zip(judged).for_each(|(place, judged)| validated[place] = Some(judged));
        }
        let estimate = |place: usize| -> Option<Score> {
            let (score, other) = match leader.filter(|_| behind.contains(&place)) {
                Some(leader) => (of_leader?, &race.losses[leader]),
                None => bar.map(|bar| (bar.trial.score, &bar.trial.last_fold))?,
            };
            Some(score.times(sum(&race.losses[place]) / sum(other)))
        };
        let of_method = |(place, validated): (usize, Option<Validated>)| {
            let (ruled_out, last_fold) = (validated.is_none(), race.losses[place].clone());
            let estimated =
                || Some(Validated { score: estimate(place)?, certainty: Certainty::default(), losses: Vec::new() });
            let validated = validated.or_else(estimated).expect("what is ruled out is worse than something");
            Judged { validated, last_fold, ruled_out }
        };
        Ok(validated.into_iter().enumerate().map(of_method).collect())
    }

    /// Fits methods in the last fold, where it may rule some of them out, or in all folds.
    fn race<'a>(
        &self,
        division: &'a Division<'a>,
        methods: &'a [MethodConfig],
        bar: Option<Bar<'a>>,
    ) -> Result<Race<'a>, FitError> {
        let all = division.folds();
        let last = all.saturating_sub(1);
        let rules_out =
            self.rules_out && division.pairs_rows() && last > 0 && division.tested(last) >= LEAST_ROWS_OF_FOLD;
        let paths = methods.chunk_by(MethodConfig::shares_a_fit).count();
        let at_once = self.run.workers().is_some_and(|workers| workers.count() >= all * paths);
        let raced = match (rules_out, at_once) {
            (false, _) => all..all,
            (true, false) => last..all,
            (true, true) => 0..all,
        };
        let errors = division.errors(methods, raced.clone(), self.run)?;
        let losses = |errors: &Vec<FoldError>| errors.last().map_or_else(Vec::new, |e| division.losses(last, e));
        let losses = errors.iter().map(losses).collect();
        Ok(Race { division, methods, bar, others: 0..raced.start, errors, losses })
    }

    /// Cross-validates some of the methods in the folds that are left.
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
    bar: Option<Bar<'a>>,
    /// The folds that are left.
    others: Range<usize>,
    /// The errors of every method in the last fold, or in all folds if these are fitted at the same time, and the
    /// losses of the last one's rows; empty if it rules none out.
    errors: Vec<Vec<FoldError>>,
    losses: Vec<Vec<f64>>,
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
        let Race { losses, errors, .. } = self;
        let below = |place: &usize| self.bar.is_some_and(|bar| bar.rules_out(&losses[*place]));
        let (_, above): (Vec<usize>, Vec<usize>) = (0..losses.len()).partition(below);
        let measured = above.iter().copied().filter(|&place| !losses[place].is_empty());
        let leader = measured.min_by(|&a, &b| sum(&losses[a]).total_cmp(&sum(&losses[b])));
        let is_behind = |place: &usize| leader.is_some_and(|best| is_clearly_worse(&losses[*place], &losses[best]));
        let (behind, open): (Vec<usize>, Vec<usize>) = above.into_iter().partition(is_behind);
        let is_infinite =
            |place: &usize| errors[*place].last().is_some_and(|error| error.standardised_mse.is_infinite());
        let (infinite, open) = open.into_iter().partition(is_infinite);
        Standing { open, behind, infinite, leader }
    }
}

/// Returns whether losses are clearly larger than others of the same rows.
fn is_clearly_worse(losses: &[f64], others: &[f64]) -> bool {
    let comparable = losses.len() == others.len() && !losses.is_empty() && sum(others) > 0.0;
    comparable && is_better(others, losses, CLEARLY_WORSE)
}

fn sum(losses: &[f64]) -> f64 {
    losses.iter().sum()
}

#[cfg(test)]
mod tests;
