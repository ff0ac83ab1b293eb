//! Methods side by side: every method at several sizes, and the model without each input, on the same folds.

mod entries;

use crate::compare::entries::{InputCost, mark_the_front};
use crate::cost::{Core, Deployment, instruction_bound};
use crate::data::Dataset;
use crate::error::FitError;
use crate::fit::{Conditions, Fit, fit};
use crate::message::Explain;
use crate::method::{MethodConfig, Terms};
use crate::run::{Parts, Run};
use crate::validate::cross_validation::cross_validate;
use crate::validate::{Score, ranked};
use crate::warp::Warp;

pub use entries::{Comparison, Entry, Failed};

/// The settings of a comparison.
#[derive(Clone, Debug)]
pub struct CompareConfig {
    /// Folds, ridge parameters, number format and scaling.
    pub fit: Conditions,
    /// The methods and their settings.
    pub methods: Vec<MethodConfig>,
    /// Numbers of features: every method is fitted with each of them. Without any, methods keep their own numbers.
    pub sizes: Vec<usize>,
    /// Core whose instructions are counted.
    pub core: Core,
}

impl CompareConfig {
    /// Returns the methods at every size, after the mean and the linear model.
    fn compared_methods(&self) -> Vec<MethodConfig> {
        let linear = MethodConfig::named("linear").expect("it is a name");
        let mut methods = vec![linear.clone().tuned(|t| t.terms = Terms::Intercept), linear];
        if self.sizes.is_empty() {
            methods.extend(self.methods.iter().cloned());
        }
        for &features in &self.sizes {
            methods.extend(self.methods.iter().map(|method| method.clone().tuned(|t| t.features = features)));
        }
        methods
    }
}

/// Compares methods, sizes and inputs. If the observer stops the comparison, the result is what was computed by then.
///
/// # Errors
/// [`FitError`] where the data do not allow any fit.
pub fn compare(data: &Dataset, config: &CompareConfig, run: &Run<'_>) -> Result<Comparison, FitError> {
    run.install(|run| compare_on_threads(data, config, run))
}

/// Compares on the threads of the caller.
fn compare_on_threads(data: &Dataset, config: &CompareConfig, run: &Run<'_>) -> Result<Comparison, FitError> {
    let methods = config.compared_methods();
    config.fit.with_method(config.methods.first().unwrap_or(&methods[0]).clone()).check(data)?;
    // Every input takes a fit without it, and a fit without it and all inputs before it.
    let varying = data.varying_inputs();
    let weights: Vec<usize> = vec![1; methods.len() + 2 * varying.len()];
    let parts = Parts::new(run, weights);
    let mut comparison =
        Comparison { entries: Vec::new(), judged_with: None, inputs: Vec::new(), failed: Vec::new(), complete: false };
    let mut chosen = Vec::new();
    let mut refused = None;
    for (place, method) in methods.iter().enumerate() {
        let part = parts.part(place);
        match validated(data, &config.fit, method, &part) {
            Ok((score, fit)) => {
                comparison.entries.push(entry(&score, &fit, config.core));
                chosen.push((score, fit.chosen));
            }
            Err(FitError::Interrupted) => break,
            Err(error) => {
                let features = method.tunable().features;
                comparison.failed.push(Failed { method: name(method), features, reason: error.message() });
                refused.get_or_insert(error);
            }
        }
        part.progress(1, 1);
    }
    let done = comparison.entries.len() + comparison.failed.len() == methods.len();
    if let Some(error) = refused.filter(|_| comparison.entries.is_empty()) {
        return Err(error);
    }
    let judge = smallest_of_the_best(&comparison.entries, &chosen, data.rows());
    comparison.complete = done;
    if let Some(judge) = judge.filter(|_| done && varying.len() > 1) {
        let (score, method) = &chosen[judge];
        let elimination = Elimination { data, conditions: &config.fit, method, score };
        let part = |piece: usize| parts.part(methods.len() + piece);
        if let Some(inputs) = elimination.inputs(&varying, &part) {
            let Entry { method, features, .. } = &comparison.entries[judge];
            comparison.inputs = inputs;
            comparison.judged_with = Some((method.clone(), *features));
        } else {
            comparison.complete = false;
        }
    }
    mark_the_front(&mut comparison.entries);
    comparison.entries.sort_by(|a, b| a.error().total_cmp(&b.error()).then(a.flash_bytes.cmp(&b.flash_bytes)));
    Ok(comparison)
}

fn name(method: &MethodConfig) -> String {
    let mean = method.name() == "linear" && method.tunable().terms == Terms::Intercept;
    if mean { "mean".to_owned() } else { method.name().to_owned() }
}

