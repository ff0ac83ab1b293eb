//! Files of features and of sums over the rows of a part.

use srfm_runtime::Model;
use srfm_testing::{Blob, crc32};
use srfm_trainer::refit::{Features, Sums};

use crate::guard::within_memory;
use crate::reader::Reader;

/// Reads features and the sums of a part, with correct checksums, and merges the sums with themselves: a sound model or
/// an error.
pub fn sums(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    let (features, sums) = (reader.part(), reader.rest());
    within_memory(bytes.len(), || {
        let Ok(features) = Features::from_bytes(&state(&[&[0], features].concat())) else { return };
        let own = postcard::to_stdvec(&crc32(&features.to_bytes())).expect("memory takes a number");
        let Ok(part) = features.sums_from_bytes(&state(&[&[1], &own[..], sums].concat())) else { return };
        let mut merged: Sums = part.clone();
        merged.merge(part);
        let Ok(errors) = features.errors(&merged, 0, 1) else { return };
        let Ok(solved) = features.solve(&merged, &errors) else { return };
        if let Ok(refitted) = features.finish(&solved, None) {
            assert!(Model::parse(&Blob::new(refitted.blob.bytes())).is_ok());
        }
    });
}

/// Returns the bytes of a file with this content.
fn state(content: &[u8]) -> Vec<u8> {
    [b"srfmsum3", &crc32(content).to_le_bytes()[..], content].concat()
}
