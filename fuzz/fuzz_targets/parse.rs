//! Parses any bytes: parsing never panics, and an accepted model can be used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use srfm_runtime::Model;
use srfm_testing::{Blob, exercise};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(model) = Model::parse(&Blob::new(bytes)) {
        exercise(&model);
    }
});
