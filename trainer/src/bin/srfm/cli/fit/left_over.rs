//! Flash that a search leaves over.

use std::fmt;

use serde::Serialize;
use srfm_trainer::search::{Budget, Found, Trial};

use crate::report::{counted, percent, significant};

/// Flash that the model does not take, and what larger candidates were like.
#[derive(Serialize)]
pub struct LeftOver {
    /// Bytes of the budget, at least.
    bytes: usize,
    /// The number of candidates within the budget that are larger than the model.
    larger: usize,
    /// The error of the best of them in standard deviations of the target; null for classes, and where one fold ruled
    /// all of them out.
    larger_rmse: Option<f64>,
    /// The error rate of the best of them; null where the targets are no classes, and where one fold ruled all out.
    larger_error_rate: Option<f64>,
    /// The most that it takes of the flash; null where the error is null.
    larger_bytes: Option<usize>,
}

impl LeftOver {
    /// What a search left of the budget; none where the model takes more than three quarters of it.
    pub fn of(found: &Found, budget: &Budget) -> Option<LeftOver> {
        let (flash, own) = (budget.flash?, found.chosen.flash_bytes);
        let larger = |trial: &&Trial| trial.flash_bytes > own && !trial.over_budget && trial.score.mse.is_finite();
        // The error of a candidate that one fold ruled out is an estimate.
        let best = found.trials.iter().filter(larger).find(|trial| !trial.ruled_out);
        (4 * own <= 3 * flash).then(|| LeftOver {
            bytes: flash - own,
            larger: found.trials.iter().filter(larger).count(),
            larger_rmse: best.filter(|trial| trial.score.error_rate.is_none()).map(|trial| trial.score.mse.sqrt()),
            larger_error_rate: best.and_then(|trial| trial.score.error_rate),
            larger_bytes: best.map(|trial| trial.flash_bytes),
        })
    }
}

impl fmt::Display for LeftOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "left over     {} of the budget: ", counted(self.bytes, "byte"))?;
        if self.larger == 0 {
            return writeln!(f, "no larger candidate was tried");
        }
        write!(f, "{} were tried", counted(self.larger, "larger candidate"))?;
        let error = match (self.larger_error_rate, self.larger_rmse) {
            (Some(rate), _) => Some(format!("accuracy {}", percent(1.0 - rate))),
            (None, rmse) => rmse.map(|rmse| format!("RMSE {}", significant(rmse))),
        };
        match error.zip(self.larger_bytes) {
            Some((error, bytes)) => writeln!(f, ", at best {error} with {bytes} bytes"),
            None => writeln!(f, ", and one fold ruled them out"),
        }
    }
}
