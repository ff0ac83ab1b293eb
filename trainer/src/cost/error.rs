//! What a budget fails on.

use crate::export::ExportError;

/// Why a model does not keep a budget.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// The model takes more flash than it may.
    #[error(
        "the model takes {bytes} bytes of flash, more than the budget of {flash} bytes; raise `flash` or lower `features`"
    )]
    OverFlash {
        /// The budget in bytes.
        flash: usize,
        /// What the model takes.
        bytes: usize,
    },
    /// A prediction takes more instructions than it may.
    #[error(
        "a prediction takes up to {needed} instructions on {core}, more than the budget of {at_most}; raise `instructions` or \
         lower `features`"
    )]
    OverInstructions {
        /// The budget.
        at_most: u32,
        /// What a prediction takes.
        needed: u32,
        /// The core.
        core: &'static str,
    },
    /// The instructions of a prediction have no bound.
    #[error(
        "the instructions of such a model on {core} have no bound that is known before it runs; leave out `instructions` and \
         measure in the emulator, or set `number` to int"
    )]
    NoBound {
        /// The core.
        core: &'static str,
    },
    /// The model cannot go to the device at all.
    #[error(transparent)]
    Export(#[from] ExportError),
}
