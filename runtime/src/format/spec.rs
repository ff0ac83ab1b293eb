//! The description of a model that is to be written.

use super::preparation::{through, words_of_limits};
use super::section::{Confidence, scores};
use super::tensor::index_words;
use super::{ALL, BUFFERED, Kernel, Number, Place, Prepared, REPLACED, Scale, Shifts, TreeInput, WindowInput, packs};
use crate::Error;

/// Intervals around predictions, of the same width for every row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Intervals<'a> {
    /// The share of rows like those that were fitted whose target lies within the interval.
    pub level: f32,
    /// Half the width for every output, in units of the output; empty leaves the section out.
    pub half_widths: &'a [f32],
}

/// The samples that inputs come from; see [`Samples`](super::Samples).
#[derive(Clone, Copy, Debug)]
pub enum HistorySpec<'a> {
    /// Readings of some samples; see [`Lags`](super::Lags).
    Lags {
        /// The number of slots of every channel; empty leaves the section out.
        windows: &'a [u8],
        /// The place of every input.
        places: &'a [Place],
    },
    /// Statistics of windows.
    Windows(WindowsSpec<'a>),
}

/// The windows of a model; see [`Windows`](super::Windows).
#[derive(Clone, Copy, Debug)]
pub struct WindowsSpec<'a> {
    /// The number of samples of a window.
    pub samples: u16,
    /// The number of samples from the start of a window to that of the next.
    pub step: u16,
    /// Whether the readings of each channel are kept.
    pub kept: &'a [bool],
    /// The statistic of every input.
    pub inputs: &'a [WindowInput],
}

impl Default for HistorySpec<'_> {
    /// Returns the history of a model whose inputs are the readings of one sample.
    fn default() -> Self {
        HistorySpec::Lags { windows: &[], places: &[] }
    }
}

impl HistorySpec<'_> {
    /// Returns the number of inputs; none where there is no section.
    fn inputs(&self) -> Option<usize> {
        match self {
            HistorySpec::Lags { windows: [], .. } => None,
            HistorySpec::Lags { places, .. } => Some(places.len()),
            HistorySpec::Windows(windows) => Some(windows.inputs.len()),
        }
    }
}

/// A model to be written.
#[derive(Clone, Copy, Debug)]
pub struct ModelSpec<'a> {
    /// The name of the method that fitted the model.
    pub method: &'a str,
    /// The number format of the parameters, which are words: see [`words`](super::words).
    pub number: Number,
    /// The number of readings that a prediction takes, at least 1.
    pub inputs: u16,
    /// The [checksum](super::hash_names) of the input names, or 0.
    pub inputs_hash: u32,
    /// The share of every input in what the model computes, in 255ths; empty leaves the section out.
    pub importance: &'a [u8],
    /// The names of the classes that the outputs are scores of: two for one output, otherwise one an output; empty for
    /// a model of quantities.
    pub classes: &'a [&'a str],
    /// The smallest and the largest reading of every input that the outputs depend on, and minus and plus infinity for
    /// the others; empty leaves the section out.
    pub ranges: &'a [[f32; 2]],
    /// Intervals around predictions.
    pub intervals: Intervals<'a>,
    /// The slope that turns scores of classes into log-odds; none leaves the section out.
    pub slope: Option<f32>,
    /// How sure of a class the model must be to name it; none leaves the section out, so that every row has a class.
    pub confidence: Option<Confidence>,
    /// The samples that the inputs come from; empty where every input is a reading of the latest sample.
    pub history: HistorySpec<'a>,
    /// The prepared inputs, in floating point at most [`BUFFERED`]. Where there are any, all indices below refer to
    /// this list; where there are none, to the readings.
    pub prepared: &'a [Prepared],
    /// The limits of the prepared inputs up to the last one with [`LIMITED`](super::LIMITED): in floating point two
    /// words each, the smallest and the largest reading; in integers one, the smallest count in its lower half and the
    /// largest in its upper one.
    pub input_limits: &'a [u32],
    /// What replaces missing readings of the prepared inputs up to the last one with [`REPLACED`](super::REPLACED): in
    /// floating point the words of readings, in integers counts in the lower halves of words, which are not
    /// [`MISSING`](super::MISSING).
    pub replacements: &'a [u32],
    /// One entry per output of an integer model; none in floating point.
    pub scales: &'a [Scale],
    /// The binary points of an integer model.
    pub shifts: Shifts,
    /// One value per output; their number is the number of outputs.
    pub intercepts: &'a [u32],
    /// The lowest and the highest value of every output, which is limited to them; none for a classifier.
    pub limits: &'a [[u32; 2]],
    /// One row of `outputs` weights per linear term.
    pub linear_weights: &'a [u32],
    /// The input of each linear term.
    pub linear_inputs: &'a [u16],
    /// Runs of features, summed in this order.
    pub blocks: &'a [BlockSpec<'a>],
    /// The trees, which are summed last.
    pub trees: TreesSpec<'a>,
}

