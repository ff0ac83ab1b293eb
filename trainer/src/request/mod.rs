//! What a user asks for: columns, rows, method or search, budget and validation, with their defaults.
//!
//! Command, Python package and settings files fill in a [`Request`] and nothing else, so that the same settings give
//! the same model everywhere. [`Request::plan`] turns the request into one fit or one search.
//!
//! ```
//! use srfm_trainer::data::Task;
//! use srfm_trainer::request::{Device, Request, Search};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let request = Request {
//!     device: Device { flash: Some(512), ..Device::default() },
//!     search: Search { effort: Some(0.2), ..Search::default() },
//!     ..Request::default()
//! };
//! let rows = request.rows(Task::Pressure.generate(200, 0.5, 1))?;
//! let outcome = request.plan(&rows)?.run(&rows.train, &request.run())?;
//! assert!(outcome.fit().blob.bytes().len() <= 512);
//! # Ok(())
//! # }
//! ```

mod error;
mod plan;
mod rows;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::cost::{Board, Core, Deployment};
use crate::data::{ClassWeights, Preparation, Split, Splitter, TargetKind};
use crate::export::NumberFormat;
use crate::method::{MethodConfig, MethodError, Terms};
use crate::run::Run;
use crate::scaling::{InputScaling, Warp};
use crate::validate::Metric;

pub use error::{LatencyError, RequestError};
pub use plan::{Outcome, Plan};
pub use rows::Rows;

/// What a user asks for. A settings file has these fields and groups, each group as a table of its own.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Request {
    /// The seed of all random numbers.
    pub seed: u64,
    /// The number of cross-validation folds, at least 2.
    pub folds: usize,
    /// How rows are divided into folds and held-out rows.
    pub split: Splitter,
    /// What candidates for classes are chosen by; none for the accuracy.
    pub metric: Option<Metric>,
    /// The share of the rows that is held out for testing, between 0 and 1; none holds out no rows.
    pub holdout: Option<f64>,
    /// Folds that the caller has divided, with numbers of the fitted rows from 0; none for those of `folds` and
    /// `split`.
    #[serde(skip)]
    pub given: Option<Arc<[Split]>>,
    /// The columns of a data file.
    pub columns: Columns,
    /// The method; none searches methods and settings.
    pub method: Option<Choice>,
    /// The settings of every method, and those to choose from.
    pub grid: Grid,
    /// The scaling and the warps of the inputs.
    pub preprocessing: Inputs,
    /// The number format on the device and the limits of its rounding.
    pub encoding: Numbers,
    /// The device and its budgets.
    pub device: Device,
    /// The limits of a search.
    pub search: Search,
    /// Whether the amplitudes are fitted to other rows afterwards, by least squares. Robust losses are left out then.
    #[serde(skip)]
    pub refits: bool,
}

/// The columns of a data file and their use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Columns {
    /// Names of the target columns; empty for the last column.
    pub targets: Vec<String>,
    /// The kind of the targets.
    pub kind: TargetKind,
    /// What errors in rows of each class count.
    pub class_weights: ClassWeights,
    /// The largest share of normal rows that a model of novelty finds novel, between 0 and 1; none for 0.01.
    pub false_alarms: Option<f64>,
    /// How the other columns become inputs.
    pub preparation: Preparation,
}

/// A method with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The method.
    pub method: MethodConfig,
    /// Whether the method's own ridge parameter is meant, so that cross-validation has none to choose.
    pub keeps_lambda: bool,
}

/// The settings of every method. Cross-validation chooses from lists of more than one value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Grid {
    /// The largest number of features; none for that of the method: 100, in a search within a budget 1000.
    pub features: Option<usize>,
    /// The terms beside the features; none for those of the method, without linear terms where the rows are too few.
    pub terms: Option<Terms>,
    /// The numbers of inputs per feature.
    pub orders: Orders,
    /// The scales of the distribution of frequencies; empty for the method's own.
    pub scales: Vec<f64>,
    /// The ridge parameters; none for 1e-8, 1e-7, …, 1, or for those of the search.
    pub lambdas: Option<Vec<f64>>,
}

/// Numbers of inputs per feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orders {
    /// From 1 to 3, as far as there are inputs.
    Auto,
    /// All inputs that vary.
    All,
    /// A list to choose from; empty for the method's own.
    #[serde(untagged)]
    List(Vec<usize>),
}

/// The scaling and the warps of the inputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Inputs {
    /// How inputs are scaled; none for a common scale where all inputs probably share a unit, as pixels do, and each by
    /// its own standard deviation otherwise.
    pub scaling: Option<InputScaling>,
    /// The warp of each input; empty where no input is warped.
    pub warps: Vec<Warp>,
    /// Warps of inputs by name, which override `warps`.
    pub named_warps: Vec<(String, Warp)>,
    /// Whether every reading is limited to its range in the fitted rows. Readings that are warped always are.
    pub limit_inputs: bool,
}

/// The number format on the device and the limits of its rounding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Numbers {
    /// The number format; none for the one that suits the core. A search on a core without floating point also tries
    /// integers of 16 bits then.
    pub number: Option<Number>,
    /// The largest difference between the device's predictions and those of the workstation, in standard deviations of
    /// the target; none for 0.01.
    pub max_error: Option<f64>,
    /// What predictions may exceed the range of the targets by at either end, as a share of that range; none for 0.1.
    pub output_margin: Option<f64>,
    /// The share of rows whose class is to be among those that the model cannot rule out: a class is named only where
    /// it alone is left. None names a class for every row.
    pub confidence: Option<f64>,
}

