//! Budgets of flash and of the work of a prediction.

use crate::cost::flash::{Storage, most_flash, most_work};
use crate::cost::{Core, Deployment, Footprint, Unit, UnmeasuredCore, Work};
use crate::data::Dataset;
use crate::export::{Blob, Encoding, ExportError};
use crate::message::setting::{FEATURES, FLASH, NUMBER};
use crate::message::{Explain, Message, display_by_message, message};
use crate::method::MethodConfig;

/// The limits of a model on the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The largest flash in bytes: of the model file, or of what `deployment` counts.
    pub flash: Option<usize>,
    /// The most work of a prediction on a core.
    pub work: Option<Work>,
    /// What flash and work are counted of.
    pub deployment: Deployment,
    /// The core that runs the model, also where no budget counts its work.
    pub core: Core,
}

/// The flash and the work of a model, in the unit of the budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    pub flash: usize,
    pub work: u32,
}

/// Bytes of the budget of flash for each byte of ranges that features leave room for.
const RANGES_OF_FLASH: usize = 4;

impl Budget {
    /// Returns how a model is stored within the budget.
    pub(crate) fn encoding(&self, encoding: Encoding) -> Encoding {
        let program = self.deployment.is_program();
        let encoding = encoding.within(self.flash, program);
        // A program with `static_model!` holds the whole file.
        if program && self.deployment.has_file() { Encoding { flash: None, ..encoding } } else { encoding }
    }

    /// Returns the budget without some of its bytes of flash.
    pub(crate) fn less(&self, bytes: usize) -> Budget {
        Budget { flash: self.flash.map(|flash| flash.saturating_sub(bytes)), ..self.clone() }
    }

    /// Returns whether features leave room for the ranges of so many inputs.
    pub(crate) fn reserves_ranges(&self, inputs: usize) -> bool {
        let ranges = inputs * size_of::<[f32; 2]>();
        self.flash.is_some_and(|flash| RANGES_OF_FLASH * ranges <= flash)
    }

    /// Returns the limit of a model file, if it has one.
    pub(crate) fn file_limit(&self, encoding: Encoding) -> Option<usize> {
        encoding.flash.and(self.flash).filter(|_| !self.deployment.is_program())
    }

    /// Returns the flash of a model, and the work of a prediction where the budget limits it. `compiled` is
    /// the footprint that the compiler measured, where only the compiler can tell.
    pub(crate) fn needs(&self, blob: &Blob, compiled: Option<&Footprint>) -> Needs {
        if let Some(footprint) = compiled {
            let unit = self.work.map_or(Unit::default(), |work| work.unit);
            return Needs { flash: footprint.flash_bytes, work: footprint.work(unit) };
        }
        let work = |most: Work| self.deployment.work(&blob.model(), most.core, most.unit);
        Needs { flash: self.deployment.flash(blob), work: self.work.map_or(0, work) }
    }

    /// Checks that a model with these needs keeps the budget.
    ///
    /// # Errors
    /// [`BudgetError::OverFlash`], [`BudgetError::OverWork`].
    pub(crate) fn check(&self, needs: Needs) -> Result<(), BudgetError> {
        self.check_flash(needs.flash)?;
        self.work.map_or(Ok(()), |most| check_work(most, needs.work))
    }

    /// Returns whether models with rules can keep the budget: what `static_model!` with rules takes is known only where
    /// the compiler tells.
    pub(crate) fn takes_rules(&self) -> bool {
        let is_limited = self.flash.is_some() || self.work.is_some();
        !is_limited || !matches!(self.deployment, Deployment::Rust { firmware: None, .. })
    }

    /// Checks that a number of bytes keeps the budget of flash.
    fn check_flash(&self, bytes: usize) -> Result<(), BudgetError> {
        match self.flash.filter(|&flash| bytes > flash) {
            Some(flash) => Err(BudgetError::OverFlash { flash, bytes }),
            None => Ok(()),
        }
    }

    /// Returns the larger of the shares of flash and of work that a model takes; 0 without a budget.
    pub(crate) fn usage(&self, needs: Needs) -> f64 {
        let flash = self.flash.map_or(0.0, |flash| needs.flash as f64 / flash as f64);
        let share = |most: Work| f64::from(needs.work) / f64::from(most.at_most);
        flash.max(self.work.map_or(0.0, share))
    }

    /// Returns the largest number of features, up to the method's own, of a model that keeps the budget.
    ///
    /// # Errors
    /// [`BudgetError`] if not even one feature keeps the budget.
    pub(crate) fn most_features(
        &self,
        data: &Dataset,
        method: &MethodConfig,
        storage: Storage<'_>,
    ) -> Result<usize, BudgetError> {
        self.deployment.check()?;
        if method.method().has_rules() && !self.takes_rules() {
            return Err(BudgetError::UnmeasuredRules);
        }
        let own = method.tunable().features.min(u16::MAX.into());
        let kept = |features: usize| -> Result<(), BudgetError> {
            if self.flash.is_some() {
                self.check_flash(most_flash(data, storage, method, features, &self.deployment)?)?;
            }
            let Some(most) = self.work else { return Ok(()) };
            let method = method.clone().tuned(|t| t.features = features);
            check_work(most, most_work(data, storage, &method, most, &self.deployment)?)
        };
        let least = own.min(1);
        kept(least)?;
        // Invariant: `keeps` features keep the budget; `breaks` features exceed it, or the method's own number.
        let mut keeps = least;
        let mut breaks = own + 1;
        while breaks - keeps > 1 {
            let middle = keeps.midpoint(breaks);
            if kept(middle).is_ok() {
                keeps = middle;
            } else {
                breaks = middle;
            }
        }
        Ok(keeps)
    }
}

