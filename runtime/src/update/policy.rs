//! What a device demands of an update.

use crate::{Evaluator, Model};

/// What a device demands of an update.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub(super) application: u32,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// The channels of the program's history; 0 where it has none.
    pub(super) channels: usize,
    /// The slots of the program's history.
    pub(super) slots: usize,
    pub(super) after: Option<u32>,
    #[cfg(feature = "signature")]
    pub(super) key: Option<[u8; 32]>,
}

impl Policy {
    /// Takes models of `inputs` inputs and `outputs` outputs for `application`, a number of your choice.
    ///
    /// The inputs are those of [`Model::predict`], after lags and windows. Without a [history](Self::with_history),
    /// models with these are refused, and the inputs are the readings of one sample.
    pub const fn new(application: u32, inputs: usize, outputs: usize) -> Self {
        Policy {
            application,
            inputs,
            outputs,
            channels: 0,
            slots: 0,
            after: None,
            #[cfg(feature = "signature")]
            key: None,
        }
    }

    /// Takes models with lags or windows, too, since the program has a history: samples of `channels` readings, and
    /// buffers of `slots` numbers. A model has this number of [channels](Model::channels) and at most this number of
    /// [slots](Model::slots).
    #[must_use]
    pub const fn with_history(self, channels: usize, slots: usize) -> Self {
        Policy { channels, slots, ..self }
    }

    /// Takes only models with a sequence number above `sequence`, such as the number of the model in the firmware. A
    /// stored model that is not above it is not used.
    #[must_use]
    pub const fn after(self, sequence: u32) -> Self {
        Policy { after: Some(sequence), ..self }
    }

    /// Takes only updates that the owner of the Ed25519 key `public` has signed.
    #[cfg(feature = "signature")]
    #[must_use]
    pub const fn signed_by(self, public: [u8; 32]) -> Self {
        Policy { key: Some(public), ..self }
    }

    /// Returns whether the program can evaluate the model.
    pub(super) fn fits<E: Evaluator>(&self, model: &Model<'_, E>) -> bool {
        let has_samples = match self.channels {
            0 => model.samples().is_empty(),
            channels => model.channels() == channels && model.slots() <= self.slots,
        };
        has_samples && model.inputs() == self.inputs && model.outputs() == self.outputs
    }
}
