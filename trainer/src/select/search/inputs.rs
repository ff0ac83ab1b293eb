//! Which inputs a model looks at, and how they are warped.

use super::Stop;
use super::candidate::Candidate;
use super::trial::Search;
use crate::method::Terms;
use crate::warp::Warp;

/// Most inputs whose warps are tried.
const MOST_WARPED: usize = 16;

/// Least ratio of an input's readings for which a warp could matter.
const LEAST_RATIO: f64 = 2.0;

/// Shares of the importance of all inputs that the least of them have together when they are left out.
const IDLE: [f64; 4] = [0.01, 0.03, 0.1, 0.2];

impl Search<'_> {
    /// The least important inputs, all but so many: half of those too many are left out at a time.
    pub(super) fn forbid(&mut self, start: &Candidate, terms: Terms, most: usize) -> Result<Vec<usize>, Stop> {
        let varying = self.data.varying_inputs().len();
        let order = Some(2.min(varying));
        let mut candidate = start.with(self.refined(order, terms));
        while varying - candidate.without.len() > most {
            let least = match self.by_importance(&candidate)? {
                Some(least) => least,
                None => self.by_importance(&candidate.with(start.method.clone()))?.unwrap_or_default(),
            };
            let count = (varying - candidate.without.len() - most).div_ceil(2);
            let least: Vec<usize> = least.into_iter().map(|(input, _)| input).take(count).collect();
            if least.is_empty() {
                break;
            }
            candidate.leave_out(&least);
        }
        Ok(candidate.without)
    }

    /// Tries every warp of every input by itself, of many inputs those that matter most, and keeps what is better.
    pub(super) fn warp(&mut self) -> Result<(), Stop> {
        if !self.config.fit.warps.is_empty() {
            return Ok(());
        }
        let mut inputs = self.data.varying_inputs();
        if inputs.len() > MOST_WARPED {
            let Some(best) = self.best_of_few() else { return Ok(()) };
            let by_importance = self.by_importance(&best)?.unwrap_or_default();
            inputs = by_importance.into_iter().rev().take(MOST_WARPED).map(|(input, _)| input).collect();
        }
        for input in inputs {
            let column = self.all.x.column(input);
            let (least, most) = (column.min(), column.max());
            for warp in Warp::possible(column.as_slice()) {
                let Some(mut candidate) = self.best_of_few() else { return Ok(()) };
                let used = !candidate.without.contains(&input);
                if used && candidate.warps[input] != warp && most > LEAST_RATIO * least {
                    candidate.warps[input] = warp;
                    self.attempt(&candidate, &[])?;
                }
            }
        }
        Ok(())
    }

    /// Leaves out the inputs that matter least.
    pub(super) fn leave_out(&mut self) -> Result<(), Stop> {
        let Some(best) = self.best_of_few() else { return Ok(()) };
        let Some(least) = self.by_importance(&best)? else { return Ok(()) };
        for share in IDLE {
            let mut sum = 0.0;
            let idle = least.iter().take_while(|(_, importance)| {
                sum += importance;
                sum <= share
            });
            let mut candidate = best.clone();
            candidate.leave_out(&idle.map(|&(input, _)| input).collect::<Vec<_>>());
            self.attempt(&candidate, &[])?;
        }
        Ok(())
    }
}
