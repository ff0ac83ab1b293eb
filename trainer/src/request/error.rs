//! The errors of requests.

use crate::cost::Core;
use crate::data::SplitError;

/// The reason why a request cannot be planned.
///
/// Messages put names of settings in backticks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// A setting of searches beside a method.
    #[error("`{setting}` works with `method` auto only; leave one of the two options out")]
    SearchOnly {
        /// The name of the setting.
        setting: &'static str,
    },
    /// All number formats for one method.
    #[error("`number` auto works with `method` auto only; name a number format")]
    NumberAuto,
    /// A warp of an input that does not exist.
    #[error("`warp`: there is no input {name:?}; the inputs are {known}")]
    UnknownInput {
        /// The name that was given.
        name: String,
        /// The names of the inputs.
        known: String,
    },
    /// A share of held-out rows that is not between 0 and 1.
    #[error("{}", held_out(*share))]
    Holdout {
        /// The share.
        share: f64,
    },
    /// A program in C for a core whose prices are not known.
    #[error("what generated C takes of {core} is not known; choose an Arm core or `deploy` file")]
    UnknownPrices {
        /// The core.
        core: Core,
    },
    /// A program with floating point for a core without it.
    #[error(
        "`deploy` {deploy}: what a program takes with floating point in software is not known; choose `number` int or \
         int16, or a core with floating point"
    )]
    FloatInSoftware {
        /// The name of the way in which the model gets on the board.
        deploy: &'static str,
    },
    /// No sources of the firmware to compile.
    #[error(
        "`deploy` rust compiles firmware-example of a checkout of srfm, and {folder} is none; name it with `firmware`"
    )]
    NoFirmware {
        /// The folder.
        folder: String,
    },
    /// A robust loss where the amplitudes are fitted again by least squares.
    #[error("the setting huber needs all rows in memory; leave out `memory` and `sample`, or huber")]
    RobustRefit,
    /// The rows cannot be divided.
    #[error(transparent)]
    Split(#[from] SplitError),
}

/// Returns what is wrong with a share of held-out rows.
fn held_out(share: f64) -> String {
    if share == 0.0 {
        "`holdout` 0 holds out no rows; leave the option out".to_owned()
    } else if share > 1.0 && share < 100.0 {
        let meant = share / 100.0;
        format!("`holdout` is a share of the rows between 0 and 1; write {meant} or {share}% in place of {share}")
    } else {
        format!("`holdout` must be between 0 and 1, not {share}")
    }
}
