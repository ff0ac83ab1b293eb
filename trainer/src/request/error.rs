//! The errors of requests.

use crate::cost::Core;
use crate::data::{DatasetError, SplitError};
use crate::message::setting::{
    BOARD, CLOCK, DEPLOY, FALSE_ALARMS, FIRMWARE, HOLDOUT, INSTRUCTIONS, LATENCY, MEMORY, METHOD, METRIC, NUMBER,
    SAMPLE, TASK, WARP,
};
use crate::message::{Explain, Message, Setting, display_by_message, message};

/// The reason why a request cannot be planned.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RequestError {
    /// A setting of searches beside a method.
    SearchOnly {
        /// The name of the setting.
        setting: &'static str,
    },
    /// A metric of classes beside quantities.
    MetricOfQuantities,
    /// All number formats for one method.
    NumberAuto,
    /// A warp of an input that does not exist.
    UnknownInput {
        /// The name that was given.
        name: String,
        /// The names of the inputs.
        known: String,
    },
    /// A share of held-out rows that is not between 0 and 1.
    Holdout {
        /// The share.
        share: f64,
    },
    /// A program in C for a core whose prices are not known.
    UnknownPrices {
        /// The core.
        core: Core,
    },
    /// A program with floating point for a core without it.
    FloatInSoftware {
        /// The name of the way in which the model gets on the board.
        deploy: &'static str,
    },
    /// A model file for a core without the runtime.
    NoRuntime {
        /// The core.
        core: Core,
        /// The name of the way in which the model gets on the board.
        deploy: &'static str,
    },
    /// A limit of time that cannot be kept.
    Latency(LatencyError),
    /// No sources of the firmware to compile.
    NoFirmware {
        /// The folder.
        folder: String,
    },
    /// A robust loss where the amplitudes are fitted again by least squares.
    RobustRefit,
    /// A setting of rows with targets beside novelty.
    NotOfNovelty {
        /// The name of the setting.
        setting: &'static str,
    },
    /// A share of false alarms without novelty.
    NoveltyOnly,
    /// A share of false alarms that is not between 0 and 1.
    FalseAlarms {
        /// The share.
        share: f64,
    },
    /// The rows cannot be divided.
    Split(SplitError),
    /// Weights that do not suit the rows or their classes.
    Weights(DatasetError),
}

display_by_message!(RequestError);

impl std::error::Error for RequestError {}

impl From<SplitError> for RequestError {
    fn from(error: SplitError) -> Self {
        RequestError::Split(error)
    }
}

/// The reason why a limit of the time of a prediction cannot be kept.
#[derive(Clone, Debug, PartialEq)]
pub enum LatencyError {
    /// A limit of instructions beside it.
    TwoLimits,
    /// The clock of the core is not known.
    NoClock,
    /// What limits count is not generated C.
    NoProgram {
        /// The name of the way in which the model gets on the board.
        deploy: &'static str,
    },
    /// Less than a clock cycle, or no time at all.
    NoTime {
        /// The limit in seconds.
        latency: f64,
        /// The clock in hertz.
        clock: f64,
    },
    /// A limit of instructions for a core whose instructions are not counted.
    UnknownInstructions {
        /// The core.
        core: Core,
    },
    /// The clock cycles of the core are not known.
    UnknownCycles {
        /// The core.
        core: Core,
    },
}

display_by_message!(LatencyError);

impl std::error::Error for LatencyError {}

impl From<LatencyError> for RequestError {
    fn from(error: LatencyError) -> Self {
        RequestError::Latency(error)
    }
}

