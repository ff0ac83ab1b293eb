//! The comparison of the finalists on folds that did not choose them.
//!
//! The least of hundreds of cross-validated errors is too good: chance is a part of what made it the least. So the best
//! candidates of several kinds are cross-validated once more, on other divisions of the rows and with other random
//! numbers. The new errors choose among the few, and they are the errors and intervals that the search states.
//!
//! Features must be better than a line beyond chance: by more than a standard error of the differences of the rows'
//! losses. On few rows or noisy targets, chance makes features look better that are worse on fresh rows.

use crate::error::FitError;
use crate::search::clock::Clock;
use crate::search::evaluator::Evaluator;
use crate::search::policy::{BETTER, COMPARED_ROWS, FINALISTS, MOST_DIVISIONS};
use crate::search::trials::Trial;
use crate::validate::{Score, is_better, ranked};

/// The finals of a search.
pub(crate) struct Finals<'a> {
    pub evaluator: &'a Evaluator<'a>,
    /// The number of rows that candidates are compared on.
    pub rows: usize,
    /// The time and the work of the finals.
    pub clock: Clock<'a>,
    /// Whether the order of the finalists stays as it is.
    pub keeps_order: bool,
}

impl Finals<'_> {
    /// Returns the candidates in a new order, best first. Those without a new score, for want of time, come last. Those
    /// that have no model in one of the new folds are not among them.
    ///
    /// # Errors
    /// [`FitError::Interrupted`] if the observer asks to stop.
    pub fn held(&self, candidates: Vec<Trial>) -> Result<Vec<Trial>, FitError> {
        let (limited, whole) = (self.clock.limited(), self.clock.whole());
        let divisions = (COMPARED_ROWS / self.rows.max(1)).clamp(1, MOST_DIVISIONS);
        let mut entered = Vec::new();
        let (certain, others) = self.entrants(&candidates);
        for place in certain.iter().chain(&others).copied() {
            if entered.len() >= certain.len() && self.clock.is_spent() {
                break;
            }
            self.clock.charge(self.evaluator.work_of_divisions(&candidates[place].candidate, divisions));
            entered.push(place);
        }
        let again = |&place: &usize| match self.evaluator.again(&candidates[place], divisions as u64, &limited) {
            Err(FitError::Interrupted) if whole.interrupted() => Err(FitError::Interrupted),
            judged => Ok(judged.ok()),
        };
        let judged = limited.try_map(&entered, again)?;
        let judged = entered.into_iter().zip(judged).filter_map(|(place, judged)| Some((place, judged?))).collect();
        Ok(self.reordered(candidates, judged))
    }

    /// Returns candidates in the order of their new scores, with the losses of their rows. The first of
    /// `judged` is the best candidate, unless there was no time for it: then the order stays as it is.
    fn reordered(&self, candidates: Vec<Trial>, judged: Vec<(usize, (Trial, Vec<f64>))>) -> Vec<Trial> {
        let (places, judged): (Vec<usize>, Vec<_>) = judged.into_iter().unzip();
        if places.first() != Some(&0) {
            return candidates;
        }
        let (again, losses): (Vec<Trial>, Vec<Vec<f64>>) = judged.into_iter().unzip();
        let scores: Vec<Score> = again.iter().map(|trial| trial.score).collect();
        let mut order: Vec<usize> = (0..again.len()).collect();
        match self.keeps_order {
            true => {
                order.sort_by_key(|&entrant| places[entrant]);
                order.retain(|&entrant| scores[entrant].standardised_mse.is_finite());
            }
            false => order = ranked(&scores, self.rows),
        }
        let is_line = |place: &usize| again[*place].candidate.features() == 0;
        if let Some(line) = order.iter().position(is_line).filter(|_| !self.keeps_order)
            && !is_better(&losses[order[0]], &losses[order[line]], BETTER)
        {
            order[..=line].rotate_right(1);
        }
        let known = |trial: &Trial| again.iter().any(|other| other.candidate == trial.candidate);
        let others = candidates.iter().filter(|trial| !known(trial)).cloned();
        order.into_iter().map(|place| again[place].clone()).chain(others).collect()
    }

    /// Returns the places of the finalists among `candidates`, which are ranked. Those of the first list take part
    /// whatever the limit: the best, and the best without features. The others are the best with few features, the
    /// smallest whose error differs from the best by a standard error at most, and the next best ones.
    fn entrants(&self, candidates: &[Trial]) -> (Vec<usize>, Vec<usize>) {
        let Some(best) = candidates.first() else { return Default::default() };
        let bound = best.score.loss() + best.score.allowance(self.rows);
        let within = (0..candidates.len()).filter(|&place| candidates[place].score.loss() <= bound);
        let first = |wanted: &dyn Fn(&Trial) -> bool| candidates.iter().position(wanted);
        let mut certain = vec![0];
        certain.extend(first(&|trial| trial.candidate.features() == 0).filter(|&line| line != 0));
        let small = first(&|trial| trial.candidate.is_small());
        let smallest = within.min_by_key(|&place| candidates[place].flash_bytes);
        let next = 1..candidates.len().min(FINALISTS);
        let mut others = Vec::new();
        for place in small.into_iter().chain(smallest).chain(next) {
            if !certain.contains(&place) && !others.contains(&place) {
                others.push(place);
            }
        }
        (certain, others)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::cost::Budget;
    use crate::data::Task;
    use crate::fit::Conditions;
    use crate::run::Run;
    use crate::search::sample::Sample;
    use crate::search::{SearchConfig, search};

    #[test]
    fn the_best_and_the_best_line_take_part_for_certain() {
        let (data, run, work) = (Task::Friedman1.generate(80, 0.5, 1), Run::new(1), Cell::new(0.0));
        let config = SearchConfig { effort: Some(0.5), ..SearchConfig::new(Conditions::default(), Budget::default()) };
        let mut trials = search(&data, &config, &run).unwrap().trials;
        trials.retain(|trial| trial.is_allowed());
        let clock = Clock::new(&run, config.time, None, &work);
        let evaluator = &Evaluator::new(Sample { compared: &data, all: &data }, &config);
        let finals = Finals { evaluator, rows: data.rows(), keeps_order: false, clock };
        let line = trials.iter().position(|trial| trial.candidate.features() == 0).unwrap();
        let (certain, others) = finals.entrants(&trials);
        assert!(line > 0 && certain == [0, line], "{certain:?}");
        assert!([1, 2, 3].iter().all(|place| certain.contains(place) || others.contains(place)), "{others:?}");
        // A line that is the best takes part once.
        let (certain, others) = finals.entrants(&trials[line..]);
        assert!(certain == [0] && !others.contains(&0), "{certain:?} {others:?}");
        assert_eq!(finals.entrants(&[]), (Vec::new(), Vec::new()));
    }

    #[test]
    fn a_line_that_alone_was_judged_in_time_stays_behind_features() {
        let (data, run, work) = (Task::Friedman1.generate(80, 0.5, 1), Run::new(1), Cell::new(0.0));
        let config = SearchConfig { effort: Some(1.0), ..SearchConfig::new(Conditions::default(), Budget::default()) };
        let trials = search(&data, &config, &run).unwrap().trials;
        let line = trials.iter().position(|trial| trial.candidate.features() == 0).unwrap();
        let clock = Clock::new(&run, config.time, None, &work);
        let evaluator = &Evaluator::new(Sample { compared: &data, all: &data }, &config);
        let finals = Finals { evaluator, rows: data.rows(), keeps_order: false, clock };
        let judged = |place: usize| (place, (trials[place].clone(), vec![1.0; data.rows()]));
        assert!(line > 0);
        assert_eq!(finals.reordered(trials.clone(), vec![judged(line)]), trials);
        // Features that are not better than the line come behind it.
        let both = finals.reordered(trials.clone(), vec![judged(0), judged(line)]);
        assert_eq!((&both[0], &both[1], both.len()), (&trials[line], &trials[0], trials.len()));
        // A finalist without a model in one of the new folds goes, whether the order is kept or not.
        let lost = |place: usize| {
            let (mut trial, losses) = judged(place).1;
            trial.score.standardised_mse = f64::INFINITY;
            (place, (trial, losses))
        };
        for keeps_order in [false, true] {
            let left = Finals { keeps_order, ..finals }.reordered(trials.clone(), vec![lost(0), judged(line)]);
            assert_eq!((&left[0], left.len()), (&trials[line], trials.len() - 1), "{keeps_order}");
        }
    }
}
