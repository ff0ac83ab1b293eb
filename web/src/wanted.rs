//! The settings of the page: their request, and the lines that ask the other front ends for the same model.

use serde::Deserialize;
use srfm_trainer::cost::Core;
use srfm_trainer::data::{ColumnError, Preparation, Splitter, TargetKind};
use srfm_trainer::message::Explain;
use srfm_trainer::request::{Columns, Deploy, Device, Request, Search};

use crate::labels::said;

/// The settings of the page.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wanted {
    /// The name of the data file.
    pub file: String,
    pub target: String,
    /// Whether the targets are classes.
    pub classes: bool,
    pub ignored: Vec<String>,
    pub categories: Vec<String>,
    pub time: Option<String>,
    pub group: Option<String>,
    /// Columns, and the samples of each that are inputs.
    pub lags: Vec<(String, Vec<u8>)>,
    /// The number of rows of a window, if the inputs are statistics of windows.
    pub window: Option<u16>,
    /// The number of rows from the start of a window to that of the next; none for half a window.
    pub step: Option<u16>,
    /// The treatment of rows with missing values, a value of the setting `missing`; empty for an error.
    pub missing: String,
    /// Whether numbers have a decimal comma.
    pub comma: bool,
    pub core: String,
    /// Whether the budget counts the program in C, not the model file.
    pub program: bool,
    /// The budget of flash in bytes.
    pub flash: Option<usize>,
    /// The largest number of instructions of a prediction.
    pub instructions: Option<u32>,
    pub effort: Option<f64>,
    /// The share of the rows that is held out, in percent.
    pub holdout: Option<f64>,
    /// How rows are divided: the name of a splitter; empty for the usual one.
    pub split: String,
    /// The number of cross-validation folds.
    pub folds: Option<usize>,
    /// Whether the model must have no edges.
    pub smooth: bool,
}

impl Wanted {
    /// Returns the request.
    ///
    /// # Errors
    /// The sentence that says which setting is wrong.
    pub fn request(&self) -> Result<Request, String> {
        let core = match self.core.as_str() {
            "" => None,
            name => Some(name.parse().map_err(|error: <Core as std::str::FromStr>::Err| error.to_string())?),
        };
        let split = match self.split.as_str() {
            "" => Splitter::default(),
            name => Splitter::named(name).ok_or_else(|| format!("no division of rows is called {name:?}"))?,
        };
        let targets = vec![self.target.clone()].into_iter().filter(|target| !target.is_empty()).collect();
        let kind = if self.classes { TargetKind::Classes } else { TargetKind::Quantities };
        let preparation = self.preparation().map_err(|error| said(&error.message()))?;
        let usual = Request::default();
        Ok(Request {
            split,
            folds: self.folds.unwrap_or(usual.folds),
            holdout: self.holdout.map(|percent| percent / 100.0),
            columns: Columns { targets, kind, preparation, ..Columns::default() },
            device: Device {
                core,
                deploy: self.is_program().then_some(Deploy::C),
                flash: self.flash,
                instructions: self.instructions,
                ..Device::default()
            },
            search: Search { effort: self.effort, smooth: self.smooth, ..Search::default() },
            ..usual
        })
    }

    /// Returns whether the budget counts the program in C: a core without the runtime takes nothing else.
    fn is_program(&self) -> bool {
        self.program || self.core.parse::<Core>().is_ok_and(|core| !core.has_runtime())
    }

    /// Returns how columns become inputs.
    fn preparation(&self) -> Result<Preparation, ColumnError> {
        let mut preparation = Preparation::default()
            .with("ignore", &self.ignored)?
            .with("categorical", &self.categories)?
            .with("lag", &self.lags)?
            .with("window", self.window)?
            .with("step", self.step)?
            .with("group", &self.group)?
            .with("time_column", &self.time)?;
        if !self.missing.is_empty() {
            preparation = preparation.with("missing", &self.missing)?;
        }
        if self.comma { preparation.with("decimal", "comma") } else { Ok(preparation) }
    }

    /// Returns the name of the data file without its folder and its ending.
    pub fn stem(&self) -> &str {
        let name = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = name.strip_suffix(".gz").unwrap_or(name);
        stem.rsplit_once('.').map_or(stem, |(stem, _)| stem)
    }

