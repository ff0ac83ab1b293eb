//! Budgets of flash and instructions, and the largest model that keeps a budget.

#[cfg(test)]
mod tests;

use crate::cost::flash::{Storage, most_flash, most_instructions};
use crate::cost::{BudgetError, Core, Deployment, Footprint};
use crate::data::Dataset;
use crate::emulate;
use crate::error::FitError;
use crate::export::{Blob, Encoding};
use crate::fit::{Fit, FitConfig};
use crate::method::MethodConfig;
use crate::run::Run;

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

/// What a model takes of the board.
#[derive(Clone, Copy, Debug)]
struct Needs {
    flash: usize,
    instructions: u32,
}

/// The largest number of fits until a model keeps the budget.
const MOST_FITS: usize = 4;

/// The share of the budget that a smaller model aims at, and the largest share of features that it keeps.
const SPARE: f64 = 0.98;
const LARGEST_STEP: f64 = 0.95;

/// Bytes of the budget of flash for each byte of ranges that features leave room for.
const RANGES_OF_FLASH: usize = 4;

impl Budget {
    /// Checks that a model keeps the budget; where only the compiler can tell, with the compiler.
    ///
    /// # Errors
    /// [`BudgetError::OverFlash`], [`BudgetError::OverInstructions`], [`BudgetError::Program`].
    pub fn check(&self, blob: &Blob) -> Result<(), BudgetError> {
        self.check_needs(self.needs(blob)?)
    }

    /// Returns what a program with the model takes; none for a model file. A program with `static_model!` is compiled
    /// and counted.
    ///
    /// # Errors
    /// [`BudgetError::Program`] if the program cannot be compiled or run.
    pub fn footprint(&self, blob: &Blob) -> Result<Option<Footprint>, BudgetError> {
        let Some((core, firmware)) = self.deployment.compiled() else {
            return Ok(self.deployment.footprint(&blob.model()));
        };
        let measured = emulate::compiled::footprint(blob, core, firmware);
        measured.map(Some).map_err(|error| BudgetError::Program(error.to_string()))
    }

    /// Returns the same budget with estimates of programs that only the compiler can tell.
    pub(crate) fn estimated(&self) -> Budget {
        Budget { deployment: self.deployment.estimated(), ..*self }
    }

    /// Returns how a model is stored within the budget.
    pub(crate) fn encoding(&self, encoding: Encoding) -> Encoding {
        let program = self.deployment.is_program();
        let encoding = encoding.within(self.flash, program);
        // A program with `static_model!` holds the whole file.
        if program && self.deployment.has_file() { Encoding { flash: None, ..encoding } } else { encoding }
    }

    /// Returns the flash of a model, and the instructions of a prediction where the budget limits them.
    fn needs(&self, blob: &Blob) -> Result<Needs, BudgetError> {
        if let (Some(_), Some(program)) = (self.deployment.compiled(), self.footprint(blob)?) {
            let (flash, instructions) = program.needs();
            return Ok(Needs { flash, instructions });
        }
        let instructions = |most: Instructions| self.deployment.instructions(&blob.model(), most.core);
        Ok(Needs { flash: self.deployment.flash(blob), instructions: self.instructions.map_or(0, instructions) })
    }

    fn check_needs(&self, needs: Needs) -> Result<(), BudgetError> {
        self.check_flash(needs.flash)?;
        self.instructions.map_or(Ok(()), |most| most.check(needs.instructions))
    }

    /// Checks that a number of bytes keeps the budget of flash.
    fn check_flash(&self, bytes: usize) -> Result<(), BudgetError> {
        match self.flash.filter(|&flash| bytes > flash) {
            Some(flash) => Err(BudgetError::OverFlash { flash, bytes }),
            None => Ok(()),
        }
    }

    /// Returns the larger of the shares of flash and of instructions that a model takes; 0 without a budget.
    fn usage_of(&self, needs: Needs) -> f64 {
        let flash = self.flash.map_or(0.0, |flash| needs.flash as f64 / flash as f64);
        let share = |most: Instructions| f64::from(needs.instructions) / f64::from(most.at_most);
        flash.max(self.instructions.map_or(0.0, share))
    }

    /// Fits the largest model of the settings that keeps the budget.
    ///
    /// The shape of a model bounds what it takes. Where only a fit shows it, a model that exceeds the budget is fitted
    /// again with fewer features, a few times.
    ///
    /// # Errors
    /// [`FitError::Budget`] if no model keeps the budget, and those of [`fit`](crate::fit()).
    pub fn fit(&self, data: &Dataset, config: &FitConfig, run: &Run<'_>) -> Result<Fit, FitError> {
        if *self == Budget::default() {
            return crate::fit::fit(data, config, run);
        }
        let features = self.features(data, config, config.calibrates(data))?;
        let method = config.method.clone().tuned(|t| t.features = features);
        let mut run = *run;
        self.fit_within(method, |method| {
            let fitted = crate::fit::fit(data, &FitConfig { method, ..config.clone() }, &run);
            run = run.quiet();
            fitted
        })
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
            let needs = self.needs(&fitted.blob).map_err(FitError::Budget)?;
            let usage = self.usage_of(needs);
            let features = fitted.chosen.tunable().features;
            let fewer = ((features as f64 * (SPARE / usage).min(LARGEST_STEP)) as usize).max(1);
            if usage <= 1.0 || fits == MOST_FITS || fewer >= features {
                return self.check_needs(needs).map(|()| fitted).map_err(FitError::Budget);
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
    pub(crate) fn features(&self, data: &Dataset, config: &FitConfig, intervals: bool) -> Result<usize, FitError> {
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
