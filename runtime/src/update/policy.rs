//! What a device demands of an update.

/// What a device demands of an update.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    pub(super) application: u32,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) after: Option<u32>,
    #[cfg(feature = "signature")]
    pub(super) key: Option<[u8; 32]>,
}

impl Policy {
    /// Takes models of `inputs` readings and `outputs` values for `application`, a number of your choice.
    pub const fn new(application: u32, inputs: usize, outputs: usize) -> Self {
        Policy {
            application,
            inputs,
            outputs,
            after: None,
            #[cfg(feature = "signature")]
            key: None,
        }
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
}