    /// Returns the arguments of the command `srfm` that fits the same model.
    pub fn arguments(&self) -> Vec<String> {
        let mut words: Vec<String> = vec!["fit".to_owned(), self.file.clone()];
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        if !self.target.is_empty() {
            add("--target", self.target.clone());
        }
        if self.classes {
            add("--task", "classification".to_owned());
        }
        self.ignored.iter().for_each(|name| add("--ignore", name.clone()));
        self.categories.iter().for_each(|name| add("--categorical", name.clone()));
        self.time.iter().for_each(|name| add("--time-column", name.clone()));
        self.group.iter().for_each(|name| add("--group", name.clone()));
        for (name, lags) in &self.lags {
            let lags: Vec<String> = lags.iter().map(u8::to_string).collect();
            add("--lag", format!("{name}={}", lags.join(",")));
        }
        self.window.iter().for_each(|rows| add("--window", rows.to_string()));
        self.step.iter().for_each(|rows| add("--step", rows.to_string()));
        let texts = [("--missing", &self.missing), ("--split", &self.split), ("--core", &self.core)];
        texts.into_iter().filter(|(_, value)| !value.is_empty()).for_each(|(option, value)| add(option, value.clone()));
        if self.comma {
            add("--decimal", "comma".to_owned());
        }
        if self.is_program() {
            add("--deploy", "c".to_owned());
        }
        self.flash.iter().for_each(|bytes| add("--flash", bytes.to_string()));
        self.instructions.iter().for_each(|most| add("--instructions", most.to_string()));
        self.effort.iter().for_each(|units| add("--effort", units.to_string()));
        self.folds.iter().for_each(|folds| add("--folds", folds.to_string()));
        self.holdout.iter().for_each(|percent| add("--holdout", format!("{percent}%")));
        if self.smooth {
            words.push("--smooth".to_owned());
        }
        words.extend(["-o".to_owned(), format!("{}.srfm", self.stem())]);
        words
    }

    /// Returns the command line.
    pub fn command(&self) -> String {
        let words: Vec<String> = self.arguments().iter().map(|word| quoted(word)).collect();
        format!("srfm {}", words.join(" "))
    }

    /// Returns lines of Python that write the same model: those of an estimator, or the command of the package where an
    /// estimator has no such settings.
    pub fn python(&self) -> String {
        let of_command = self.holdout.is_some() || !self.categories.is_empty() || self.comma || self.folds.is_some();
        // Estimators take rows without a target where these have times or are a history.
        let is_log = !self.lags.is_empty() || self.window.is_some() || self.time.is_some();
        if of_command || !self.missing.is_empty() && !is_log {
            let words: Vec<String> = self.arguments().iter().map(|word| literal(word)).collect();
            return format!(
                "import subprocess\n\n# The command comes with the package srfm-mcu.\n\
                 subprocess.run([\"srfm\", {}], check=True)\n",
                words.join(", ")
            );
        }
        let estimator = if self.classes { "SrfmClassifier" } else { "SrfmRegressor" };
        let beside = [("groups", &self.group), ("time", &self.time)];
        let beside = beside.into_iter().filter_map(|(keyword, name)| name.as_ref().map(|name| (keyword, name)));
        let beside: Vec<(&str, &String)> = beside.collect();
        let left_out = self.ignored.iter().chain([&self.target]).chain(beside.iter().map(|(_, name)| *name));
        let left_out: Vec<String> = left_out.map(|name| literal(name)).collect();
        let of_fit: String = beside.iter().map(|(word, name)| format!(", {word}=rows[{}]", literal(name))).collect();
        format!(
            "import pandas\nfrom srfm_mcu import {estimator}\n\nrows = pandas.read_csv({file})\n\
             model = {estimator}({settings})\n\
             model.fit(rows.drop(columns=[{left_out}]), rows[{target}]{of_fit})\nmodel.save({model})\n",
            file = literal(&self.file),
            settings = self.keywords().join(", "),
            left_out = left_out.join(", "),
            target = literal(&self.target),
            model = literal(&format!("{}.srfm", self.stem())),
        )
    }

    /// Returns the settings as arguments of an estimator of Python.
    fn keywords(&self) -> Vec<String> {
        let mut settings: Vec<String> = Vec::new();
        let mut add = |keyword: &str, value: String| settings.push(format!("{keyword}={value}"));
        if !self.lags.is_empty() {
            let lists = self.lags.iter().map(|(name, lags)| format!("{}: {lags:?}", literal(name)));
            add("lags", format!("{{{}}}", lists.collect::<Vec<String>>().join(", ")));
        }
        self.window.iter().for_each(|rows| add("window", rows.to_string()));
        self.step.iter().for_each(|rows| add("step", rows.to_string()));
        self.flash.iter().for_each(|bytes| add("flash", bytes.to_string()));
        self.instructions.iter().for_each(|most| add("instructions", most.to_string()));
        self.effort.iter().for_each(|units| add("effort", units.to_string()));
        let texts = [("core", &self.core), ("cv", &self.split), ("missing", &self.missing)];
        let texts = texts.into_iter().filter(|(_, value)| !value.is_empty() && *value != "random");
        texts.for_each(|(keyword, value)| add(keyword, literal(value)));
        if self.is_program() {
            add("deploy", literal("c"));
        }
        if self.smooth {
            add("smooth", "True".to_owned());
        }
        add("random_state", "1".to_owned());
        settings
    }
}

/// Returns a word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.+/:%=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Returns a text as a literal of Python.
fn literal(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}
