//! From a request to one fit or one search.

use std::path::PathBuf;
use std::time::Duration;

use crate::cost::{Budget, BudgetError, Deployment, Unit, Work, counts};
use crate::data::{ClassWeights, Dataset, Splitter, TargetKind};
use crate::error::FitError;
use crate::export::{Encoding, NumberFormat};
use crate::fit::{Conditions, Fit, FitConfig, Grid, fit_within};
use crate::method::{MethodConfig, Terms};
use crate::novelty::Lesson;
use crate::request::{Choice, Deploy, LatencyError, Number, Orders, Request, RequestError, Rows};
use crate::run::Run;
use crate::scaling::{InputScaling, Preprocessing, Warp};
use crate::search::{Found, SearchConfig, most_features, search};

/// Numbers of inputs per feature of [`Orders::Auto`].
const AUTO_ORDERS: [usize; 3] = [1, 2, 3];

/// The largest share of normal rows that a model of novelty finds novel.
const FALSE_ALARMS: f64 = 0.01;

/// Bytes of flash that the names of two classes take.
const NAMES: usize = 16;

/// One fit or one search, with all settings.
#[derive(Clone, Debug)]
pub enum Plan {
    /// A fit of one method within a budget.
    Fit {
        /// The settings.
        config: Box<FitConfig>,
        /// What the model may take of the device.
        budget: Budget,
    },
    /// A search of methods and settings.
    Search(Box<SearchConfig>),
    /// A fit or a search of the novelty of rows, all of which are normal.
    Novelty {
        /// The fit or the search.
        plan: Box<Plan>,
        /// The largest share of fresh normal rows that the model finds novel.
        false_alarms: f64,
    },
}

/// The result of a plan.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The fit of one method.
    Fit(Box<Fit>),
    /// The result of a search.
    Found(Box<Found>),
}

impl Outcome {
    /// Returns the fit.
    pub fn fit(&self) -> &Fit {
        match self {
            Outcome::Fit(fit) => fit,
            Outcome::Found(found) => &found.fit,
        }
    }

    /// Returns the fit alone.
    pub fn into_fit(self) -> Fit {
        match self {
            Outcome::Fit(fit) => *fit,
            Outcome::Found(found) => found.fit,
        }
    }
}

impl Plan {
    /// Fits or searches.
    ///
    /// # Errors
    /// [`FitError`].
    pub fn run(&self, data: &Dataset, run: &Run<'_>) -> Result<Outcome, FitError> {
        match self {
            Plan::Fit { config, budget } => Ok(Outcome::Fit(Box::new(fit_within(data, config, budget, run)?))),
            Plan::Search(config) => Ok(Outcome::Found(Box::new(search(data, config, run)?))),
            Plan::Novelty { plan, false_alarms } => plan.run_novelty(data, *false_alarms, run),
        }
    }

    /// Learns the novelty of rows from normal ones by the fit or the search.
    fn run_novelty(&self, data: &Dataset, level: f64, run: &Run<'_>) -> Result<Outcome, FitError> {
        // The rows are divided as the settings say, the folds of what is learned are random.
        let conditions = self.conditions();
        let lesson = run.install(|run| Lesson::of(data, level, conditions.split, run.seed()))?;
        let budget = self.budget();
        let encoding = budget.encoding(conditions.encoding);
        let finish = |fit| run.install(|_| lesson.finish(fit, encoding));
        // The names of the classes are a part of the budget that the user gave.
        let named = |error| match (error, budget.flash) {
            (FitError::Budget(BudgetError::OverFlash { bytes, .. }), Some(flash)) => {
                FitError::Budget(BudgetError::OverFlash { flash, bytes: bytes.saturating_add(NAMES) })
            }
            (other, _) => other,
        };
        match self.of_novelty().run(&lesson.taught, run).map_err(named)? {
            Outcome::Fit(fit) => Ok(Outcome::Fit(Box::new(finish(*fit)?))),
            Outcome::Found(found) => {
                let found = *found;
                let fit = finish(found.fit)?;
                Ok(Outcome::Found(Box::new(Found { fit, ..found })))
            }
        }
    }

    /// Returns the plan with random folds, as rows around normal ones are in no order, and with a budget that leaves
    /// room for the names of two classes.
    fn of_novelty(&self) -> Plan {
        let mut plan = self.clone();
        match &mut plan {
            Plan::Fit { config, budget } => {
                config.split = Splitter::Random;
                *budget = budget.less(NAMES);
            }
            Plan::Search(config) => {
                config.fit.split = Splitter::Random;
                config.budget = config.budget.less(NAMES);
            }
            Plan::Novelty { .. } => {}
        }
        plan
    }

