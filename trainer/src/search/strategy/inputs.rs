//! Which inputs a model uses, and how they are warped.

use crate::export::NumberFormat;
use crate::method::Terms;
use crate::search::candidate::Candidate;
use crate::search::compaction::Family;
use crate::search::strategy::attempts::{Stop, Strategy};
use crate::warp::Warp;

/// The largest number of inputs whose warps are tried.
const MOST_WARPED: usize = 16;

/// The number of successive inputs without a helpful warp after which less important inputs are not tried.
const MOST_FAILURES: usize = 4;

/// The smallest ratio of an input's largest and smallest readings for which a warp could matter.
const LEAST_RATIO: f64 = 2.0;

/// Shares of the total importance. The least important inputs that have such a share together are left out.
const NEGLIGIBLE: [f64; 4] = [0.01, 0.03, 0.1, 0.2];

impl Strategy<'_> {
    /// Returns the inputs to leave out so that at most `most` are left, by backward elimination. Each round removes
    /// half of the excess inputs, the least important ones.
    pub fn inputs_to_exclude(&mut self, start: &Candidate, terms: Terms, most: usize) -> Result<Vec<usize>, Stop> {
        if let Some((_, without)) = self.trials.excluded.iter().find(|(of, _)| of == start) {
            return Ok(without.clone());
        }
        let order = Some(2.min(self.sample.inputs(&start.without)));
        let mut candidate = start.with(self.refined(order, terms));
        while self.sample.inputs(&candidate.without) > most {
            let ascending = match self.importance(&candidate)? {
                Some(ascending) => ascending,
                None => self.importance(&candidate.with(start.method.clone()))?.unwrap_or_default(),
            };
            let count = (self.sample.inputs(&candidate.without) - most).div_ceil(2);
            let least: Vec<usize> = ascending.into_iter().map(|(input, _)| input).take(count).collect();
            if least.is_empty() {
                break;
            }
            candidate.leave_out(&least);
        }
        self.trials.excluded.push((start.clone(), candidate.without.clone()));
        Ok(candidate.without)
    }

    /// Leaves inputs out and warps them where that helps a small model, or after a smaller budget the best one.
    pub fn choose_inputs(&mut self) -> Result<(), Stop> {
        if !self.chooses_inputs {
            return Ok(());
        }
        self.leave_out_inputs()?;
        self.choose_warps()?;
        self.leave_out_inputs()
    }

    /// Returns the trial whose candidate shows which inputs and warps help.
    fn measure_of_inputs(&self) -> Option<usize> {
        let large = if self.follows { self.trials.best_of(&[Family::Refined]) } else { None };
        large.or_else(|| self.trials.best_small())
    }

    /// Tries every warp of every input by itself, most important inputs first, and keeps the warps that help.
    fn choose_warps(&mut self) -> Result<(), Stop> {
        if !self.config.fit.preprocessing.warps.is_empty() {
            return Ok(());
        }
        let Some(mut best) = self.measure_of_inputs() else { return Ok(()) };
        let candidate = self.candidate(best);
        let Some(inputs) = self.importance(&candidate)? else { return Ok(()) };
        let mut inputs: Vec<usize> = inputs.into_iter().rev().map(|(input, _)| input).collect();
        let least = inputs.split_off(inputs.len().min(MOST_WARPED));
        if !least.is_empty() && candidate.number == NumberFormat::F32 {
            // Floating point holds no warp beside more inputs.
            let mut without = candidate;
            without.leave_out(&least);
            let found = self.attempt(&without, &[])?;
            best = found.into_iter().find(|&found| self.trials.get(found).is_allowed()).unwrap_or(best);
        }
        let mut failures = 0;
        for input in inputs {
            let column = self.sample.all.x.column(input);
            let (low, high) = (column.min(), column.max());
            let mut warps = Warp::possible(column.as_slice());
            warps.retain(|&warp| warp != self.trials.candidate(best).warps[input]);
            if warps.is_empty() || high <= LEAST_RATIO * low {
                continue;
            }
            let before = best;
            let warped = |mut candidate: Candidate, warp: Warp| {
                candidate.warps[input] = warp;
                candidate
            };
            let next: Vec<_> = warps.iter().map(|&warp| (warped(self.candidate(best), warp), Vec::new())).collect();
            self.foresee(next);
            for warp in warps {
                best = self.improve(best, &warped(self.candidate(best), warp))?;
            }
            failures = if best == before { failures + 1 } else { 0 };
            if failures == MOST_FAILURES {
                break;
            }
        }
        Ok(())
    }

    /// Tries the best refined frequencies with the warps and the inputs of the best small model.
    pub fn try_found_inputs(&mut self) -> Result<(), Stop> {
        let (small, refined) = (self.trials.best_small(), self.trials.best_of(&[Family::Refined]));
        let (Some(small), Some(refined)) = (small, refined) else { return Ok(()) };
        self.attempt(&self.candidate(small).with(self.candidate(refined).method), &[])?;
        Ok(())
    }

    /// Tries the best refined frequencies with all inputs and without warps: more features may use inputs that do not
    /// help fewer features, and need no warps that help fewer features.
    pub fn reconsider_inputs(&mut self) -> Result<(), Stop> {
        let best = self.trials.best_of(&[Family::Refined]).filter(|_| self.config.inputs.is_none());
        let Some(best) = best else { return Ok(()) };
        let best = self.candidate(best);
        let all = self.without_features(best.number, best.method.tunable().terms).with(best.method.clone());
        let warped = Candidate { warps: best.warps.clone(), ..all.clone() };
        let some = Candidate { warps: all.warps.clone(), ..best.clone() };
        let others: Vec<Candidate> = [warped, all, some].into_iter().filter(|candidate| *candidate != best).collect();
        self.foresee(others.iter().map(|candidate| (candidate.clone(), Vec::new())));
        for candidate in others {
            self.attempt(&candidate, &[])?;
        }
        Ok(())
    }

    /// Leaves out the least important inputs as long as that helps.
    fn leave_out_inputs(&mut self) -> Result<(), Stop> {
        let Some(mut best) = self.measure_of_inputs() else { return Ok(()) };
        loop {
            let before = self.candidate(best);
            let Some(ascending) = self.importance(&before)? else { return Ok(()) };
            let without = |share: f64| {
                let mut sum = 0.0;
                let negligible = ascending.iter().take_while(|(_, importance)| {
                    sum += importance;
                    sum <= share
                });
                let mut candidate = before.clone();
                candidate.leave_out(&negligible.map(|&(input, _)| input).collect::<Vec<_>>());
                candidate
            };
            let mut better = best;
            self.foresee(NEGLIGIBLE.map(|share| (without(share), Vec::new())));
            for share in NEGLIGIBLE {
                better = self.improve(better, &without(share))?;
            }
            if better == best {
                return Ok(());
            }
            best = better;
        }
    }
}
