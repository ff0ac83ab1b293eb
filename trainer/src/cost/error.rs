//! The errors of budgets.

use crate::export::ExportError;

/// The reason why a model does not keep a budget.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// The model exceeds the budget of flash.
    #[error(
        "the model takes {bytes} bytes of flash, more than the budget of {flash} bytes; raise `flash` or lower \
         `features`"
    )]
    OverFlash {
        /// The budget in bytes.
        flash: usize,
        /// The flash of the model in bytes.
        bytes: usize,
    },
    /// A prediction exceeds the budget of instructions.
    #[error(
        "a prediction takes up to {needed} instructions on {core}, more than the budget of {at_most}; raise \
         `instructions` or \
         lower `features`"
    )]
    OverInstructions {
        /// The budget.
        at_most: u32,
        /// The instructions of a prediction.
        needed: u32,
        /// The core.
        core: &'static str,
    },
    /// The model cannot be exported.
    #[error(transparent)]
    Export(#[from] ExportError),
}