    /// Returns the same plan with less time for a search, of which some is spent.
    pub fn after(self, spent: Duration) -> Plan {
        match self {
            Plan::Search(config) => {
                let time = config.time.saturating_sub(spent);
                Plan::Search(Box::new(SearchConfig { time, ..*config }))
            }
            Plan::Novelty { plan, false_alarms } => Plan::Novelty { plan: Box::new(plan.after(spent)), false_alarms },
            fit @ Plan::Fit { .. } => fit,
        }
    }

    /// Returns whether methods are searched.
    pub fn is_search(&self) -> bool {
        match self {
            Plan::Fit { .. } => false,
            Plan::Search(_) => true,
            Plan::Novelty { plan, .. } => plan.is_search(),
        }
    }

    /// Returns all settings but those of the method.
    pub fn conditions(&self) -> Conditions {
        match self {
            Plan::Fit { config, .. } => config.conditions(),
            Plan::Search(config) => config.fit.clone(),
            Plan::Novelty { plan, .. } => plan.of_novelty().conditions(),
        }
    }

    /// Returns the settings of the plan with the method that a fit chose.
    pub fn config(&self, fit: &Fit) -> FitConfig {
        self.conditions().with_method(fit.chosen.clone())
    }

    /// Returns what the model may take of the device.
    pub fn budget(&self) -> &Budget {
        match self {
            Plan::Fit { budget, .. } => budget,
            Plan::Search(config) => &config.budget,
            Plan::Novelty { plan, .. } => plan.budget(),
        }
    }
}

