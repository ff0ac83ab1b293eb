//! The settings of a fit, which arrive as JSON.

use std::sync::Arc;
use std::time::Duration;

use pyo3::PyResult;
use pyo3::exceptions::PyValueError;
use pyo3::pyfunction;
use serde::Deserialize;
use serde_json::{Map, Value};

use srfm_trainer::cost::{Budget, Core, Deployment, Instructions};
use srfm_trainer::data::{Dataset, Split, Splitter};
use srfm_trainer::export::NumberFormat;
use srfm_trainer::method::{METHODS, MethodConfig, Terms};
use srfm_trainer::search::SearchConfig;
use srfm_trainer::{FitConfig, Grid};

use crate::message::text;

/// The settings of a fit. All but those of the search have the meaning of the command's options.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The method; none for a search.
    method: Option<String>,
    /// Settings of the method by name.
    method_settings: Map<String, Value>,
    features: Option<usize>,
    terms: Option<Terms>,
    orders: Vec<usize>,
    lambdas: Option<Vec<f64>>,
    number: Option<String>,
    core: String,
    /// How the model gets on the board: `file` or `c`.
    deploy: String,
    flash: Option<usize>,
    instructions: Option<u32>,
    folds: usize,
    split: String,
    /// What happens to missing values; the rows to drop have been dropped.
    missing: String,
    /// Seconds of a search.
    time: f64,
    /// Work of a search; none where the time alone ends it.
    effort: Option<f64>,
    one_standard_error: bool,
    pub seed: u64,
    pub threads: usize,
    /// The folds; none for those of `folds` and `split`.
    #[serde(skip)]
    given: Option<Arc<[Split]>>,
    /// What replaces missing values of each input on the device.
    #[serde(skip)]
    replacements: Vec<Option<f64>>,
    /// Whether the amplitudes are fitted to other rows afterwards.
    #[serde(skip)]
    refitted: bool,
}

/// What to fit: one method, or the best that a search finds.
pub enum Task {
    Fit(Box<FitConfig>, Budget),
    Search(Box<SearchConfig>),
}

impl Settings {
    /// Returns the task for `data`, or the sentence that says what is wrong.
    pub fn task(&self, data: &Dataset) -> Result<Task, String> {
        let core: Core = self.core.parse().map_err(|error: srfm_trainer::cost::UnknownCore| text(&error))?;
        let known = || format!("is no number format; choose {}", NumberFormat::ALL.map(NumberFormat::name).join(", "));
        let number = match &self.number {
            None => core.into(),
            Some(name) => NumberFormat::named(name).ok_or_else(|| format!("number={name:?} {}", known()))?,
        };
        let split = Splitter::named(&self.split)
            .ok_or_else(|| format!("split={:?} is none of {}", self.split, Splitter::NAMES.join(", ")))?;
        let limit = |at_most| Instructions { at_most, core };
        let deployment = self.deployment(core, number)?;
        let budget = Budget { flash: self.flash, instructions: self.instructions.map(limit), deployment };
        let mut config = FitConfig { folds: self.folds, split, given: self.given.clone(), ..FitConfig::default() };
        config.preprocessing.replacements.clone_from(&self.replacements);
        config.encoding.number = number;
        config.encoding.flash = Some(self.flash.unwrap_or(usize::MAX));
        if budget.deployment != Deployment::File {
            // Flash counts the program, and cosines of integers need no table there.
            (config.encoding.polynomial, config.encoding.flash) = (true, Some(usize::MAX));
        }
        config.grid.orders.clone_from(&self.orders);
        let Some(method) = &self.method else {
            config.grid.lambdas = self.lambdas.clone().unwrap_or_default();
            return Ok(Task::Search(Box::new(self.search(config, budget))));
        };
        config.grid.lambdas = self.lambdas.clone().unwrap_or_else(|| Grid::default().lambdas);
        config.method = MethodConfig::named(method).map_err(|error| text(&error))?;
        for (name, value) in &self.method_settings {
            config.method = config.method.with(name, value).map_err(|error| text(&error))?;
        }
        if let Some(features) = self.features {
            config.method = config.method.tuned(|t| t.features = features);
        }
        config.method = config.method.tuned(|t| {
            t.order = t.order.map(|order| order.min(data.inputs()));
            t.terms = self.terms.unwrap_or_else(|| self.affordable(t.terms, data));
        });
        Ok(Task::Fit(Box::new(config), budget))
    }

