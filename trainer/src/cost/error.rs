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
    /// The program with the model cannot be compiled or run.
    #[error("{0}")]
    Program(String),
    /// The model cannot be exported.
    #[error(transparent)]
    Export(#[from] ExportError),
}

impl BudgetError {
    /// Returns the message where the model is the smallest that was tried.
    pub(crate) fn of_smallest(&self) -> String {
        let none = "no model that was tried keeps the budget of";
        match self {
            BudgetError::OverFlash { flash, bytes } => {
                format!("{none} {flash} bytes of flash: the smallest takes {bytes} bytes; raise `flash`")
            }
            BudgetError::OverInstructions { at_most, needed, core } => {
                let fastest = format!("the fastest takes up to {needed}; raise `instructions`");
                format!("{none} {at_most} instructions on {core}: {fastest}")
            }
            BudgetError::Program(_) | BudgetError::Export(_) => self.to_string(),
        }
    }

    /// Returns whether both models exceed the same budget, and this one by less.
    pub(crate) fn is_closer_than(&self, other: &BudgetError) -> bool {
        use BudgetError::{OverFlash, OverInstructions};
        match (self, other) {
            (OverFlash { bytes: own, .. }, OverFlash { bytes, .. }) => own < bytes,
            (OverInstructions { needed: own, .. }, OverInstructions { needed, .. }) => own < needed,
            _ => false,
        }
    }
}
