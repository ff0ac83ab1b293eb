//! What error costs on the device: every method at several sizes, and every input left out, on the same folds.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::cost::{Core, instruction_bound};
use crate::data::Dataset;
use crate::error::FitError;
use crate::fit::{Fit, FitConfig, fit};
use crate::method::{MethodConfig, Terms};
use crate::run::{Parts, Run};
use crate::validate::cross_validation::{Score, cross_validate, ranked};

/// What to compare.
#[derive(Clone, Debug)]
pub struct CompareConfig {
    /// Folds, ridge parameters, number format and scaling; its method is not used.
    pub fit: FitConfig,
    /// The methods, with their settings but for the number of features.
    pub methods: Vec<MethodConfig>,
    /// Numbers of features.
    pub sizes: Vec<usize>,
    /// Core whose instructions are counted.
    pub core: Core,
}

/// A model of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Method, or `mean`.
    pub method: String,
    /// Features that the model has.
    pub features: usize,
    /// Inputs per feature; none where a feature looks at all.
    pub order: Option<usize>,
    /// Ridge parameter; none in a method that has no penalty.
    pub lambda: Option<f64>,
    /// Flash that it takes, in bytes.
    pub flash_bytes: usize,
    /// The most instructions of a prediction; none where there is no bound.
    pub instructions: Option<u32>,
    /// Cross-validated root mean squared error, in standard deviations of the target.
    pub rmse: f64,
    /// Standard error of the mean squared error that `rmse` is the root of.
    pub standard_error: f64,
    /// Cross-validated share of rows put into a wrong class; none for quantities.
    pub error_rate: Option<f64>,
    /// Whether no other model has less error in as much flash.
    pub best_for_flash: bool,
    /// Whether no other model has less error in as many instructions.
    pub best_for_instructions: bool,
}

impl Entry {
    /// The error that models are compared by: the error rate of classes, else the root mean squared error.
    pub fn error(&self) -> f64 {
        self.error_rate.unwrap_or(self.rmse)
    }
}

/// What leaving out an input costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InputCost {
    /// Name of the input.
    pub input: String,
    /// Cross-validated error without it, as in [`Entry::error`].
    pub without_it: f64,
    /// The same without it and all inputs that stand before it; none where it is the last.
    pub without_those_before: Option<f64>,
    /// Whether the latter is at most a standard error above the error with all inputs.
    pub dispensable: bool,
}

/// Models and inputs side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The models, those of less error first.
    pub entries: Vec<Entry>,
    /// The method and the number of features that the inputs were judged with: the smallest model whose error is within a
    /// standard error of the least; none where they were not.
    pub judged_with: Option<(String, usize)>,
    /// The inputs, those first that cost least to leave out.
    pub inputs: Vec<InputCost>,
    /// Models that could not be had, and why.
    pub failed: Vec<Failed>,
    /// Whether all was computed; otherwise the observer stopped it.
    pub complete: bool,
}

/// A model that could not be had.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failed {
    /// The method.
    pub method: String,
    /// Features asked for.
    pub features: usize,
    /// Why there is no model.
    pub reason: String,
}

/// Compares methods, sizes and inputs. Where the observer stops it, what there is by then.
///
/// # Errors
/// [`FitError`] where the data do not allow any fit.
pub fn compare(data: &Dataset, config: &CompareConfig, run: &Run<'_>) -> Result<Comparison, FitError> {
    run.install(|run| compare_on_threads(data, config, run))
}

