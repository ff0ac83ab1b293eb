//! A sound model to be damaged.

use srfm_runtime::format::Kernel;
use srfm_runtime::{Error, Model};
use srfm_testing::{Blob, OwnedBlock, OwnedModel};

/// Returns a model of three inputs and one output that uses every part of the format.
pub fn sound() -> OwnedModel {
    OwnedModel {
        method: "m".into(),
        inputs: 3,
        intercepts: vec![1.0],
        linear_weights: vec![0.5, -0.5],
        linear_inputs: vec![0, 2],
        blocks: vec![OwnedBlock {
            kernel: Kernel::Cosine,
            order: 2,
            records: vec![0.25, 1.0, 2.0, 3.0],
            indices: vec![2, 1],
        }],
        ..OwnedModel::default()
    }
}

/// Returns why the sound model is refused after a change before it is written.
pub fn refusal(change: impl FnOnce(&mut OwnedModel)) -> Option<Error> {
    let mut model = sound();
    change(&mut model);
    Model::parse(&model.blob()).err()
}

/// Returns why the sound model is refused after a change to its bytes, with length and checksum corrected.
pub fn refusal_of_bytes(change: impl FnOnce(&mut Blob)) -> Option<Error> {
    let mut blob = sound().blob();
    change(&mut blob);
    blob.mend();
    Model::parse(&blob).err()
}
