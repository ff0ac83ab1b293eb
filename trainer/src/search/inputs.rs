//! Which inputs a model looks at, and how they are warped.

use crate::export::NumberFormat;
use crate::method::Terms;
use crate::search::Stop;
use crate::search::candidate::{Candidate, Family};
use crate::search::trial::Search;
use crate::warp::Warp;

/// Most inputs whose warps are tried.
const MOST_WARPED: usize = 16;

/// Inputs in a row whose warps do not help, after which those that matter less are not tried.
const MOST_FRUITLESS: usize = 4;

/// Least ratio of an input's readings for which a warp could matter.
const LEAST_RATIO: f64 = 2.0;

/// Shares of the importance of all inputs that the least of them have together when they are left out.
const IDLE: [f64; 4] = [0.01, 0.03, 0.1, 0.2];

impl Search<'_> {
    /// The least important inputs, all but so many: half of those too many are left out at a time.
    pub(crate) fn forbid(&mut self, start: &Candidate, terms: Terms, most: usize) -> Result<Vec<usize>, Stop> {
        if let Some((_, without)) = self.forbidden.iter().find(|(of, _)| of == start) {
            return Ok(without.clone());
        }
        let order = Some(2.min(self.inputs(&start.without)));
        let mut candidate = start.with(self.refined(order, terms));
        while self.inputs(&candidate.without) > most {
            let least = match self.by_importance(&candidate)? {
                Some(least) => least,
                None => self.by_importance(&candidate.with(start.method.clone()))?.unwrap_or_default(),
            };
            let count = (self.inputs(&candidate.without) - most).div_ceil(2);
            let least: Vec<usize> = least.into_iter().map(|(input, _)| input).take(count).collect();
            if least.is_empty() {
                break;
            }
            candidate.leave_out(&least);
        }
        self.forbidden.push((start.clone(), candidate.without.clone()));
        Ok(candidate.without)
    }

    /// Tries every warp of every input by itself, those first that matter most, and keeps what is better.
    pub(crate) fn warp(&mut self) -> Result<(), Stop> {
        if !self.config.fit.preprocessing.warps.is_empty() {
            return Ok(());
        }
        let Some(mut best) = self.best_of_few() else { return Ok(()) };
        let candidate = self.tried[best].candidate.clone();
        let Some(inputs) = self.by_importance(&candidate)? else { return Ok(()) };
        let mut inputs: Vec<usize> = inputs.into_iter().rev().map(|(input, _)| input).collect();
        let least = inputs.split_off(inputs.len().min(MOST_WARPED));
        if !least.is_empty() && candidate.number == NumberFormat::F32 {
            // Which does not hold a warp and more inputs.
            let mut without = candidate;
            without.leave_out(&least);
            self.attempt(&without, &[])?;
            best = self.least(|c| c.without == without.without && c.few()).unwrap_or(best);
        }
        let mut fruitless = 0;
        for input in inputs {
            let column = self.all.x.column(input);
            let (least, most) = (column.min(), column.max());
            let mut warps = Warp::possible(column.as_slice());
            warps.retain(|&warp| warp != self.tried[best].candidate.warps[input]);
            if warps.is_empty() || most <= LEAST_RATIO * least {
                continue;
            }
            let before = best;
            for warp in warps {
                let mut candidate = self.tried[best].candidate.clone();
                candidate.warps[input] = warp;
                best = self.improve(best, &candidate)?;
            }
            fruitless = if best == before { fruitless + 1 } else { 0 };
            if fruitless == MOST_FRUITLESS {
                break;
            }
        }
        Ok(())
    }

    /// Tries the best refined frequencies with the warps and without the inputs that suit few features best.
    pub(crate) fn with_inputs_found(&mut self) -> Result<(), Stop> {
        let (Some(found), Some(best)) = (self.best_of_few(), self.best_of(&[Family::Refined])) else { return Ok(()) };
        self.attempt(&self.tried[found].candidate.with(self.tried[best].candidate.method.clone()), &[])?;
        Ok(())
    }

    /// Tries the best refined frequencies with all inputs, with their warps and without: more features may have use for what
    /// fewer had not.
    pub(crate) fn with_all_inputs(&mut self) -> Result<(), Stop> {
        let best = self.best_of(&[Family::Refined]).filter(|_| self.config.inputs.is_none());
        let Some(best) = best else { return Ok(()) };
        let found = self.tried[best].candidate.clone();
        let all = self.without_features(found.number, found.method.tunable().terms).with(found.method.clone());
        if all.without != found.without {
            self.attempt(&Candidate { warps: found.warps, ..all.clone() }, &[])?;
            self.attempt(&all, &[])?;
        }
        Ok(())
    }

    /// Leaves out the inputs that matter least, as long as that helps.
    pub(crate) fn leave_out(&mut self) -> Result<(), Stop> {
        let Some(mut best) = self.best_of_few() else { return Ok(()) };
        loop {
            let before = self.tried[best].candidate.clone();
            let Some(least) = self.by_importance(&before)? else { return Ok(()) };
            let mut better = best;
            for share in IDLE {
                let mut sum = 0.0;
                let idle = least.iter().take_while(|(_, importance)| {
                    sum += importance;
                    sum <= share
                });
                let mut candidate = before.clone();
                candidate.leave_out(&idle.map(|&(input, _)| input).collect::<Vec<_>>());
                better = self.improve(better, &candidate)?;
            }
            if better == best {
                return Ok(());
            }
            best = better;
        }
    }
}
