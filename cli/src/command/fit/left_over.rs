//! Flash that a search leaves over.

use std::fmt;

use serde::Serialize;
use srfm_trainer::cost::{Budget, Deployment};
use srfm_trainer::emulate::footprint;
use srfm_trainer::search::{Found, Trial};
use srfm_trainer::validate::ClassLoss;

use crate::report::{class_figure, counted, significant};

/// Flash that the model does not take, and what larger candidates were like.
#[derive(Serialize)]
pub struct LeftOver {
    /// Bytes of the budget that the model does not take; of a Rust program, at least.
    bytes: usize,
    /// The number of candidates within the budget that are larger than the model.
    larger: usize,
    /// The error of the best of them in standard deviations of the target; null for classes, and where one fold ruled
    /// all of them out.
    larger_rmse: Option<f64>,
    /// The error rate of the best of them; null where the targets are no classes, and where one fold ruled all out.
    larger_error_rate: Option<f64>,
    #[serde(skip)]
    larger_class_loss: Option<ClassLoss>,
    /// The most that it takes of the flash; null where the error is null.
    larger_bytes: Option<usize>,
}

impl LeftOver {
    /// What a search left of the budget; none where the model takes more than three quarters of it.
    pub fn of(found: &Found, budget: &Budget) -> Option<LeftOver> {
        let (flash, own) = (budget.flash?, found.chosen.flash_bytes);
        let model = match budget.deployment {
            Deployment::File | Deployment::C(_) => footprint(&found.fit.blob, &budget.deployment).ok()?,
            // The compiler takes a while to tell, so that the bound of the candidate stands for the model.
            Deployment::Rust { .. } => None,
        };
        let of_file = if budget.deployment == Deployment::File { found.fit.blob.bytes().len() } else { own };
        let taken = model.map_or(of_file, |model| model.flash_bytes);
        let larger =
            |trial: &&Trial| trial.flash_bytes > own && !trial.over_budget && trial.score.standardised_mse.is_finite();
        // The error of a candidate that one fold ruled out is an estimate.
        let best = found.trials.iter().filter(larger).find(|trial| !trial.ruled_out);
        (4 * taken <= 3 * flash).then(|| LeftOver {
            bytes: flash.saturating_sub(taken),
            larger: found.trials.iter().filter(larger).count(),
            larger_rmse: best
                .filter(|trial| trial.score.error_rate.is_none())
                .map(|trial| trial.score.standardised_mse.sqrt()),
            larger_error_rate: best.and_then(|trial| trial.score.error_rate),
            larger_class_loss: best.and_then(|trial| trial.score.class_loss),
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
        let (were, them) = if self.larger == 1 { ("was", "it") } else { ("were", "them") };
        write!(f, "{} {were} tried", counted(self.larger, "larger candidate"))?;
        let error = match (&self.larger_class_loss, self.larger_rmse) {
            (Some(of_metric), _) => Some(class_figure(of_metric, false)),
            (None, rmse) => rmse.map(|rmse| format!("RMSE {}", significant(rmse))),
        };
        match error.zip(self.larger_bytes) {
            Some((error, bytes)) => writeln!(f, ", at best {error} with {bytes} bytes"),
            None => writeln!(f, ", and one fold ruled {them} out"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use srfm_trainer::data::Task;
    use srfm_trainer::search::{SearchConfig, search};
    use srfm_trainer::{Conditions, Run};

    use super::*;

    #[test]
    fn errors_are_those_of_the_best_larger_candidate() {
        let left = |larger, larger_rmse: Option<f64>, larger_class_loss: Option<ClassLoss>| {
            let larger_bytes = larger_rmse.or(larger_class_loss.map(|of_metric| of_metric.loss)).map(|_| 400);
            let larger_error_rate = None;
            LeftOver { bytes: 112, larger, larger_rmse, larger_error_rate, larger_class_loss, larger_bytes }.to_string()
        };
        let head = "left over     112 bytes of the budget: ";
        assert_eq!(left(0, None, None), format!("{head}no larger candidate was tried\n"));
        assert_eq!(left(1, None, None), format!("{head}1 larger candidate was tried, and one fold ruled it out\n"));
        assert_eq!(left(2, None, None), format!("{head}2 larger candidates were tried, and one fold ruled them out\n"));
        let quantity = left(3, Some(0.25), None);
        assert_eq!(quantity, format!("{head}3 larger candidates were tried, at best RMSE 0.2500 with 400 bytes\n"));
        let of_metric = |metric: &str| {
            let loss = json!({ "metric": metric, "loss": 0.125, "variance": 0.0, "search_loss": 0.0 });
            left(3, None, Some(serde_json::from_value(loss).unwrap()))
        };
        assert!(of_metric("accuracy").ends_with("tried, at best accuracy 87.50 % with 400 bytes\n"));
        assert!(of_metric("balanced").ends_with("tried, at best balanced accuracy 87.50 % with 400 bytes\n"));
        assert!(of_metric("log-loss").ends_with("tried, at best log loss 0.1250 with 400 bytes\n"));
    }

    #[test]
    fn a_model_of_more_than_three_quarters_leaves_nothing_over() {
        let data = Task::Pressure.generate(100, 0.5, 1);
        let budget = |flash| Budget { flash: Some(flash), ..Budget::default() };
        let config = SearchConfig { effort: Some(0.1), ..SearchConfig::new(Conditions::default(), budget(512)) };
        let found = search(&data, &config, &Run::new(1)).unwrap();
        // The model counts, which may be smaller than its candidate could be.
        let bytes = found.fit.blob.bytes().len();
        let enough = (4 * bytes).div_ceil(3);
        let left = LeftOver::of(&found, &budget(enough)).unwrap();
        let own = found.chosen.flash_bytes;
        let larger = found.trials.iter().filter(|trial| (own + 1..=512).contains(&trial.flash_bytes)).count();
        assert_eq!((left.bytes, left.larger), (enough - bytes, larger));
        assert!(LeftOver::of(&found, &budget(enough - 1)).is_none());
    }
}