impl Explain for LatencyError {
    fn message(&self) -> Message {
        match self {
            LatencyError::TwoLimits => {
                message!(INSTRUCTIONS, " and ", LATENCY, " both limit the time of a prediction; leave one of them out")
            }
            LatencyError::NoClock => {
                message!(LATENCY, " needs the clock of the core; set ", BOARD, ", or ", CLOCK, " such as 16M")
            }
            LatencyError::NoProgram { deploy } => {
                let generated = DEPLOY.with("c");
                message!(DEPLOY.with(*deploy), ": clock cycles are known of generated C alone; choose ", generated)
            }
            LatencyError::NoTime { latency, clock } => {
                message!(LATENCY, ": {latency} s at {clock} Hz is no time for a prediction; give more")
            }
            LatencyError::UnknownInstructions { core } => {
                message!(
                    "clock cycles of {core} are counted, not instructions; set ",
                    LATENCY,
                    " in place of ",
                    INSTRUCTIONS
                )
            }
            LatencyError::UnknownCycles { core } => {
                message!("the clock cycles of {core} are not published; set ", INSTRUCTIONS, " in place of ", LATENCY)
            }
        }
    }
}

impl Explain for RequestError {
    fn message(&self) -> Message {
        match self {
            RequestError::SearchOnly { setting } => {
                let auto = METHOD.with("auto");
                message!(Setting::new(setting), " works with ", auto, " only; leave one of the two options out")
            }
            RequestError::MetricOfQuantities => metric_of_quantities(),
            RequestError::NumberAuto => {
                let numbers = NUMBER.with("auto");
                let auto = METHOD.with("auto");
                message!(numbers, " works with ", auto, " only; name a number format")
            }
            RequestError::UnknownInput { name, known } => {
                message!(WARP, ": there is no input {name:?}; the inputs are {known}")
            }
            RequestError::Holdout { share } => held_out(*share),
            RequestError::UnknownPrices { core } => {
                let file = DEPLOY.with("file");
                message!("what generated C takes of {core} is not known; choose an Arm core or ", file)
            }
            RequestError::NoRuntime { core, deploy } => {
                message!(DEPLOY.with(*deploy), ": {core} runs generated C alone; choose ", DEPLOY.with("c"))
            }
            RequestError::Latency(error) => error.message(),
            RequestError::FloatInSoftware { deploy } => {
                let integers = NUMBER.with("int");
                message!(
                    DEPLOY.with(*deploy),
                    ": what a program takes with floating point in software is not known; choose ",
                    integers,
                    " or int16, or a core with floating point"
                )
            }
            RequestError::NoFirmware { folder } => {
                let rust = DEPLOY.with("rust");
                message!(
                    rust,
                    " compiles firmware-example of a checkout of srfm, and {folder} is none; name it with ",
                    FIRMWARE
                )
            }
            RequestError::RobustRefit => {
                message!(
                    "the setting huber needs all rows in memory; leave out ",
                    MEMORY,
                    " and ",
                    SAMPLE,
                    ", or huber"
                )
            }
            RequestError::NotOfNovelty { setting } => all_alike(setting),
            RequestError::NoveltyOnly => not_of_others(),
            RequestError::FalseAlarms { share } => message!(FALSE_ALARMS, " must be between 0 and 1, not {share}"),
            RequestError::Split(error) => error.message(),
            RequestError::Weights(error) => message!("{error}"),
        }
    }
}

/// Returns what is wrong with a setting of rows with targets beside novelty.
fn all_alike(setting: &'static str) -> Message {
    message!(TASK.with("novelty"), " takes all rows as normal and alike; leave out ", Setting::new(setting))
}

/// Returns what is wrong with a share of false alarms beside targets.
fn not_of_others() -> Message {
    message!(FALSE_ALARMS, " is for ", TASK.with("novelty"), " only; add that, or leave it out")
}

/// Returns what is wrong with a metric of classes beside quantities.
fn metric_of_quantities() -> Message {
    let classes = TASK.with("classification");
    message!(METRIC, " works with classes only, and the targets are quantities; set ", classes, ", or leave it out")
}

/// Returns what is wrong with a share of held-out rows.
fn held_out(share: f64) -> Message {
    if share == 0.0 {
        let none = HOLDOUT.with("0");
        message!(none, " holds out no rows; leave the option out")
    } else if share > 1.0 && share < 100.0 {
        let meant = share / 100.0;
        message!(HOLDOUT, " is a share of the rows between 0 and 1; write {meant} or {share}% in place of {share}")
    } else {
        message!(HOLDOUT, " must be between 0 and 1, not {share}")
    }
}