/// Chooses the best settings for `method` from the grid of `conditions`. Returns their score and their fit to all rows.
fn validated(
    data: &Dataset,
    conditions: &Conditions,
    method: &MethodConfig,
    run: &Run<'_>,
) -> Result<(Score, Fit), FitError> {
    let config = conditions.with_method(method.clone());
    let candidates = config.candidates();
    let scores = cross_validate(&candidates, data, &config.folds(), run)?;
    let best = *ranked(&scores, data.rows()).first().ok_or(FitError::NoCandidate { tried: candidates.len() })?;
    let alone = conditions.with(candidates[best].clone());
    Ok((scores[best], fit(data, &alone, run)?))
}

fn entry(score: &Score, fit: &Fit, core: Core) -> Entry {
    let model = fit.blob.model();
    let settings = fit.chosen.tunable();
    Entry {
        method: name(&fit.chosen),
        features: model.features(),
        order: settings.order,
        lambda: settings.lambda,
        flash_bytes: model.flash_bytes(),
        program_bytes: Deployment::C(core).footprint(&model).map(|program| program.flash_bytes),
        instructions: Some(instruction_bound(&model, core)).filter(|&bound| bound < u32::MAX),
        rmse: score.standardised_mse.sqrt(),
        standard_error: score.standard_error,
        error_rate: score.error_rate,
        best_for_flash: false,
        best_for_instructions: false,
    }
}

/// Returns the model of the least flash among those whose loss is within a standard error of the least loss.
fn smallest_of_the_best(entries: &[Entry], chosen: &[(Score, MethodConfig)], rows: usize) -> Option<usize> {
    let best = chosen.iter().map(|(score, _)| score).min_by(|a, b| a.loss().total_cmp(&b.loss()))?;
    let bound = best.loss() + best.allowance(rows);
    (0..entries.len()).filter(|&e| chosen[e].0.loss() <= bound).min_by_key(|&e| entries[e].flash_bytes)
}

/// Cross-validation of one method without some of the inputs: backward elimination.
pub(crate) struct Elimination<'a> {
    pub data: &'a Dataset,
    pub conditions: &'a Conditions,
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
        let mut gone = Vec::new();
        let mut inputs = Vec::new();
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
        let mut conditions = self.conditions.clone();
        // A left out input is constant, which no warp but the identity takes.
        for (input, warp) in conditions.preprocessing.warps.iter_mut().enumerate() {
            if inputs.contains(&input) {
                *warp = Warp::Identity;
            }
        }
        match cross_validate(&[method], &data, &conditions.folds(), run) {
            Ok(scores) => Some(scores[0].loss()),
            Err(FitError::Interrupted) => None,
            Err(_) => Some(f64::INFINITY),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Task;
    use crate::fit::Grid;

    #[test]
    fn inputs_that_do_nothing_can_be_left_off() {
        // Inputs 6 to 10 of Friedman 1 have no part in the target.
        let data = Task::Friedman1.generate(300, 1.0, 1);
        let config = CompareConfig {
            fit: Conditions { grid: Grid::from([1e-2, 1.0]), ..Conditions::default() },
            methods: ["harfe", "polynomial", "table"].map(|name| MethodConfig::named(name).unwrap()).to_vec(),
            sizes: vec![40],
            core: Core::CortexM4f,
        };
        let comparison = compare(&data, &config, &Run::new(1)).unwrap();
        assert!(comparison.complete && comparison.failed.is_empty());
        let errors: Vec<(&str, f64)> = comparison.entries.iter().map(|e| (e.method.as_str(), e.rmse)).collect();
        let method = |name: &str| errors.iter().filter(|e| e.0 == name).map(|e| e.1).collect::<Vec<f64>>();
        assert_eq!(["harfe", "polynomial", "table", "linear", "mean"].map(|name| method(name).len()), [1; 5]);
        assert!((method("mean")[0] - 1.0).abs() < 0.02, "the mean's error is the deviation: {errors:?}");
        // A square and the sine of a product are in the target.
        assert!(["harfe", "polynomial", "table"].iter().all(|name| method(name)[0] < method("linear")[0]));
        let position = |name: &str| comparison.inputs.iter().position(|i| i.input == name).unwrap();
        let names = &data.input_names;
        for used in &names[..5] {
            assert!(!comparison.inputs[position(used)].dispensable, "{used}: {:?}", comparison.inputs);
            assert!(names[5..].iter().all(|unused| position(unused) < position(used)));
        }
        assert!(comparison.inputs.iter().filter(|i| i.dispensable).count() >= 4);
    }
}
