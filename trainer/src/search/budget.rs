//! Budgets of flash and instructions, and the largest model that keeps a budget.

#[cfg(test)]
mod tests;

use crate::cost::flash::{Storage, most_flash, most_instructions};
use crate::cost::{BudgetError, Core, Deployment};
use crate::data::Dataset;
use crate::error::FitError;
use crate::export::{Blob, Encoding};
use crate::fit::{Fit, FitConfig};
use crate::method::MethodConfig;

/// The limits of a model on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// The largest flash in bytes.
    pub flash: Option<usize>,
    /// The largest number of instructions of a prediction on a core.
    pub instructions: Option<Instructions>,
    /// What flash and instructions are counted of.
    pub deployment: Deployment,
}

/// A limit of the instructions of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// The limit.
    pub at_most: u32,
    /// The core that executes the prediction.
    pub core: Core,
}

impl Instructions {
    /// Checks that a prediction of `needed` instructions keeps the limit.
    fn check(self, needed: u32) -> Result<(), BudgetError> {
        let over = BudgetError::OverInstructions { at_most: self.at_most, needed, core: self.core.name() };
        if needed > self.at_most { Err(over) } else { Ok(()) }
    }
}

/// The largest number of fits until a model keeps the budget.
const MOST_FITS: usize = 4;

/// The share of the budget that a smaller model aims at, and the largest share of features that it keeps.
const SPARE: f64 = 0.98;
const LARGEST_STEP: f64 = 0.95;

/// Bytes of the budget of flash for each byte of ranges that features leave room for.
const RANGES_OF_FLASH: usize = 4;

impl Budget {
    /// Checks that a model keeps the budget.
    ///
    /// # Errors
    /// [`BudgetError::OverFlash`], [`BudgetError::OverInstructions`].
    pub fn check(&self, blob: &Blob) -> Result<(), BudgetError> {
        self.check_flash(self.deployment.flash(blob))?;
        self.instructions.map_or(Ok(()), |most| most.check(self.deployment.instructions(&blob.model(), most.core)))
    }

    /// Checks that a number of bytes keeps the budget of flash.
    fn check_flash(&self, bytes: usize) -> Result<(), BudgetError> {
        match self.flash.filter(|&flash| bytes > flash) {
            Some(flash) => Err(BudgetError::OverFlash { flash, bytes }),
            None => Ok(()),
        }
    }

    /// Returns the larger of the shares of flash and of instructions that a model takes; 0 without a budget.
    pub(crate) fn usage(&self, blob: &Blob) -> f64 {
        let flash = self.flash.map_or(0.0, |flash| self.deployment.flash(blob) as f64 / flash as f64);
        let needed = |most: Instructions| self.deployment.instructions(&blob.model(), most.core);
        let share = |most: Instructions| f64::from(needed(most)) / f64::from(most.at_most);
        flash.max(self.instructions.map_or(0.0, share))
    }

    /// Fits a method whose model size only a fit shows. A model that exceeds the budget is fitted again with fewer
    /// features.
    ///
    /// # Errors
    /// [`FitError::Budget`] if a few fits find no model that keeps the budget, and the errors of `fit`.
    pub(crate) fn fit_within(
        &self,
        mut method: MethodConfig,
        mut fit: impl FnMut(MethodConfig) -> Result<Fit, FitError>,
    ) -> Result<Fit, FitError> {
        let mut fits = 1;
        loop {
            let fitted = fit(method.clone())?;
            let usage = self.usage(&fitted.blob);
            let features = fitted.chosen.tunable().features;
            let fewer = ((features as f64 * (SPARE / usage).min(LARGEST_STEP)) as usize).max(1);
            if usage <= 1.0 || fits == MOST_FITS || fewer >= features {
                return self.check(&fitted.blob).map(|()| fitted).map_err(FitError::Budget);
            }
            method = method.tuned(|t| t.features = fewer);
            fits += 1;
        }
    }

    /// Returns the largest number of features, up to the method's own, of a model that keeps the budget for every
    /// outcome of the fit and of the choice of settings. Pruned features can take more instructions than features of
    /// all inputs. `intervals` says whether the model has intervals around its predictions.
    ///
    /// If the encoding has a limit of flash, features leave room for the ranges of the readings where these take at
    /// most a quarter of the budget.
    ///
    /// # Errors
    /// [`FitError::Budget`] if not even one feature keeps the budget, and [`FitError`] for settings that are out of
    /// range.
    pub fn features(&self, data: &Dataset, config: &FitConfig, intervals: bool) -> Result<usize, FitError> {
        config.check(data)?;
        let largest_order = config.grid.orders.iter().copied().max().or(config.method.tunable().order);
        let method = config.method.clone().tuned(|t| t.order = largest_order);
        let scaling = config.preprocessing.learn(data);
        let ranges = data.inputs() * size_of::<[f32; 2]>();
        let reserves = self.flash.is_some_and(|flash| RANGES_OF_FLASH * ranges <= flash);
        let of_file = config.encoding.flash.and(self.flash).filter(|_| !self.deployment.is_program());
        let with_room_for = |flash: Option<usize>| {
            let encoding = Encoding { flash, ..config.encoding };
            self.most_features(data, &method, Storage { scaling: &scaling, encoding, intervals })
        };
        let features = with_room_for(of_file.map(|flash| if reserves { usize::MAX } else { flash }));
        features.or_else(|_| with_room_for(of_file)).map_err(FitError::Budget)
    }

    /// Returns the largest number of features, up to the method's own, of a model that keeps the budget.
    fn most_features(&self, data: &Dataset, method: &MethodConfig, storage: Storage<'_>) -> Result<usize, BudgetError> {
        let own = method.tunable().features.min(u16::MAX.into());
        let kept = |features: usize| -> Result<(), BudgetError> {
            if self.flash.is_some() {
                self.check_flash(most_flash(data, storage, method, features, self.deployment)?)?;
            }
            let Some(most) = self.instructions else { return Ok(()) };
            let method = method.clone().tuned(|t| t.features = features);
            most.check(most_instructions(data, storage, &method, most.core, self.deployment)?)
        };
        let least = own.min(1);
        kept(least)?;
        // Invariant: `keeps` features keep the budget; `breaks` features exceed it, or the method's own number.
        let (mut keeps, mut breaks) = (least, own + 1);
        while breaks - keeps > 1 {
            let middle = keeps.midpoint(breaks);
            if kept(middle).is_ok() { keeps = middle } else { breaks = middle }
        }
        Ok(keeps)
    }
}