    /// Returns the terms, without the linear ones where the smallest fold has too few rows for them.
    fn affordable(&self, terms: Terms, data: &Dataset) -> Terms {
        let of_given = |given: &Arc<[Split]>| given.iter().map(|fold| fold.train.len()).min();
        let rows = self.given.as_ref().and_then(of_given).unwrap_or(data.rows() - data.rows().div_ceil(self.folds));
        if terms == Terms::Linear && rows < data.inputs() + 2 { Terms::Intercept } else { terms }
    }

    /// Returns the way in which the model gets on the board.
    fn deployment(&self, core: Core, number: NumberFormat) -> Result<Deployment, String> {
        const NAMES: [&str; 2] = ["file", "c"];
        let name = &self.deploy;
        if name == "rust" {
            return Err("deploy=\"rust\" is only in the command, srfm fit --deploy rust, which needs cargo".to_owned());
        }
        if !NAMES.contains(&name.as_str()) {
            return Err(format!("deploy={name:?} is none of {}", NAMES.join(", ")));
        }
        let deployment = if name == "c" { Deployment::C(core) } else { Deployment::File };
        let known = deployment.check().is_ok();
        let in_software = number == NumberFormat::F32 && NumberFormat::from(core) != NumberFormat::F32;
        if known && (deployment == Deployment::File || !in_software) {
            return Ok(deployment);
        }
        let of = if in_software { format!("{core} with floating point in software") } else { core.to_string() };
        Err(format!(
            "deploy={name:?}: what generated C takes of {of} is not known; choose another core, number or deploy"
        ))
    }

    /// Returns the settings of a search.
    fn search(&self, fit: FitConfig, budget: Budget) -> SearchConfig {
        let named = self.number.is_some().then(|| vec![fit.encoding.number]);
        let usual = SearchConfig::new(fit.conditions(), budget);
        SearchConfig {
            numbers: named.unwrap_or(usual.numbers),
            features: self.features.unwrap_or(usual.features),
            terms: self.terms,
            robust: !self.refitted,
            one_standard_error: self.one_standard_error,
            time: Duration::from_secs_f64(self.time),
            effort: self.effort,
            ..usual
        }
    }

    /// Returns the settings with folds that the caller has divided, if there are any.
    pub fn with_folds(self, folds: Vec<Split>) -> Settings {
        Settings { given: (!folds.is_empty()).then(|| Arc::from(folds)), ..self }
    }

    /// Returns the settings for a fit whose amplitudes are fitted to other rows afterwards.
    pub fn refitted(self) -> Settings {
        Settings { refitted: true, ..self }
    }

    /// Returns the settings with what replaces missing values.
    pub fn with_replacements(self, replacements: Vec<Option<f64>>) -> Settings {
        Settings { replacements, ..self }
    }

    /// Returns what happens to missing values: `error`, `drop` or `mean`.
    pub fn missing(&self) -> &str {
        &self.missing
    }

    /// Reads the settings.
    pub fn read(text: &str) -> PyResult<Settings> {
        serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// The names of the methods.
#[pyfunction]
pub fn methods() -> Vec<&'static str> {
    METHODS.iter().map(|method| method.name).collect()
}

/// The names of the cores.
#[pyfunction]
pub fn cores() -> Vec<String> {
    Core::ALL.map(|core| core.to_string()).to_vec()
}