/// A number format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Number {
    /// All formats, from which a search chooses.
    Auto,
    /// One format.
    #[serde(untagged)]
    Format(NumberFormat),
}

/// The device and its budgets.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Device {
    /// The board, which gives the core, the clock, the deployment and the flash where they are not named.
    pub board: Option<Board>,
    /// The core that runs the model; none for that of the board, or for a Cortex-M4F.
    pub core: Option<Core>,
    /// The clock of the core in hertz; none for that of the board.
    pub clock: Option<f64>,
    /// How the model gets on the board, which the budgets count; none for C with a board or a limit of time, where its
    /// cost is known, and on a core without the runtime, otherwise for a file.
    pub deploy: Option<Deploy>,
    /// The folder `firmware-example` of a checkout, which [`Deploy::Rust`] compiles; none for `firmware-example`.
    pub firmware: Option<PathBuf>,
    /// The largest flash in bytes; none for the share of a board, otherwise for no limit.
    pub flash: Option<usize>,
    /// The largest number of instructions of a prediction.
    pub instructions: Option<u32>,
    /// The longest time of a prediction in seconds, by the documented cycles of the core at zero wait states.
    pub latency: Option<f64>,
}

impl Device {
    /// Returns the core that runs the model.
    pub fn core(&self) -> Core {
        self.core.or(self.board.map(Board::core)).unwrap_or_default()
    }

    /// Returns the clock of the core in hertz, where it is known.
    pub fn clock(&self) -> Option<f64> {
        self.clock.or(self.board.map(Board::clock))
    }

    /// Returns how the model gets on the board.
    pub fn deploy(&self) -> Deploy {
        let core = self.core();
        let wants_program = self.board.is_some() || self.latency.is_some();
        let is_program = !core.has_runtime() || wants_program && Deployment::C(core).check().is_ok();
        self.deploy.unwrap_or(if is_program { Deploy::C } else { Deploy::File })
    }

    /// Returns the largest flash in bytes.
    pub fn flash(&self) -> Option<usize> {
        self.flash.or(self.board.map(Board::budget))
    }
}

/// How a model gets on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deploy {
    /// A model file, whose bytes count.
    #[default]
    File,
    /// Generated C, compiled with `-Os`: parameters, code and constants count.
    C,
    /// A program with `static_model!`, compiled with `opt-level = "s"`: file, code and constants count.
    Rust,
}

impl Deploy {
    /// Returns the name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Deploy::File => "file",
            Deploy::C => "c",
            Deploy::Rust => "rust",
        }
    }
}

/// The limits of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// The work in units of about a second of one core; none for 5, or for no limit where there is a limit of time.
    pub effort: Option<f64>,
    /// The time, in settings files in seconds; none for no limit. What a search finds within a time depends on the
    /// machine.
    #[serde(with = "seconds")]
    pub time: Option<Duration>,
    /// The largest number of inputs that the model uses; none for all.
    pub max_inputs: Option<usize>,
    /// Whether to choose the smallest model whose error is within one standard error of the least error.
    pub one_standard_error: bool,
    /// Whether the model must have no edges, as control loops need: methods with rules are left out.
    pub smooth: bool,
}

impl Default for Request {
    fn default() -> Self {
        Request {
            seed: 1,
            folds: 5,
            split: Splitter::default(),
            metric: None,
            holdout: None,
            given: None,
            columns: Columns::default(),
            method: None,
            grid: Grid::default(),
            preprocessing: Inputs::default(),
            encoding: Numbers::default(),
            device: Device::default(),
            search: Search::default(),
            refits: false,
        }
    }
}

impl Default for Columns {
    fn default() -> Self {
        Columns {
            targets: Vec::new(),
            kind: TargetKind::Quantities,
            class_weights: ClassWeights::Equal,
            false_alarms: None,
            preparation: Preparation::default(),
        }
    }
}

impl Default for Orders {
    fn default() -> Self {
        Orders::List(Vec::new())
    }
}

/// A method whose ridge parameter cross-validation chooses.
impl From<MethodConfig> for Choice {
    fn from(method: MethodConfig) -> Self {
        Choice { method, keeps_lambda: false }
    }
}

impl Choice {
    /// Returns the method of a name with some of its settings. A ridge parameter among them is kept.
    ///
    /// # Errors
    /// [`MethodError`] for an unknown name, an unknown setting or a value out of range.
    pub fn named(name: &str, settings: &Map<String, Value>) -> Result<Choice, MethodError> {
        let mut method = MethodConfig::named(name)?;
        for (setting, value) in settings {
            method = method.with(setting, value)?;
        }
        Ok(Choice { method, keeps_lambda: settings.contains_key(LAMBDA) })
    }
}

/// The name of the ridge parameter among the settings of a method.
const LAMBDA: &str = "lambda";

/// `{ method: settings }`.
impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Map::<String, Value>::deserialize(deserializer)?;
        let keeps_lambda = value.values().any(|settings| settings.get(LAMBDA).is_some());
        let method = MethodConfig::deserialize(Value::Object(value)).map_err(D::Error::custom)?;
        Ok(Choice { method, keeps_lambda })
    }
}

impl Request {
    /// Returns the run context with the seed of the request.
    pub fn run<'a>(&self) -> Run<'a> {
        Run::new(self.seed)
    }
}

/// Durations as numbers of seconds.
mod seconds {
    use std::time::Duration;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        time.map(|time| time.as_secs_f64()).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<f64>::deserialize(deserializer)?;
        seconds.map(|seconds| Duration::try_from_secs_f64(seconds).map_err(D::Error::custom)).transpose()
    }
}