/// Checks that a prediction of so much work keeps a limit.
fn check_work(Work { at_most, unit, core }: Work, needed: u32) -> Result<(), BudgetError> {
    match needed > at_most {
        true => Err(BudgetError::OverWork { at_most, needed, unit, core: core.name() }),
        false => Ok(()),
    }
}

/// The reason why a model does not keep a budget.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// The model exceeds the budget of flash.
    OverFlash {
        /// The budget in bytes.
        flash: usize,
        /// The flash of the model in bytes.
        bytes: usize,
    },
    /// A prediction exceeds the budget of work.
    OverWork {
        /// The budget.
        at_most: u32,
        /// The work of a prediction.
        needed: u32,
        /// The unit of both.
        unit: Unit,
        /// The core.
        core: &'static str,
    },
    /// The size and the instructions of a program with rules are not known.
    UnmeasuredRules,
    /// The size of generated C is not known for a core.
    UnmeasuredCore(UnmeasuredCore),
    /// The program with the model cannot be compiled or run.
    Program(String),
    /// The model cannot be exported.
    Export(ExportError),
}

/// The bytes of a program whose size is not known.
const UNKNOWN: usize = usize::MAX;

impl BudgetError {
    /// Returns the message where the model is the smallest that was tried.
    pub(crate) fn smallest_message(&self) -> Message {
        match self {
            BudgetError::OverFlash { bytes: UNKNOWN, .. } => self.message(),
            BudgetError::OverFlash { flash, bytes } => message!(
                "no model that was tried keeps the budget of {flash} bytes of flash: the smallest takes {bytes} bytes; \
                 raise ",
                FLASH
            ),
            BudgetError::OverWork { at_most, needed, unit, core } => message!(
                "no model that was tried keeps the budget of {at_most} {unit} on {core}: the fastest takes up to \
                 {needed}; raise ",
                unit.setting()
            ),
            BudgetError::UnmeasuredRules
            | BudgetError::UnmeasuredCore(_)
            | BudgetError::Program(_)
            | BudgetError::Export(_) => self.message(),
        }
    }

    /// Returns whether both models exceed the same budget, and this one by less.
    pub(crate) fn is_closer_than(&self, other: &BudgetError) -> bool {
        use BudgetError::{OverFlash, OverWork};
        match (self, other) {
            (OverFlash { bytes: own, .. }, OverFlash { bytes, .. }) => own < bytes,
            (OverWork { needed: own, .. }, OverWork { needed, .. }) => own < needed,
            _ => false,
        }
    }
}

impl Explain for BudgetError {
    fn message(&self) -> Message {
        match self {
            BudgetError::OverFlash { bytes: UNKNOWN, .. } => message!(
                "the flash that C in floating point takes on a core without a floating-point unit is not known; set ",
                NUMBER.to("int")
            ),
            BudgetError::OverFlash { flash, bytes } => message!(
                "the model takes {bytes} bytes of flash, more than the budget of {flash} bytes; raise ",
                FLASH,
                " or lower ",
                FEATURES
            ),
            BudgetError::OverWork { at_most, needed, unit, core } => message!(
                "a prediction takes up to {needed} {unit} on {core}, more than the budget of {at_most}; raise ",
                unit.setting(),
                " or lower ",
                FEATURES
            ),
            BudgetError::UnmeasuredRules => {
                message!(
                    "what `static_model!` with rules takes is not known without a compiler; deploy a model file or C"
                )
            }
            BudgetError::UnmeasuredCore(error) => error.to_string().into(),
            BudgetError::Program(problem) => problem.clone().into(),
            BudgetError::Export(error) => error.message(),
        }
    }
}

display_by_message!(BudgetError);

impl From<UnmeasuredCore> for BudgetError {
    fn from(error: UnmeasuredCore) -> Self {
        BudgetError::UnmeasuredCore(error)
    }
}

impl From<ExportError> for BudgetError {
    fn from(error: ExportError) -> Self {
        BudgetError::Export(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_that_is_not_known_is_no_number_of_bytes() {
        let unknown = BudgetError::OverFlash { flash: 512, bytes: UNKNOWN };
        assert_eq!(unknown.message(), unknown.smallest_message());
        let said = unknown.to_string();
        assert!(said.contains("is not known; set `number`") && !said.contains(&UNKNOWN.to_string()), "{said}");
        let known = BudgetError::OverFlash { flash: 512, bytes: 600 };
        assert!(known.to_string().contains("takes 600 bytes of flash, more than the budget of 512 bytes"));
    }
}
