//! Why a search leaves flash over.

use std::fmt;

use serde::Serialize;
use srfm_trainer::search::{Budget, Found, Trial};

use crate::report::{counted, significant};

/// Flash that the model does not take, and what larger candidates were like.
#[derive(Serialize)]
pub struct LeftOver {
    /// Bytes of the budget, at least.
    bytes: usize,
    /// The number of candidates within the budget that are larger than the model.
    larger: usize,
    /// The error of the best of them; null where one fold ruled all of them out.
    larger_rmse: Option<f64>,
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
        (own <= flash / 4 * 3).then(|| LeftOver {
            bytes: flash - own,
            larger: found.trials.iter().filter(larger).count(),
            larger_rmse: best.map(|trial| trial.score.mse.sqrt()),
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
        write!(f, "{} did not do better on held-out rows", counted(self.larger, "larger candidate"))?;
        if let (Some(rmse), Some(bytes)) = (self.larger_rmse, self.larger_bytes) {
            write!(f, ", at best RMSE {} with {bytes} bytes", significant(rmse))?;
        }
        writeln!(f)
    }
}
