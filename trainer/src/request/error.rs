//! The errors of requests.

use crate::cost::Core;
use crate::data::{DatasetError, SplitError};
use crate::message::setting::{DEPLOY, FIRMWARE, HOLDOUT, MEMORY, METHOD, NUMBER, SAMPLE, WARP};
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
    /// No sources of the firmware to compile.
    NoFirmware {
        /// The folder.
        folder: String,
    },
    /// A robust loss where the amplitudes are fitted again by least squares.
    RobustRefit,
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

impl Explain for RequestError {
    fn message(&self) -> Message {
        match self {
            RequestError::SearchOnly { setting } => {
                let auto = METHOD.with("auto");
                message!(Setting::new(setting), " works with ", auto, " only; leave one of the two options out")
            }
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
            RequestError::Split(error) => error.message(),
            RequestError::Weights(error) => message!("{error}"),
        }
    }
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
