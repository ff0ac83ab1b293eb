#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| srfm_fuzz::parquet(bytes));
