//! A model and its figures, charts and sentences for the page.

use std::collections::BTreeMap;

use nalgebra::DMatrix;
use serde_json::{Value, json};
use srfm_cli::origin::{DataFile, Origin};
use srfm_cli::report::{
    CrossValidation, Described, Evaluated, ModelPage, ModelSummary, Part, STYLE, SearchView, headline, held_out_by,
    rules, sentence,
};
use srfm_trainer::data::{Dataset, Description};
use srfm_trainer::export::{self, Blob};
use srfm_trainer::request::{Outcome, Plan, Rows};
use srfm_trainer::search::{Found, Trial};
use srfm_trainer::{Conditions, Fit, check_budget};

use crate::wanted::Wanted;

/// The largest number of sentences of rules.
const SENTENCES: usize = 200;

/// A fitted model.
pub struct Fitted {
    pub blob: Blob,
    pub description: Description,
    /// The figures, charts and sentences of the model.
    shown: Value,
}

impl Fitted {
    /// Evaluates the outcome of a plan.
    ///
    /// # Errors
    /// The sentence that says that the model exceeds the budget.
    pub fn of(wanted: &Wanted, rows: Rows, plan: &Plan, outcome: Outcome, file: &DataFile) -> Result<Fitted, String> {
        let (fit, search) = match outcome {
            Outcome::Fit(fit) => (*fit, None),
            Outcome::Found(found) => {
                let view = SearchView::of(&found, plan.budget());
                let trials = shown_trials(&found);
                (found.fit, Some((view, trials)))
            }
        };
        check_budget(&fit.blob, plan.budget()).map_err(|error| error.to_string())?;
        let errors = Errors::of(&fit, &rows, &plan.conditions());
        let mut description = rows.description.clone();
        description.origin = serde_json::to_value(errors.origin(wanted, &rows, file)).ok();
        let report = errors.page(wanted, &fit, &rows, search.as_ref().map(|(view, _)| view));
        let summary = ModelSummary::of(&fit.blob);
        let shown = json!({
            "bytes": fit.blob.bytes(),
            "description": description.to_json(fit.blob.bytes()),
            "model": summary,
            "headlines": errors.headlines(),
            "training": errors.training,
            "holdout": errors.holdout,
            "report": report.html(),
            "content": report.content(),
            "style": STYLE,
            "rules": sentences(&fit),
            "search": search.map(|(_, trials)| trials),
            "inputs": inputs(&rows.train),
            "outputs": rows.train.output_names,
            "classes": rows.train.classes,
            "counts": rows.counts.remark(),
            "file": format!("{}.srfm", wanted.stem()),
            "command": wanted.command(),
            "python": wanted.python(),
        });
        Ok(Fitted { blob: fit.blob, description, shown })
    }

    /// Returns the figures, charts and sentences of the model.
    pub fn shown(&self) -> Value {
        self.shown.clone()
    }

    /// Predicts a row of readings with the code of the device. Bits are those of the outputs in `f32`.
    ///
    /// # Errors
    /// A sentence for another number of readings than the model takes.
    pub fn predict(&self, readings: Vec<f64>) -> Result<Value, String> {
        let inputs = self.blob.model().inputs();
        if readings.len() != inputs {
            return Err(format!("the model takes {inputs} readings, not {}", readings.len()));
        }
        let row = DMatrix::from_row_slice(1, inputs, &readings);
        let outputs = export::predict(&self.blob, &row);
        let bits: Vec<String> = outputs.iter().map(|output| format!("{:08x}", output.to_bits())).collect();
        let outside = export::outside(&self.blob, &row).map(|counts| counts[0]);
        Ok(json!({
            "outputs": outputs.as_slice(),
            "bits": bits,
            "outside": outside,
            "class": self.blob.predict_classes(&row).first(),
            "probabilities": self.blob.probabilities(&outputs).as_slice(),
        }))
    }
}

/// The errors of a model.
struct Errors {
    training: Evaluated,
    holdout: Option<Evaluated>,
    validation: Option<Validation>,
    conditions: Conditions,
}

/// The errors of cross-validation.
struct Validation {
    rows: usize,
    rmse: Option<f64>,
    deviations: f64,
    error_rate: Option<f64>,
}

impl Errors {
    fn of(fit: &Fit, rows: &Rows, conditions: &Conditions) -> Errors {
        let validation = fit.score().map(|score| Validation {
            rows: score.rows,
            rmse: score.error_rate.is_none().then_some(score.rmse),
            deviations: score.standardised_mse.sqrt(),
            error_rate: score.error_rate,
        });
        Errors {
            training: Evaluated::of(&fit.blob, &rows.train, &rows.weights),
            holdout: rows.test.as_ref().map(|test| Evaluated::of(&fit.blob, test, &test.weights)),
            validation,
            conditions: conditions.clone(),
        }
    }