/// Compares on the present threads.
fn compare_on_threads(data: &Dataset, config: &CompareConfig, run: &Run<'_>) -> Result<Comparison, FitError> {
    config.fit.check(data)?;
    let sized =
        |&features: &usize| config.methods.iter().map(move |method| method.clone().tuned(|t| t.features = features));
    let linear = MethodConfig::named("linear").expect("it is a name");
    let baselines = [linear.clone().tuned(|t| t.terms = Terms::Intercept), linear];
    let methods: Vec<MethodConfig> = baselines.into_iter().chain(config.sizes.iter().flat_map(sized)).collect();

    // Inputs take a fit each for every one and for those before it.
    let varying = data.varying_inputs();
    let weights: Vec<usize> = vec![1; methods.len() + 2 * varying.len()];
    let parts = Parts::new(run, weights);
    let mut comparison =
        Comparison { entries: Vec::new(), judged_with: None, inputs: Vec::new(), failed: Vec::new(), complete: false };
    let (mut chosen, mut refused) = (Vec::new(), None);
    for (place, method) in methods.iter().enumerate() {
        let part = parts.part(place);
        match validated(data, &config.fit, method, &part) {
            Ok((score, fit)) => {
                comparison.entries.push(entry(&score, &fit, config.core));
                chosen.push((score, fit.chosen));
            }
            Err(FitError::Interrupted) => break,
            Err(error) => {
                let (method, features) = (name(method), method.tunable().features);
                comparison.failed.push(Failed { method, features, reason: error.to_string() });
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
        let judged = Judge { data, config: &config.fit, method, score };
        let part = |piece: usize| parts.part(methods.len() + piece);
        if let Some(inputs) = judged.inputs(&varying, &part) {
            let Entry { method, features, .. } = &comparison.entries[judge];
            (comparison.inputs, comparison.judged_with) = (inputs, Some((method.clone(), *features)));
        } else {
            comparison.complete = false;
        }
    }
    mark_the_best(&mut comparison.entries);
    comparison.entries.sort_by(|a, b| a.error().total_cmp(&b.error()).then(a.flash_bytes.cmp(&b.flash_bytes)));
    Ok(comparison)
}

fn name(method: &MethodConfig) -> String {
    let mean = method.name() == "linear" && method.tunable().terms == Terms::Intercept;
    if mean { "mean".to_owned() } else { method.name().to_owned() }
}

/// The best of the settings that `config` leaves to choose for `method`, with its score and its model of all rows.
fn validated(
    data: &Dataset,
    config: &FitConfig,
    method: &MethodConfig,
    run: &Run<'_>,
) -> Result<(Score, Fit), FitError> {
    let config = FitConfig { method: method.clone(), ..config.clone() };
    let candidates = config.candidates();
    let scores = cross_validate(&candidates, data, &config.folds(), run)?;
    let best = *ranked(&scores, data.rows()).first().ok_or(FitError::NoCandidate { tried: candidates.len() })?;
    let alone = config.with(candidates[best].clone());
    Ok((scores[best], fit(data, &alone, run)?))
}

fn entry(score: &Score, fit: &Fit, core: Core) -> Entry {
    let (model, settings) = (fit.blob.model(), fit.chosen.tunable());
    Entry {
        method: name(&fit.chosen),
        features: model.features(),
        order: settings.order,
        lambda: settings.lambda,
        flash_bytes: model.flash_bytes(),
        instructions: instruction_bound(&model, core),
        rmse: score.mse.sqrt(),
        standard_error: score.standard_error,
        error_rate: score.error_rate,
        best_for_flash: false,
        best_for_instructions: false,
    }
}

/// Of the models whose loss is within a standard error of the least, the one of the least flash.
fn smallest_of_the_best(entries: &[Entry], chosen: &[(Score, MethodConfig)], rows: usize) -> Option<usize> {
    let best = chosen.iter().map(|(score, _)| score).min_by(|a, b| a.loss().total_cmp(&b.loss()))?;
    let bound = best.loss() + best.allowance(rows);
    (0..entries.len()).filter(|&e| chosen[e].0.loss() <= bound).min_by_key(|&e| entries[e].flash_bytes)
}

/// Marks the entries that no other beats in both of error and cost.
fn mark_the_best(entries: &mut [Entry]) {
    let front = |cost: fn(&Entry) -> Option<u64>| -> BTreeSet<usize> {
        let known = || entries.iter().enumerate().filter_map(|(e, entry)| Some((e, entry.error(), cost(entry)?)));
        let beaten =
            |error: f64, cost: u64| known().any(|(_, e, c)| e <= error && c <= cost && (e < error || c < cost));
        known().filter(|&(_, error, cost)| !beaten(error, cost)).map(|(e, ..)| e).collect()
    };
    let (flash, instructions) = (front(|e| Some(e.flash_bytes as u64)), front(|e| e.instructions.map(u64::from)));
    for (e, entry) in entries.iter_mut().enumerate() {
        (entry.best_for_flash, entry.best_for_instructions) = (flash.contains(&e), instructions.contains(&e));
    }
}

/// A method that fits without some of the inputs.
struct Judge<'a> {
    data: &'a Dataset,
    config: &'a FitConfig,
    method: &'a MethodConfig,
    /// With all inputs.
    score: &'a Score,
}

impl Judge<'_> {
    fn inputs<'r>(&self, varying: &[usize], part: &dyn Fn(usize) -> Run<'r>) -> Option<Vec<InputCost>> {
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

    /// A loss as an error to show.
    fn error(&self, loss: f64) -> f64 {
        if self.score.error_rate.is_some() { loss } else { loss.sqrt() }
    }

    /// The loss without some inputs, infinite where there is no model then; none where the observer stopped it.
    fn without(&self, inputs: &[usize], run: &Run<'_>) -> Option<f64> {
        let data = self.data.without(inputs);
        let left = data.varying_inputs().len();
        let method = self.method.clone().tuned(|t| t.order = t.order.map(|order| order.min(left)));
        match cross_validate(&[method], &data, &self.config.folds(), run) {
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

    fn entry(error: f64, flash_bytes: usize, instructions: Option<u32>) -> Entry {
        let (method, lambda, order, standard_error, error_rate) = (String::new(), None, None, 0.0, None);
        let (best_for_flash, best_for_instructions, features, rmse) = (false, false, 1, error);
        Entry {
            method,
            features,
            order,
            lambda,
            flash_bytes,
            instructions,
            rmse,
            standard_error,
            error_rate,
            best_for_flash,
            best_for_instructions,
        }
    }

    #[test]
    fn the_front_is_what_nothing_beats() {
        let mut entries = [
            entry(0.5, 100, Some(300)),
            entry(0.4, 100, Some(400)), // less error than the first in as much flash
            entry(0.3, 200, None),
            entry(0.3, 250, Some(400)), // as good as the one before in more flash
            entry(0.2, 900, Some(350)),
        ];
        mark_the_best(&mut entries);
        let flash: Vec<bool> = entries.iter().map(|e| e.best_for_flash).collect();
        let instructions: Vec<bool> = entries.iter().map(|e| e.best_for_instructions).collect();
        assert_eq!(flash, [false, true, true, false, true]);
        assert_eq!(instructions, [true, false, false, false, true]);
    }

    #[test]
    fn inputs_that_do_nothing_can_be_left_off() {
        // Inputs 6 to 10 of Friedman 1 have no part in the target.
        let data = Task::Friedman1.generate(300, 1.0, 1);
        let config = CompareConfig {
            fit: FitConfig { grid: Grid::of_lambdas([1e-2, 1.0]), ..FitConfig::default() },
            methods: vec![MethodConfig::named("harfe").unwrap()],
            sizes: vec![40],
            core: Core::CortexM4f,
        };
        let comparison = compare(&data, &config, &Run::new(1)).unwrap();
        assert!(comparison.complete && comparison.failed.is_empty());
        let errors: Vec<(&str, f64)> = comparison.entries.iter().map(|e| (e.method.as_str(), e.rmse)).collect();
        assert_eq!(errors.iter().map(|e| e.0).collect::<Vec<_>>(), ["harfe", "linear", "mean"]);
        assert!((errors[2].1 - 1.0).abs() < 0.02, "the mean's error is the deviation: {errors:?}");
        let position = |name: &str| comparison.inputs.iter().position(|i| i.input == name).unwrap();
        let names = &data.input_names;
        for used in &names[..5] {
            assert!(!comparison.inputs[position(used)].dispensable, "{used}: {:?}", comparison.inputs);
            assert!(names[5..].iter().all(|unused| position(unused) < position(used)));
        }
        assert!(comparison.inputs.iter().filter(|i| i.dispensable).count() >= 4);
    }
}
