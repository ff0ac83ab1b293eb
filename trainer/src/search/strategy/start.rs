//! The first candidates: lines, and compaction of few features.

use crate::export::NumberFormat;
use crate::method::Terms;
use crate::search::candidate::Candidate;
use crate::search::strategy::attempts::{Stop, Strategy};
use crate::search::trials::Trial;

/// Ridge parameters of the line.
const LAMBDAS_OF_LINES: [f64; 9] = [1e-4, 1e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 3.0, 10.0];

/// The share of the error of line and mean that a line with a penalty has at most where linear terms get one, too.
const PENALTY_PAYS: f64 = 0.98;

/// Ridge parameters of refined frequencies.
const LAMBDAS_REFINED: [f64; 4] = [1e-7, 1e-5, 1e-3, 1e-1];

/// Ridge parameters of other numbers of inputs per feature, as multiples of the best λ of the first one.
const CLOSE: [f64; 2] = [1.0, 10.0];

impl Strategy<'_> {
    /// Tries compaction of few features in the first number format that most of its models fit into, and another loss
    /// where residuals have heavy tails.
    pub fn start(&mut self) -> Result<(), Stop> {
        for number in self.numbers() {
            let mut indices = Vec::new();
            // Linear terms cost flash and rows: models without them are tried where none has them, or where many more
            // features take their place.
            for terms in self.starting_terms(number)? {
                if self.usable_and_lost(&indices).0 == 0 || self.linear_terms_crowd(number) {
                    indices.extend(self.start_with(number, terms)?);
                }
            }
            // Inputs that vary in few rows need more digits than floating point has; the phases of integers wrap.
            let (usable, lost) = self.usable_and_lost(&indices);
            if usable > 0 && usable >= lost {
                break;
            }
        }
        self.choose_loss()
    }

    /// Returns whether linear terms leave room for at most half the first features within the budget, for some number
    /// of inputs per feature.
    fn linear_terms_crowd(&self, number: NumberFormat) -> bool {
        let room = |order, terms| {
            let start = self.without_features(number, terms);
            self.evaluator.features_within_budget(&start.with(self.refined(order, terms))).unwrap_or(0)
        };
        let crowded = |&order: &Option<usize>| 2 * room(order, Terms::Linear) <= room(order, Terms::Intercept);
        self.orders(&[]).iter().any(crowded)
    }

    /// Returns how many trials with features the device can hold, and how many it cannot.
    fn usable_and_lost(&self, indices: &[usize]) -> (usize, usize) {
        let trials = indices.iter().map(|&index| self.trials.get(index));
        let with_features = trials.filter(|trial| trial.candidate.features() > 0);
        let (usable, lost): (Vec<&Trial>, Vec<&Trial>) = with_features.partition(|trial| trial.score.mse.is_finite());
        (usable.len(), lost.len())
    }

    /// Tries the line and the mean, and returns the terms to start with. Linear terms are among them if the line is
    /// better than the mean. With many inputs and few rows it is worse, and linear terms get a penalty if that helps.
    fn starting_terms(&mut self, number: NumberFormat) -> Result<Vec<Terms>, Stop> {
        if let Some(terms) = self.config.terms {
            self.attempt(&self.without_features(number, terms), &[])?;
            self.try_penalised_line(number, terms)?;
            return Ok(vec![terms]);
        }
        let mut indices = Vec::new();
        for terms in [Terms::Linear, Terms::Intercept] {
            indices.extend(self.attempt(&self.without_features(number, terms), &[])?);
        }
        let penalised = self.try_penalised_line(number, Terms::Linear)?;
        let error = |indices: &[usize]| self.trials.best_at(indices).map(|best| self.trials.get(best).score.mse);
        if let (Some(penalised), Some(other)) = (error(&penalised), error(&indices))
            && penalised < PENALTY_PAYS * other
        {
            return Ok(vec![Terms::Ridge, Terms::Intercept]);
        }
        Ok(match self.trials.best_at(&indices).map(|best| self.trials.candidate(best).method.tunable().terms) {
            Some(Terms::Linear) => vec![Terms::Linear, Terms::Intercept],
            _ => vec![Terms::Intercept],
        })
    }

    /// Tries the line with each ridge parameter.
    fn try_penalised_line(&mut self, number: NumberFormat, terms: Terms) -> Result<Vec<usize>, Stop> {
        match terms {
            Terms::Linear => self.attempt(&self.without_features(number, terms), &LAMBDAS_OF_LINES),
            _ => Ok(Vec::new()),
        }
    }

    /// Tries compaction with refined frequencies and every number of inputs per feature.
    fn start_with(&mut self, number: NumberFormat, terms: Terms) -> Result<Vec<usize>, Stop> {
        let mut start = self.without_features(number, terms);
        if let Some(most) = self.config.inputs {
            let excluded = self.inputs_to_exclude(&start, terms, most)?;
            start.leave_out(&excluded);
            self.attempt(&start, &[])?;
        }
        let mut indices = Vec::new();
        let of_order = |order| start.with(self.refined(order, terms));
        let candidates: Vec<Candidate> = self.orders(&start.without).into_iter().map(of_order).collect();
        let mut lambdas = LAMBDAS_REFINED.to_vec();
        for (place, candidate) in candidates.iter().enumerate() {
            if place == 1 {
                // The first one is what the others are measured by, and its best λ is close enough for them.
                let best = self.trials.best_at(&indices);
                let best = best.and_then(|best| self.trials.candidate(best).method.tunable().lambda);
                lambdas = best.map_or(lambdas, |best| CLOSE.map(|factor| factor * best).to_vec());
                let others = candidates[1..].iter();
                self.foresee(others.map(|candidate| (candidate.clone(), lambdas.clone())));
            }
            indices.extend(self.attempt(candidate, &lambdas)?);
        }
        Ok(indices)
    }
}