    /// Returns the most important figures of every part of the rows.
    fn headlines(&self) -> Vec<(&'static str, String)> {
        let training = ("fitted rows", headline(&self.training.evaluation));
        let holdout = self.holdout.as_ref().map(|holdout| ("held-out rows", headline(&holdout.evaluation)));
        [training].into_iter().chain(holdout).collect()
    }

    /// Returns the origin of the model, as the command states it.
    fn origin(&self, wanted: &Wanted, rows: &Rows, file: &DataFile) -> Origin {
        let mut origin = Origin {
            srfm: env!("CARGO_PKG_VERSION").to_owned(),
            files: vec![file.clone()],
            rows: rows.train.rows(),
            seed: 1,
            weight: None,
            arguments: wanted.arguments(),
            split: Some(self.conditions.split).filter(|_| self.holdout.is_some() || self.validation.is_some()),
            errors: BTreeMap::new(),
        };
        origin.add("training", &self.training.evaluation);
        if let Some(holdout) = &self.holdout {
            origin.add("holdout", &holdout.evaluation);
        }
        if let Some(Validation { rmse, error_rate, .. }) = self.validation {
            let errors = [("validation RMSE", rmse), ("validation accuracy", error_rate.map(|rate| 1.0 - rate))];
            origin.errors.extend(errors.into_iter().filter_map(|(what, value)| Some((what.to_owned(), value?))));
        }
        origin
    }

    /// Returns the page of the report.
    fn page<'a>(
        &'a self,
        wanted: &Wanted,
        fit: &'a Fit,
        rows: &'a Rows,
        search: Option<&'a SearchView>,
    ) -> ModelPage<'a> {
        let split = self.conditions.split;
        let part = |name, detail, data, evaluated| Part { name, detail, data, evaluated };
        let training = part("training", String::new(), &rows.train, &self.training);
        let tested = rows.test.as_ref().zip(self.holdout.as_ref());
        let tested = tested.map(|(data, evaluated)| part("held-out", held_out_by(split), data, evaluated));
        let validation = self.validation.as_ref().map(|&Validation { rows, rmse, deviations, error_rate }| {
            let deviations = rmse.map(|_| deviations);
            CrossValidation { split, folds: self.conditions.folds, rows, rmse, deviations, error_rate }
        });
        ModelPage {
            title: wanted.file.clone(),
            file: format!("{}.srfm", wanted.stem()),
            blob: &fit.blob,
            parts: [training].into_iter().chain(tested).collect(),
            host: Some(&fit.model),
            validation,
            search,
        }
    }
}

/// Returns the candidates of a search for the chart of error against bytes.
fn shown_trials(found: &Found) -> Value {
    let names = &found.fit.model.input_names;
    let error = |trial: &Trial| trial.score.error_rate.unwrap_or(trial.score.standardised_mse.sqrt());
    let shown = |trial: &Trial| {
        let described = Described::from(trial);
        json!({
            "method": described.name(), "settings": described.settings(names), "bytes": trial.flash_bytes,
            "error": error(trial), "allowed": !trial.over_budget,
        })
    };
    let front = found.front.iter().filter(|(trial, _)| trial.flash_bytes < usize::MAX).map(|(trial, bounds)| {
        let mut point = shown(trial);
        let bounds: Vec<(&str, u32)> = bounds.iter().map(|(core, most)| (core.name(), *most)).collect();
        point["instructions"] = json!(bounds);
        point
    });
    json!({
        "tried": found.trials.len(),
        "rows": found.rows,
        "complete": found.complete,
        "front": front.collect::<Vec<Value>>(),
        "chosen": shown(&found.chosen),
    })
}

/// Returns the rules of a model as sentences.
fn sentences(fit: &Fit) -> Value {
    let all = rules(&fit.blob.model());
    let name = |input: usize| fit.model.input_names[input].clone();
    let sentences: Vec<String> = all.iter().take(SENTENCES).map(|rule| sentence(rule, name)).collect();
    json!({ "count": all.len(), "sentences": sentences })
}

/// Returns the inputs with their ranges and medians over the fitted rows.
fn inputs(data: &Dataset) -> Vec<Value> {
    let shown = |(name, column): (&String, Vec<f64>)| {
        let mut sorted = column;
        sorted.retain(|value| value.is_finite());
        sorted.sort_by(f64::total_cmp);
        let whole = sorted.iter().all(|value| value.fract() == 0.0);
        json!({
            "name": name, "low": sorted.first(), "high": sorted.last(), "median": sorted.get(sorted.len() / 2),
            "whole": whole,
        })
    };
    let columns = data.x.column_iter().map(|column| column.iter().copied().collect());
    data.input_names.iter().zip(columns).map(shown).collect()
}