/// A run of at most 65,535 features with the same kernel and the same number of inputs.
#[derive(Clone, Copy, Debug)]
pub struct BlockSpec<'a> {
    /// The function of the features.
    pub kernel: Kernel,
    /// Inputs per feature; [`ALL`] where each looks at all values of the view in their order.
    pub order: u16,
    /// One record a feature: bias, weights and amplitudes, as the format lays them out.
    pub records: &'a [u32],
    /// `order` input indices a feature; none where it looks at all inputs or weights [pack](super::packs) them.
    pub indices: &'a [u16],
}

/// The trees of a model: see [`Trees`](super::Trees).
#[derive(Clone, Copy, Debug, Default)]
pub struct TreesSpec<'a> {
    /// The readings that trees look at, in floating point; none in integers.
    pub inputs: &'a [TreeInput],
    /// What one unit of the amplitudes is, for every output in floating point; none in integers.
    pub steps: &'a [f32],
    /// Bits by which sums of amplitudes are shifted left in integers.
    pub shift: u8,
    /// The nodes of all trees, as the format lays them out: at most 65,535 halves; empty for a model without trees.
    pub halves: &'a [u16],
}

impl TreesSpec<'_> {
    /// Returns whether the model has no trees.
    pub(super) fn is_empty(&self) -> bool {
        self.halves.is_empty()
    }

    /// Returns the words of the block of trees of a model in this number format; 0 without trees.
    fn words(&self, number: Number, outputs: usize) -> Result<usize, Error> {
        let steps = if number.is_float() && !self.is_empty() { outputs } else { 0 };
        let has_inputs = number.is_float() || self.inputs.is_empty();
        if self.steps.len() != steps || !has_inputs || self.is_empty() && !self.inputs.is_empty() {
            return Err(Error::Layout);
        }
        if self.halves.len() > u16::MAX.into() || self.inputs.len() > u16::MAX.into() {
            return Err(Error::TooLarge);
        }
        if self.is_empty() {
            return Ok(0);
        }
        Ok(1 + 2 * self.inputs.len() + steps + self.halves.len().div_ceil(2))
    }
}

impl ModelSpec<'_> {
    /// Returns the number of values that indices may refer to.
    pub(super) fn view(&self) -> usize {
        if self.prepared.is_empty() { self.inputs.into() } else { self.prepared.len() }
    }

    /// Returns the number of features of a block: at most 65,535.
    pub(super) fn features(&self, block: &BlockSpec<'_>) -> Result<usize, Error> {
        let order = if block.order == ALL { self.view() } else { block.order.into() };
        let words = self.number.weight_words(order) + self.number.other_words(block.kernel, self.intercepts.len());
        let words = words.max(1);
        let features = block.records.len() / words;
        let listed = if packs(self.number, self.view()) { 0 } else { features * usize::from(block.order) };
        if !block.records.len().is_multiple_of(words) || block.indices.len() != listed {
            Err(Error::Layout)
        } else if features > usize::from(u16::MAX) {
            Err(Error::TooLarge)
        } else {
            Ok(features)
        }
    }

    /// Returns the words of the tensors.
    pub(super) fn tensor_words(&self) -> Result<usize, Error> {
        if self.prepared.len() > BUFFERED && self.number == Number::F32 {
            return Err(Error::TooLarge);
        }
        let (outputs, terms) = (self.intercepts.len(), self.linear_inputs.len());
        let integers = self.number != Number::F32;
        if self.linear_weights.len() != terms * outputs || self.scales.len() != if integers { outputs } else { 0 } {
            return Err(Error::Layout);
        }
        if self.limits.len() != if self.classes.is_empty() { outputs } else { 0 } {
            return Err(Error::Layout);
        }
        let limits = words_of_limits(self.prepared, self.number.is_float());
        if self.input_limits.len() != limits || self.replacements.len() != through(self.prepared, REPLACED) {
            return Err(Error::Layout);
        }
        let indices = |n| index_words(n, self.view()).ok_or(Error::TooLarge);
        let scales = if integers { 1 + 2 * outputs } else { 0 };
        let prepared = 2 * self.prepared.len() + self.input_limits.len() + self.replacements.len();
        let of_outputs = scales + outputs + 2 * self.limits.len();
        let mut words = prepared + of_outputs + terms * outputs + indices(terms)?;
        for block in self.blocks {
            self.features(block)?;
            words += 1 + block.records.len() + indices(block.indices.len())?;
        }
        Ok(words + self.trees.words(self.number, outputs)?)
    }

    /// Checks that every section is as long as the model asks for.
    pub(super) fn check_sections(&self) -> Result<(), Error> {
        let (inputs, outputs) = (usize::from(self.inputs), self.intercepts.len());
        let fits = |len: usize, expected: usize| len == 0 || len == expected;
        let classes = self.classes.is_empty() || scores(self.classes.len()) == Some(outputs);
        let of_inputs = fits(self.importance.len(), inputs) && fits(self.ranges.len(), inputs);
        let history = self.history.inputs().is_none_or(|of_history| of_history == inputs);
        if history && classes && of_inputs && fits(self.intervals.half_widths.len(), outputs) {
            Ok(())
        } else {
            Err(Error::Layout)
        }
    }
}
