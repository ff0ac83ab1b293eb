//! What a model may take of the device, and the largest model that keeps it.

use crate::data::Dataset;
use crate::device::{Core, instruction_bound};
use crate::export::budget::{self, Storage};
use crate::export::{Blob, ExportError};
use crate::fit::{FitConfig, check};
use crate::method::FitError;

/// What a model may take of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Most bytes of flash.
    pub flash: Option<usize>,
    /// Most instructions of a prediction on a core.
    pub instructions: Option<Instructions>,
}

/// The most instructions of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// How many.
    pub at_most: u32,
    /// The core that executes them.
    pub core: Core,
}

impl Budget {
    /// Makes sure that a model keeps the budget.
    ///
    /// # Errors
    /// [`ExportError::OverFlash`], [`ExportError::OverInstructions`], [`ExportError::NoBound`].
    pub fn check(&self, blob: &Blob) -> Result<(), ExportError> {
        let bytes = blob.bytes().len();
        if let Some(flash) = self.flash.filter(|&flash| bytes > flash) {
            return Err(ExportError::OverFlash { flash, bytes });
        }
        let Some((needed, Instructions { at_most, core })) = self.needed(blob)? else { return Ok(()) };
        let over = ExportError::OverInstructions { at_most, needed, core: core.name() };
        if needed > at_most { Err(over) } else { Ok(()) }
    }

    /// The share of the budget that a model takes, of flash or instructions, whichever is more; 0 where there is none.
    ///
    /// # Errors
    /// [`ExportError::NoBound`].
    pub fn usage(&self, blob: &Blob) -> Result<f64, ExportError> {
        let flash = self.flash.map_or(0.0, |flash| blob.bytes().len() as f64 / flash as f64);
        let instructions = self.needed(blob)?.map_or(0.0, |(needed, most)| f64::from(needed) / f64::from(most.at_most));
        Ok(flash.max(instructions))
    }

    /// The instructions that a model needs, and those that it may take; none where there is no budget of them.
    fn needed(&self, blob: &Blob) -> Result<Option<(u32, Instructions)>, ExportError> {
        let Some(most) = self.instructions else { return Ok(None) };
        let needed = instruction_bound(&blob.model(), most.core);
        let none = ExportError::NoBound { core: most.core.name() };
        Ok(Some((needed.ok_or(none)?, most)))
    }

    /// The largest number of features, up to the method's own, of a model that keeps the budget whatever the fit gives and
    /// whatever is chosen. Features that lose inputs on the way can take more instructions than those of all inputs. `intervals`
    /// says whether there are intervals around its predictions.
    ///
    /// # Errors
    /// [`FitError::Budget`] where not even one feature keeps it, and what [`check`] says.
    pub fn features(&self, data: &Dataset, config: &FitConfig, intervals: bool) -> Result<usize, FitError> {
        check(data, config)?;
        let largest_order = config.orders.iter().copied().max().or(config.method.tunable().order);
        let method = config.method.clone().tuned(|t| t.order = largest_order);
        let scaling = config.learn(data);
        let storage = Storage { scaling: &scaling, number: config.number, intervals };
        let own = method.tunable().features.min(u16::MAX.into());
        let kept = |features: usize| -> Result<(), ExportError> {
            if let Some(flash) = self.flash {
                let bytes = budget::flash_bytes(data, storage, &method, features)?;
                if bytes > flash {
                    return Err(ExportError::OverFlash { flash, bytes });
                }
            }
            let instructions = Budget { flash: None, ..*self };
            if instructions == Budget::default() {
                return Ok(());
            }
            let method = method.clone().tuned(|t| t.features = features);
            instructions.check(&budget::largest(data, storage, &method)?)
        };
        let least = own.min(1);
        kept(least).map_err(FitError::Budget)?;
        // Invariant: `keeps` keeps the budget and `breaks` does not, or is more than the method's own.
        let (mut keeps, mut breaks) = (least, own + 1);
        while breaks - keeps > 1 {
            let middle = keeps.midpoint(breaks);
            if kept(middle).is_ok() { keeps = middle } else { breaks = middle }
        }
        Ok(keeps)
    }
}
