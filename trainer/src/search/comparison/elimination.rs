//! What the model loses without some of the inputs.

use crate::data::Dataset;
use crate::error::FitError;
use crate::fit::FitConfig;
use crate::method::MethodConfig;
use crate::run::Run;
use crate::search::comparison::table::InputCost;
use crate::validate::Score;
use crate::validate::cross_validation::cross_validate;
use crate::warp::Warp;

/// Cross-validation of one method without some of the inputs: backward elimination.
pub(crate) struct Elimination<'a> {
    pub data: &'a Dataset,
    pub config: &'a FitConfig,
    pub method: &'a MethodConfig,
    /// The score with all inputs.
    pub score: &'a Score,
}

impl Elimination<'_> {
    /// Returns the cost of every input; none if the observer stopped the fits.
    pub fn inputs<'r>(&self, varying: &[usize], part: &dyn Fn(usize) -> Run<'r>) -> Option<Vec<InputCost>> {
        let mut alone = Vec::new();
        for (piece, &input) in varying.iter().enumerate() {
            alone.push((input, self.without(&[input], &part(piece))?));
            part(piece).progress(1, 1);
        }
        alone.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (mut gone, mut inputs) = (Vec::new(), Vec::new());
        let bound = self.score.loss() + self.score.allowance(self.data.rows());
        let mut dispensable = true;
        for (piece, (input, error)) in alone.into_iter().enumerate() {
            gone.push(input);
            let last = gone.len() == varying.len();
            let run = part(varying.len() + piece);
            let together = if last { None } else { Some(self.without(&gone, &run)?) };
            run.progress(1, 1);
            dispensable &= together.is_some_and(|loss| loss <= bound);
            inputs.push(InputCost {
                input: self.data.input_names[input].clone(),
                without_it: self.error(error),
                without_those_before: together.map(|loss| self.error(loss)),
                dispensable,
            });
        }
        Some(inputs)
    }

    /// Returns a loss as an error to report.
    fn error(&self, loss: f64) -> f64 {
        if self.score.error_rate.is_some() { loss } else { loss.sqrt() }
    }

    /// Returns the loss without some inputs, infinite if there is no model; none if the observer stopped the fits.
    fn without(&self, inputs: &[usize], run: &Run<'_>) -> Option<f64> {
        let data = self.data.without(inputs);
        let left = data.varying_inputs().len();
        let method = self.method.clone().tuned(|t| t.order = t.order.map(|order| order.min(left)));
        let mut config = self.config.clone();
        // A left out input is constant, which no warp but the identity takes.
        for (input, warp) in config.preprocessing.warps.iter_mut().enumerate() {
            if inputs.contains(&input) {
                *warp = Warp::Identity;
            }
        }
        match cross_validate(&[method], &data, &config.folds(), run) {
            Ok(scores) => Some(scores[0].loss()),
            Err(FitError::Interrupted) => None,
            Err(_) => Some(f64::INFINITY),
        }
    }
}
