//! The latest samples of the sensors, for models that look back in time.

use heapless::Vec;

use crate::evaluate::Evaluator;
use crate::format::Lags;
use crate::{Error, Model};

/// The latest samples, and the inputs that a model makes of them, in fixed buffers.
///
/// A model with lagged inputs looks at several samples: its file says which. A history takes one sample after the
/// other, each with one reading for every [channel](Model::channels), and predicts as soon as there are enough. Its
/// buffers hold at least as many numbers as the model has [slots](Model::slots) and [inputs](Model::inputs); a history
/// takes `4 * (SLOTS + INPUTS)` bytes of RAM and a few more. A model without lags takes every sample as it is.
///
/// ```
/// use srfm_runtime::{History, Model, static_model};
///
/// # fn main() -> Result<(), srfm_runtime::Error> {
/// static MODEL: Model = static_model!("../golden/history.srfm"); // y = x + (x - x one sample ago)
///
/// let mut history = History::<{ MODEL.slots() }, { MODEL.inputs() }>::new();
/// let mut y = [0.0; MODEL.outputs()];
/// assert!(!history.predict(&MODEL, &[1.0], &mut y)?); // the model needs two samples
/// assert!(history.predict(&MODEL, &[3.0], &mut y)?);
/// assert_eq!(y, [5.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct History<const SLOTS: usize, const INPUTS: usize> {
    slots: Vec<f32, SLOTS>,
    inputs: Vec<f32, INPUTS>,
    /// The number of samples taken, at most 255.
    samples: u8,
}

impl<const SLOTS: usize, const INPUTS: usize> History<SLOTS, INPUTS> {
    /// Returns a history without samples.
    pub const fn new() -> Self {
        History { slots: Vec::new(), inputs: Vec::new(), samples: 0 }
    }

    /// Forgets all samples, as after a gap or when another model takes over.
    pub fn clear(&mut self) {
        self.samples = 0;
    }

    /// Takes a sample and predicts. Returns whether there were enough samples; otherwise `y` is left as it was.
    ///
    /// # Errors
    /// [`Error::WrongInputs`] where `sample` has another length than the model has [channels](Model::channels),
    /// [`Error::TooLarge`] where a buffer is too small, and as [`Model::predict`].
    pub fn predict<E: Evaluator>(
        &mut self,
        model: &Model<'_, E>,
        sample: &[f32],
        y: &mut [f32],
    ) -> Result<bool, Error> {
        match self.push(model, sample)? {
            Some(x) => model.predict(x, y).map(|()| true),
            None => Ok(false),
        }
    }

    /// Takes a sample and returns the inputs for [`Model::predict`], or none while there are too few samples.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn push<E: Evaluator>(&mut self, model: &Model<'_, E>, sample: &[f32]) -> Result<Option<&[f32]>, Error> {
        let lags = model.lags();
        self.slots.resize(lags.slots(), 0.0).map_err(|_| Error::TooLarge)?;
        self.inputs.resize(model.inputs(), 0.0).map_err(|_| Error::TooLarge)?;
        let ready = take_sample(lags, sample, &mut self.slots, &mut self.samples, &mut self.inputs)?;
        Ok(ready.then_some(&self.inputs))
    }
}

/// Takes a sample into `slots` and, once `samples` are enough, fills `x` with the inputs of the model. Returns whether
/// there were enough.
///
/// `samples` counts the samples taken, from 0 on. The lengths of `slots` and `x` are those of the model.
///
/// # Errors
/// [`Error::WrongInputs`] and [`Error::TooLarge`], as [`History::predict`].
pub fn take_sample(
    lags: Lags<'_>,
    sample: &[f32],
    slots: &mut [f32],
    samples: &mut u8,
    x: &mut [f32],
) -> Result<bool, Error> {
    if sample.len() != lags.channels() {
        return Err(Error::WrongInputs { expected: lags.channels() as u16 });
    }
    let mut rest = &mut *slots;
    for (window, &reading) in lags.windows().zip(sample) {
        let (own, others) = rest.split_at_mut_checked(window.into()).ok_or(Error::TooLarge)?;
        // The newest sample comes first; the oldest drops out.
        let mut newer = reading;
        for slot in own {
            newer = core::mem::replace(slot, newer);
        }
        rest = others;
    }
    *samples = samples.saturating_add(1);
    if *samples < lags.depth() {
        return Ok(false);
    }
    let value = |slot: usize| slots.get(slot).copied().ok_or(Error::TooLarge);
    for (x, place) in x.iter_mut().zip(lags.places()) {
        let newer = value(place.slot)?;
        *x = if place.difference { newer - value(place.slot + 1)? } else { newer };
    }
    Ok(true)
}