impl Request {
    /// Returns the fit or the search of the request for these rows.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn plan(&self, rows: &Rows) -> Result<Plan, RequestError> {
        let data = &rows.train;
        self.check()?;
        if self.metric.is_some() && data.classes.is_empty() {
            return Err(RequestError::MetricOfQuantities);
        }
        let budget = self.budget()?;
        let mut conditions = Conditions {
            folds: self.folds,
            split: self.split,
            given: self.given.clone(),
            preprocessing: self.preprocessing(rows)?,
            grid: Grid { orders: self.orders(data), scales: self.grid.scales.clone(), lambdas: Vec::new() },
            encoding: self.encoding(),
            metric: self.metric,
        };
        let plan = match &self.method {
            Some(choice) => {
                conditions.grid.lambdas = self.lambdas(choice);
                let config = conditions.with_method(self.method(choice, data, &budget));
                Plan::Fit { config: Box::new(config), budget }
            }
            None => {
                conditions.grid.lambdas = self.grid.lambdas.clone().unwrap_or_default();
                Plan::Search(Box::new(self.search(conditions, budget)))
            }
        };
        let false_alarms = self.columns.false_alarms.unwrap_or(FALSE_ALARMS);
        match self.columns.kind {
            TargetKind::Novelty => Ok(Plan::Novelty { plan: Box::new(plan), false_alarms }),
            TargetKind::Quantities | TargetKind::Classes => Ok(plan),
        }
    }

    /// Checks settings that exclude each other, without the rows.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn check(&self) -> Result<(), RequestError> {
        self.check_holdout()?;
        self.check_novelty()?;
        let Some(choice) = &self.method else { return Ok(()) };
        let of_search = [
            ("effort", self.search.effort.is_some()),
            ("time", self.search.time.is_some()),
            ("max_inputs", self.search.max_inputs.is_some()),
            ("one_standard_error", self.search.one_standard_error),
            ("smooth", self.search.smooth),
        ];
        if let Some((setting, _)) = of_search.into_iter().find(|(_, is_given)| *is_given) {
            return Err(RequestError::SearchOnly { setting });
        }
        if self.encoding.number == Some(Number::Auto) {
            return Err(RequestError::NumberAuto);
        }
        if self.refits && choice.method.setting::<f64>("huber").is_some() {
            return Err(RequestError::RobustRefit);
        }
        Ok(())
    }

    /// Checks the settings of novelty, and that none is there that needs targets.
    ///
    /// # Errors
    /// [`RequestError::NotOfNovelty`], [`RequestError::NoveltyOnly`], [`RequestError::FalseAlarms`].
    fn check_novelty(&self) -> Result<(), RequestError> {
        let columns = &self.columns;
        if columns.kind != TargetKind::Novelty {
            return if columns.false_alarms.is_some() { Err(RequestError::NoveltyOnly) } else { Ok(()) };
        }
        let of_targets = [
            ("target", !columns.targets.is_empty()),
            ("class_weight", columns.class_weights != ClassWeights::Equal),
            ("confidence", self.encoding.confidence.is_some()),
            ("metric", self.metric.is_some()),
            ("weight", columns.preparation.weight().is_some()),
            ("folds", self.given.is_some()),
        ];
        if let Some((setting, _)) = of_targets.into_iter().find(|(_, is_given)| *is_given) {
            return Err(RequestError::NotOfNovelty { setting });
        }
        match columns.false_alarms {
            Some(share) if !(share > 0.0 && share < 1.0) => Err(RequestError::FalseAlarms { share }),
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the budgets of flash and instructions.
    ///
    /// # Errors
    /// [`RequestError`] for a program whose cost is not known.
    pub fn budget(&self) -> Result<Budget, RequestError> {
        let device = &self.device;
        let core = device.core();
        let deploy = device.deploy();
        if deploy != Deploy::C && !core.has_runtime() {
            return Err(RequestError::NoRuntime { core, deploy: deploy.name() });
        }
        let in_software = NumberFormat::from(core) != NumberFormat::F32;
        if deploy != Deploy::File && in_software && self.allows(NumberFormat::F32) {
            return Err(RequestError::FloatInSoftware { deploy: deploy.name() });
        }
        let deployment = match deploy {
            Deploy::File => Deployment::File,
            Deploy::C => Deployment::C(core),
            Deploy::Rust => {
                let firmware = device.firmware.clone().unwrap_or_else(|| PathBuf::from("firmware-example"));
                if !firmware.join("measure").join("Cargo.toml").is_file() {
                    return Err(RequestError::NoFirmware { folder: firmware.display().to_string() });
                }
                Deployment::Rust { core, firmware: Some(firmware) }
            }
        };
        deployment.check().map_err(|_| RequestError::UnknownPrices { core })?;
        Ok(Budget { flash: device.flash(), work: self.work()?, deployment, core })
    }

    /// Returns the limit of the work of a prediction.
    fn work(&self) -> Result<Option<Work>, RequestError> {
        let device = &self.device;
        let core = device.core();
        let instructions = device.instructions.map(|at_most| Work { at_most, unit: Unit::Instructions, core });
        if instructions.is_some() && !core.has_runtime() && !counts(core, Unit::Instructions) {
            return Err(LatencyError::UnknownInstructions { core }.into());
        }
        let Some(latency) = device.latency else { return Ok(instructions) };
        if instructions.is_some() {
            return Err(LatencyError::TwoLimits.into());
        }
        let clock = device.clock().ok_or(LatencyError::NoClock)?;
        if !counts(core, Unit::Cycles) {
            return Err(LatencyError::UnknownCycles { core }.into());
        }
        if device.deploy() != Deploy::C {
            return Err(LatencyError::NoProgram { deploy: device.deploy().name() }.into());
        }
        let cycles = latency * clock;
        if !(cycles >= 1.0 && cycles.is_finite()) {
            return Err(LatencyError::NoTime { latency, clock }.into());
        }
        // A product that should be a whole number may be a little less. The conversion ends at the largest number,
        // which no prediction takes.
        Ok(Some(Work { at_most: (cycles * (1.0 + 1e-9)) as u32, unit: Unit::Cycles, core }))
    }

    /// Returns whether the request names a number format, alone or among all.
    fn allows(&self, format: NumberFormat) -> bool {
        match self.encoding.number {
            Some(Number::Auto) => true,
            Some(Number::Format(number)) => number == format,
            None => false,
        }
    }

    /// Returns the number format and the limits of its rounding.
    fn encoding(&self) -> Encoding {
        let usual = Encoding::default();
        let number = match self.encoding.number {
            Some(Number::Format(number)) => number,
            Some(Number::Auto) | None => self.device.core().into(),
        };
        // A program in C takes the parameters alone; one in Rust holds the file with all its sections.
        let flash = match self.device.deploy() {
            Deploy::File => Some(self.device.flash.unwrap_or(usize::MAX)),
            Deploy::C => Some(usize::MAX),
            Deploy::Rust => None,
        };
        Encoding {
            number,
            max_error: self.encoding.max_error.unwrap_or(usual.max_error),
            output_margin: self.encoding.output_margin.unwrap_or(usual.output_margin),
            confidence: self.encoding.confidence,
            flash,
            polynomial: self.device.deploy() != Deploy::File,
        }
    }

    /// Returns the scaling and the warps of the inputs.
    fn preprocessing(&self, rows: &Rows) -> Result<Preprocessing, RequestError> {
        let inputs = &self.preprocessing;
        let shared = rows.share_unit.then_some(InputScaling::Common);
        Ok(Preprocessing {
            scaling: inputs.scaling.or(shared),
            warps: self.warps(&rows.train.input_names)?,
            limit_inputs: inputs.limit_inputs,
            replacements: rows.description.replacements(),
        })
    }

    /// Returns the warps: none at all, or one for each input.
    fn warps(&self, names: &[String]) -> Result<Vec<Warp>, RequestError> {
        let mut warps = self.preprocessing.warps.clone();
        if warps.is_empty() && !self.preprocessing.named_warps.is_empty() {
            warps = vec![Warp::Identity; names.len()];
        }
        for (name, warp) in &self.preprocessing.named_warps {
            let Some(input) = place(name, names) else {
                return Err(RequestError::UnknownInput { name: name.clone(), known: names.join(", ") });
            };
            // The fit refuses a list of warps of another length.
            if let Some(place) = warps.get_mut(input) {
                *place = *warp;
            }
        }
        Ok(warps)
    }

    /// Returns the numbers of inputs per feature to choose from; empty for the method's own.
    fn orders(&self, data: &Dataset) -> Vec<usize> {
        let inputs = varying(data);
        match &self.grid.orders {
            Orders::Auto => AUTO_ORDERS.into_iter().filter(|&order| order <= inputs).collect(),
            Orders::All => vec![inputs],
            Orders::List(orders) => orders.clone(),
        }
    }

    /// Returns the method with the settings that every method has.
    ///
    /// A default number of inputs per feature is lowered to the number of inputs, and default linear terms are left out
    /// where the rows are too few for them.
    fn method(&self, choice: &Choice, data: &Dataset, budget: &Budget) -> MethodConfig {
        let usual = MethodConfig::named(choice.method.name()).map(|usual| usual.tunable()).ok();
        let holds_rows_out = choice.method.method().holds_rows_out();
        choice.method.clone().tuned(|tunable| {
            if let Some(features) = self.grid.features {
                tunable.features = features;
            } else if holds_rows_out && usual.as_ref().is_some_and(|usual| usual.features == tunable.features) {
                tunable.features = tunable.features.max(most_features(budget));
            }
            if usual.as_ref().is_some_and(|usual| usual.order == tunable.order) {
                tunable.order = tunable.order.map(|order| order.min(varying(data)));
            }
            match self.grid.terms {
                Some(terms) => tunable.terms = terms,
                None if usual.as_ref().is_some_and(|usual| usual.terms == tunable.terms) => {
                    tunable.terms = self.affordable(tunable.terms, data);
                }
                None => {}
            }
        })
    }

    /// Returns the terms, without the linear ones where the smallest fold has too few rows for them.
    fn affordable(&self, terms: Terms, data: &Dataset) -> Terms {
        let smallest = match &self.given {
            Some(given) => given.iter().map(|fold| fold.train.len()).min().unwrap_or(0),
            None => data.rows() - data.rows().div_ceil(self.folds.max(1)),
        };
        if terms == Terms::Linear && smallest < data.inputs() + 2 { Terms::Intercept } else { terms }
    }

    /// Returns the ridge parameters to choose from; empty for the method's own.
    fn lambdas(&self, choice: &Choice) -> Vec<f64> {
        match &self.grid.lambdas {
            Some(lambdas) => lambdas.clone(),
            None if choice.keeps_lambda => Vec::new(),
            None => Grid::default().lambdas,
        }
    }

    /// Returns the settings of a search.
    fn search(&self, conditions: Conditions, budget: Budget) -> SearchConfig {
        let limits = &self.search;
        let usual = SearchConfig::new(conditions, budget);
        let numbers = match self.encoding.number {
            Some(Number::Auto) => NumberFormat::ALL.to_vec(),
            Some(Number::Format(number)) => vec![number],
            None => usual.numbers,
        };
        SearchConfig {
            numbers,
            features: self.grid.features.unwrap_or(usual.features),
            inputs: limits.max_inputs,
            terms: self.grid.terms,
            robust: !self.refits,
            one_standard_error: limits.one_standard_error,
            smooth: limits.smooth,
            time: limits.time.unwrap_or(usual.time),
            effort: limits.effort.or(usual.effort.filter(|_| limits.time.is_none())),
            ..usual
        }
    }
}

/// Returns the number of inputs that vary, at least 1.
fn varying(data: &Dataset) -> usize {
    data.varying_inputs().len().max(1)
}

/// Returns the place of the input with a name. A column without a name has the number that its file gives it.
fn place(name: &str, inputs: &[String]) -> Option<usize> {
    let numbered = format!("column {name}");
    inputs.iter().position(|input| input == name).or_else(|| inputs.iter().position(|input| *input == numbered))
}
