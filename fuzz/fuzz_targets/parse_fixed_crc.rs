//! Parses any bytes between a correct preamble and a correct checksum, which no fuzzer would guess.
#![no_main]

use libfuzzer_sys::fuzz_target;
use srfm_runtime::Model;
use srfm_testing::{Blob, CHECKSUM, PREAMBLE, exercise};

fuzz_target!(|bytes: &[u8]| {
    let mut blob = Blob::new(bytes);
    blob.resize(bytes.len().max(PREAMBLE + CHECKSUM));
    blob.mend();
    if let Ok(model) = Model::parse(&blob) {
        exercise(&model);
    }
});
